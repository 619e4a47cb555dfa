/** The log lines of sync runs: one when a sync starts to fail, and one when it recovers. */
import type { Log } from '../log.ts'
import type { StoredFailure, SyncLease } from '../store/sync/sync-state.ts'
import type { ActiveRun } from './active-run.ts'
import { type FailurePlan, isNewFailure } from './failure-plan.ts'

/** A failed run, after it was stored. */
export interface FailedRun {
  readonly lease: SyncLease
  /** Undefined: the credential could not be loaded. */
  readonly app: string | undefined
  /** The stored failure of the earlier runs. */
  readonly before: StoredFailure | null
  readonly plan: FailurePlan
  /** Consecutive failures, including this one. */
  readonly failures: number
  readonly error: unknown
}

const levelOf = ({ plan, before }: FailedRun): 'debug' | 'info' | 'warn' | 'error' => {
  // Not a reported failure: rate limits are part of an app's normal operation.
  if (plan.code === 'APP_RATE_LIMITED') return before === null ? 'info' : 'debug'
  if (!isNewFailure(plan, before)) return 'debug'
  return plan.code === 'INTERNAL' ? 'error' : 'warn'
}

/** Logs a failed run; retries that fail in the same way are logged at debug level. */
export const logFailedRun = (log: Log, failed: FailedRun): void => {
  const { lease, app, plan, failures, error } = failed
  const { code, reason, retryInMs } = plan
  const facts = { ...lease.key, app, code, reason, failures, retryInMs: Math.round(retryInMs) }
  // The reason of an app's failure says everything.
  log[levelOf(failed)](code === 'INTERNAL' ? { ...facts, err: error } : facts, 'sync run failed')
}

/** Logs a completed run: the first one of a resource, and the first one after failures, at info level. */
export const logCompletedRun = (
  { context: { log }, lease, credential, state, progress }: ActiveRun,
  tookMs: number,
): void => {
  const { listing, first, counts } = progress
  const facts = { ...lease.key, app: credential.app, listing, ...counts }
  const message = first ? 'first sync completed' : 'sync run completed'
  log[first ? 'info' : 'debug']({ ...facts, tookMs: Math.round(tookMs) }, message)
  const { failure, failures } = state
  if (failure) log.info({ ...facts, code: failure.code, failures }, 'sync recovered')
}
