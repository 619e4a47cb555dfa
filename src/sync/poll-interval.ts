/** How long a resource is not polled after a run. */

/** The facts on which the interval depends. */
export interface PollFacts {
  /** The configured interval. */
  readonly intervalMs: number
  /** How long the run took. */
  readonly tookMs: number
  /** Time since the app last delivered a webhook for the credential; null: never, or not for changes of the resource. */
  readonly webhookAgeMs: number | null
}

// Deliveries that have arrived within this time are expected to continue.
const ARRIVING_MS = 3_600_000
const SLOWER = 20
const MAX_SLOW_MS = 15 * 60_000

/** The interval until the next run: longer while webhooks report the changes. */
export const pollIntervalMs = ({ intervalMs, tookMs, webhookAgeMs }: PollFacts): number => {
  const isArriving = webhookAgeMs !== null && webhookAgeMs < ARRIVING_MS
  const slowMs = Math.max(intervalMs, Math.min(intervalMs * SLOWER, MAX_SLOW_MS))
  // A listing that takes longer than the interval runs half of the time, not all of it.
  return Math.max(tookMs, isArriving ? slowMs : intervalMs)
}
