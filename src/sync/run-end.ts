/** How a run, or one slice of it, ends before it has completed. */
import type { Json } from '../definition/connector.ts'
import { isFeedKey } from '../definition/feed.ts'
import { isAppError } from '../outbound/app-error.ts'
import { LeaseLostError } from '../store/database/lease-sql.ts'
import { temporaryFailureOf } from '../store/database/temporary-failure.ts'
import { reportAuthenticationFailure } from '../store/sync/authentication-failure.ts'
import { isAnyRunWaiting } from '../store/sync/claims.ts'
import { releaseRun } from '../store/sync/held-run.ts'
import type { RunProgress, SyncCounts, SyncLease, SyncState } from '../store/sync/sync-state.ts'
import { type ActiveRun, appendSyncEvent, type SyncContext, transact } from './active-run.ts'
import { failureToStore, isFinalFailure, isNewFailure, planFailure } from './failure-plan.ts'
import type { HeldRun } from './leases.ts'
import { logFailedRun } from './run-log.ts'
import { TICK_MS } from './run-slots.ts'

/** The outcome of a run, or of one slice of it. */
export type RunResult =
  | { readonly outcome: 'completed'; readonly counts: SyncCounts }
  /** The run continues after `dueInMs`, in this process or another. */
  | { readonly outcome: 'paused'; readonly dueInMs: number }
  | { readonly outcome: 'failed'; readonly error: unknown; readonly retryInMs: number }
  /** Another process holds the lease, the credential was deleted, or the first listing waits for its feed to start. */
  | { readonly outcome: 'held' }
  /** Another process took the run over. */
  | { readonly outcome: 'lost' }

const LOST: RunResult = { outcome: 'lost' }

/** The duration of the run over all of its slices. */
export const workedMs = ({ progress, acquiredMs }: ActiveRun): number =>
  (progress.workedMs ?? 0) + performance.now() - acquiredMs

/** Whether the run must yield its slot to a waiting run. Queries the database only after the slice has elapsed. */
export const isSliceOver = async ({ context, acquiredMs }: ActiveRun): Promise<boolean> =>
  performance.now() - acquiredMs > context.sliceMs &&
  (await isAnyRunWaiting(context.database, TICK_MS))

/** The JSON of a connector's token or cursor, saved with its pages. */
export const parsed = (text: string | null): Json | undefined =>
  text === null ? undefined : (JSON.parse(text) as Json)

/** The cursors at which a listing continues; none at its start. */
export const savedCursorsOf = ({ cursor, partitions = [] }: RunProgress): readonly Json[] =>
  [cursor, ...partitions].map(parsed).filter((at) => at !== undefined)

/** Releases a run that continues after `dueInMs`. */
export const pause = async (
  run: ActiveRun,
  progress: RunProgress,
  dueInMs: number,
  warning?: string,
): Promise<RunResult> => {
  const { context, lease } = run
  const paused = { ...progress, workedMs: workedMs(run) }
  await releaseRun(context.database, lease, { progress: paused, dueInMs, absence: warning })
  if (warning) context.log.warn({ ...lease.key, dueInMs }, warning)
  return { outcome: 'paused', dueInMs }
}

/** Consecutive failures, including the current one. Stored pages show that the app has worked since the last one. */
export const countFailures = (state: SyncState, run: ActiveRun | undefined): number =>
  run?.advanced ? 1 : state.failures + 1

const fail = async (
  context: SyncContext,
  lease: SyncLease,
  state: SyncState,
  run: ActiveRun | undefined,
  error: unknown,
): Promise<RunResult> => {
  const count = countFailures(state, run)
  const plan = planFailure(error, { count, intervalMs: context.intervalMs })
  const { code, reason, retryInMs } = plan
  const progress = plan.keepProgress ? (run?.progress ?? state.progress) : null
  const failure = { ...failureToStore({ code, reason }, state.failure), count }
  const release = { progress, dueInMs: retryInMs, failure }
  if (!run) await releaseRun(context.database, lease, release)
  else
    await transact(run, async (transaction) => {
      const reported = { code, reason, app: run.credential.app }
      if (code === 'APP_AUTHENTICATION' && !isFinalFailure(error))
        await reportAuthenticationFailure(transaction, run.owner, reported)
      // The resources of a feed that fails report their own failures.
      if (isNewFailure(plan, state.failure) && !isFeedKey(lease.key.topic))
        await appendSyncEvent(transaction, run, 'failed', { ...reported, ...run.progress.counts })
      await releaseRun(transaction, lease, release)
    })
  // Logged once it is stored: while the database is unavailable, the run is repeated.
  const app = run?.credential.app
  if (app !== undefined) context.onRun?.(app, code)
  logFailedRun(context.log, { lease, app, before: state.failure, plan, failures: count, error })
  return { outcome: 'failed', error, retryInMs }
}

/**
 * Ends a run that was interrupted by an error: it is paused when the process stops, otherwise its retry is planned.
 * @throws the error of a database that is temporarily unavailable: the lease expires, and any process resumes the run
 */
export const endInterrupted = async (
  context: SyncContext,
  { lease, state, signal }: HeldRun,
  run: ActiveRun | undefined,
  error: unknown,
): Promise<RunResult> => {
  if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError) return LOST
  try {
    if (run && signal.aborted) return await pause(run, run.progress, 0)
    if (!isAppError(error) && temporaryFailureOf(error)) throw error
    return await fail(context, lease, state, run, error)
  } catch (failure) {
    if (failure instanceof LeaseLostError) return LOST
    throw failure
  }
}
