/** How an endpoint does: when it is sent to, how much at once, and when it is given up. */
import { isGoneStatus } from '../definition/http-status.ts'
import type { DeliveryState } from '../store/webhook-progress.ts'
import { isSuccess, type Outcome } from './attempt.ts'
import { BREAK_AFTER, circuitPauseMs, restMs, type Timing } from './schedule.ts'

/** What the database keeps of it, so that another process goes on with it. */
export type Health = Pick<DeliveryState, 'failures' | 'failingSince' | 'pausedUntil' | 'resets'>

export interface CircuitOptions {
  readonly timing: Timing
  /** Messages at once while all is well. */
  readonly concurrency: number
  /** An endpoint that has failed for so long is given up. */
  readonly disableAfterMs: number
}

export const createCircuit = (
  health: Health,
  { timing, concurrency, disableAfterMs }: CircuitOptions,
) => {
  const { resets } = health
  let { failures, failingSince, pausedUntil } = health
  /** Nothing new is sent before; what waits for its next attempt is. */
  let opensAtMs = 0
  return {
    get health(): Health {
      return { failures, failingSince, pausedUntil, resets }
    },
    /** How many messages may be under way at once. */
    limitAt: (nowMs: number): number => {
      if (pausedUntil !== null && nowMs < pausedUntil.getTime()) return 0
      return failures < BREAK_AFTER ? concurrency : 1
    },
    takesNewAt: (nowMs: number): boolean => nowMs >= opensAtMs,
    /** @returns why the endpoint is given up, if it is */
    note: (outcome: Outcome, nowMs: number): string | undefined => {
      if (isSuccess(outcome)) {
        failures = 0
        failingSince = null
        // Nothing is begun during a pause: what succeeds then was under way before it was asked for.
        if (pausedUntil !== null && nowMs >= pausedUntil.getTime()) pausedUntil = null
        opensAtMs = 0
        return
      }
      failures++
      failingSince ??= outcome.at
      const rest = restMs(outcome.status, outcome.retryAfterMs)
      if (rest > 0) pausedUntil = new Date(nowMs + rest)
      opensAtMs = nowMs + circuitPauseMs(failures, timing)
      if (outcome.status !== null && isGoneStatus(outcome.status))
        return 'the endpoint answered 410 Gone'
      return nowMs - failingSince.getTime() >= disableAfterMs
        ? `the endpoint has failed since ${failingSince.toISOString()}`
        : undefined
    },
  }
}
