/** When the next run of a resource is due. */
import { idleFactor } from '../store/sync/idle-runs.ts'

/** The facts that the interval depends on. */
export interface PollFacts {
  /** From the end of a run to the start of the next while the resource changes. */
  readonly intervalMs: number
  /** The duration of the run. */
  readonly tookMs: number
  /** Consecutive runs without a change, including this one. */
  readonly idleRuns: number
}

/** From the end of a run to the start of the next, in ms. */
export const pollIntervalMs = ({ intervalMs, tookMs, idleRuns }: PollFacts): number =>
  // A listing that takes longer than the interval runs half of the time, not all of it.
  Math.max(intervalMs * idleFactor(idleRuns), tookMs)
