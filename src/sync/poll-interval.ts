/** When the next run of a resource is due. */

/** An idle resource is polled at most this many times less often than a busy one. */
export const MAX_IDLE_FACTOR = 8
/** Runs without a change after which the interval doubles. */
const RUNS_PER_STEP = 4

/** The facts that the interval depends on. */
export interface PollFacts {
  /** From the end of a run to the start of the next while the resource changes. */
  readonly intervalMs: number
  /** Consecutive runs without a change. */
  readonly idleRuns: number
  /** The duration of the run. */
  readonly tookMs: number
}

/** From the end of a run to the start of the next, in ms. */
export const pollIntervalMs = ({ intervalMs, idleRuns, tookMs }: PollFacts): number => {
  const factor = Math.min(MAX_IDLE_FACTOR, 2 ** Math.floor(idleRuns / RUNS_PER_STEP))
  // A listing that takes longer than the interval runs half of the time, not all of it.
  return Math.max(intervalMs * factor, tookMs)
}
