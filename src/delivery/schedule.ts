/** The retry schedule of messages, and the pauses of endpoints. */
import { exponentialPauseMs, requestedPauseMs, withJitter } from '../outbound/backoff.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Pauses before the first attempt, the second, …: three days in total, as Standard Webhooks recommends. */
const SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

const MAX_CIRCUIT_PAUSE_MS = 5 * MINUTE_MS

/** Consecutive failures after which new messages are paused, and then sent one at a time. */
export const BREAK_AFTER = 5

export interface Timing {
  /** Factor of every pause: 1. Tests use less. */
  readonly scale: number
  /** A number from 0 to 1, so that messages that failed together are not retried together. */
  readonly random: () => number
}

// Never earlier than the schedule, and up to a fifth later.
const timed = (ms: number, { scale, random }: Timing): number =>
  withJitter(ms * scale, [1, 1.2], random)

/**
 * The pause before the next attempt of a message that has failed `attempts` times, including Retry-After.
 * @returns undefined: there is no further attempt
 */
export const retryInMs = (
  attempts: number,
  retryAfterMs: number | undefined,
  timing: Timing,
): number | undefined => {
  const pauseMs = SCHEDULE_MS[attempts]
  if (pauseMs === undefined) return
  return Math.max(timed(pauseMs, timing), requestedPauseMs(retryAfterMs))
}

/** The pause of all messages that an endpoint requests by 429 or 503 with Retry-After; 0: none. */
export const endpointPauseMs = (status: number | null, retryAfterMs: number | undefined): number =>
  status === 429 || status === 503 ? requestedPauseMs(retryAfterMs) : 0

/** The pause of new messages after this number of consecutive failures; 0: none. */
export const circuitPauseMs = (failures: number, timing: Timing): number =>
  failures < BREAK_AFTER
    ? 0
    : timed(exponentialPauseMs(SECOND_MS, failures - BREAK_AFTER + 1, MAX_CIRCUIT_PAUSE_MS), timing)
