/** The time from the end of a sync run to the start of the next. */
import { CEILINGS } from '../definition/request-limits.ts'
import { idleFactor } from '../store/sync/idle-runs.ts'

/** A limit on the requests of the resources that are polled, with those that share it. */
export interface PolledLimit {
  readonly max: number
  readonly periodMs: number
  /** What one poll of this resource costs: a number of requests, or of points. */
  readonly cost: number
  /** Number of resources whose polls count towards the limit: of the credential, the account or the app. */
  readonly resources: number
}

/** The facts that the interval depends on. */
export interface PollFacts {
  /** The configured interval: that of a resource that changes. */
  readonly intervalMs: number
  /** Duration of the run that has ended. */
  readonly tookMs: number
  /** Consecutive runs without a change, including this one. */
  readonly idleRuns: number
  /** Time since the app last delivered a webhook for the credential; null: never, or not for changes of the resource. */
  readonly webhookAgeMs: number | null
  readonly limits: readonly PolledLimit[]
}

// Deliveries that have arrived within this time are expected to continue.
const ARRIVING_MS = 3_600_000
const FACTOR_WHILE_ARRIVING = 20
const MAX_WHILE_ARRIVING_MS = 15 * 60_000

/** The interval while webhooks report the changes; 0 if none do. */
const webhookMs = ({ intervalMs, webhookAgeMs }: PollFacts): number =>
  webhookAgeMs !== null && webhookAgeMs < ARRIVING_MS
    ? Math.min(intervalMs * FACTOR_WHILE_ARRIVING, MAX_WHILE_ARRIVING_MS)
    : 0

/** The share of a limit that only requests for changes, and more important ones, may use. */
const CHANGES_SHARE = CEILINGS.changes - CEILINGS.history

/** The interval at which each of the resources gets an equal part of the share for changes. */
const affordableMs = ({ max, periodMs, cost, resources }: PolledLimit): number =>
  (resources * cost * periodMs) / (max * CHANGES_SHARE)

/**
 * The time until the next run, at least what the budget for changes affords. A run that takes longer than the
 * interval runs half of the time, not all of it.
 */
export const pollIntervalMs = (facts: PollFacts): number => {
  const { intervalMs, tookMs, idleRuns, limits } = facts
  const idleMs = intervalMs * idleFactor(idleRuns)
  return Math.ceil(Math.max(idleMs, webhookMs(facts), tookMs, ...limits.map(affordableMs)))
}
