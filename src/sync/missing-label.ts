/** Reads the label of a credential that was connected without one, once a run has shown that its app responds. */
import { readAccountName } from '../outbound/account-name.ts'
import { claimLabelRead, saveLabel } from '../store/accounts/credential-label.ts'
import type { ActiveRun } from './active-run.ts'

const TIMEOUT_MS = 10_000

/**
 * Reads and stores the label, at most once a day for each credential over all processes. A failure is logged:
 * the label is optional.
 */
export const readMissingLabel = async (run: ActiveRun, signal: AbortSignal): Promise<void> => {
  const { context, credential, connector } = run
  const { database, appClient, log } = context
  const isReported = connector.readAccountName !== undefined
  if (credential.label !== null || !isReported || signal.aborted) return
  try {
    if (!(await claimLabelRead(database, credential.id))) return
    const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const label = await readAccountName(appClient, connector, credential, ended)
    if (label !== undefined) await saveLabel(database, credential.id, label)
  } catch (error) {
    if (signal.aborted) return
    log.warn(
      { credentialId: credential.id, app: credential.app, err: error },
      'the name of an account could not be read',
    )
  }
}
