/** When a message is tried again, and when an endpoint is left alone. */
import { askedPauseMs, doubling, jittered } from '../outbound/backoff.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Before the first attempt, the second, …: three days in all. Standard Webhooks recommends this one. */
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

/** After so many failures in a row nothing new is sent for a while, and then one message at a time. */
export const BREAK_AFTER = 5

export interface Timing {
  /** Of every pause: 1. Tests have less time. */
  readonly scale: number
  /** From 0 to 1: what failed together is not tried again together. */
  readonly random: () => number
}

// Never earlier than the schedule says, and up to a fifth later.
const timed = (ms: number, { scale, random }: Timing): number =>
  jittered(ms * scale, [1, 1.2], random)

/**
 * How long a message waits that has failed so often, Retry-After included.
 * @returns undefined: it is not tried again
 */
export const retryInMs = (
  attempts: number,
  retryAfterMs: number | undefined,
  timing: Timing,
): number | undefined => {
  const pauseMs = SCHEDULE_MS[attempts]
  if (pauseMs === undefined) return
  return Math.max(timed(pauseMs, timing), askedPauseMs(retryAfterMs))
}

/** How long an endpoint that asks for it is left alone altogether; 0: it does not. */
export const restMs = (status: number | null, retryAfterMs: number | undefined): number =>
  status === 429 || status === 503 ? askedPauseMs(retryAfterMs) : 0

/** How long nothing new is sent to an endpoint after so many failures in a row. */
export const circuitPauseMs = (failures: number, timing: Timing): number =>
  failures < BREAK_AFTER
    ? 0
    : timed(doubling(SECOND_MS, failures - BREAK_AFTER + 1, MAX_CIRCUIT_PAUSE_MS), timing)
