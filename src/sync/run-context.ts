/** The context of a run's account: read before the first listing, and again once a day. */
import { isAppError } from '../outbound/app-error.ts'
import { claimContextRead, releaseContextRead } from '../store/accounts/credential-context.ts'
import { releaseRun } from '../store/sync/held-run.ts'
import { refreshContext } from '../write/account-context.ts'
import { type ActiveRun, appClientOf } from './active-run.ts'
import type { RunResult } from './run-end.ts'
import { NEXT_TICK_MS } from './run-slots.ts'

// The other runs of a new credential wait until one of them has read the context.
const FIRST_READ_MS = 60_000
const RETRY_MS = 15 * 60_000

/**
 * Reads the context of a run's account if it is due. If it cannot be read, the previous one stays in use.
 * @returns `waiting`: another run reads the first context · `changed`: it differs from the previous one, and every
 * resource is listed in full by another run
 * @throws AppError if there is no previous context
 */
export const prepareContext = async (
  run: ActiveRun,
  signal: AbortSignal,
): Promise<'ready' | 'waiting' | 'changed'> => {
  const { context, connector, credential } = run
  const { database, log } = context
  const { context: definition } = connector
  if (!definition) return 'ready'
  const { version: storedVersion = 0, isDue = true } = credential.context ?? {}
  const isMissing = storedVersion !== definition.version
  if (!isMissing && !isDue) return 'ready'
  // A process of a later version keeps the stored one; this run's is not stored.
  const isOutdated = storedVersion > definition.version
  const claimMs = isMissing ? FIRST_READ_MS : RETRY_MS
  const read = { storedVersion: credential.context?.version, isMissing, claimMs }
  if (!isOutdated && !(await claimContextRead(database, credential.id, read)))
    return isMissing ? 'waiting' : 'ready'
  try {
    const account = { database, appClient: appClientOf(run), connector, credential, signal }
    const refreshed = await refreshContext(account, definition)
    run.credential = refreshed.credential
    return refreshed.isRelisted ? 'changed' : 'ready'
  } catch (error) {
    if (isMissing && !isOutdated) await releaseContextRead(database, credential.id)
    if (isMissing || signal.aborted || !isAppError(error)) throw error
    const { code, reason } = error
    const { id: credentialId, app } = credential
    log.warn({ credentialId, app, code, reason }, 'the context of an account could not be read')
    return 'ready'
  }
}

/** Releases a run that starts once another run has read the context. */
export const waitForContext = async ({
  context,
  lease,
  state: { progress },
}: ActiveRun): Promise<RunResult> => {
  await releaseRun(context.database, lease, { progress, dueInMs: NEXT_TICK_MS })
  return { outcome: 'held' }
}
