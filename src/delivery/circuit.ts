/** The circuit breaker of an endpoint: when it may receive messages, how many at a time, and when it is disabled. */
import { isGoneStatus } from '../definition/http-status.ts'
import type { DeliveryState } from '../store/webhooks/webhook-progress.ts'
import { type AttemptOutcome, isSuccess } from './attempt.ts'
import type { EndpointLog } from './endpoint-log.ts'
import { BREAK_AFTER, circuitPauseMs, endpointPauseMs, type Timing } from './schedule.ts'

/** The state of the circuit breaker in the database, for the process that takes over. */
export type Health = Pick<DeliveryState, 'failures' | 'failingSince' | 'pausedUntil' | 'resets'>

export interface CircuitOptions {
  readonly timing: Timing
  /** Messages in flight while the endpoint is healthy. */
  readonly concurrency: number
  /** The subscription is disabled after its endpoint has failed for this time. */
  readonly disableAfterMs: number
}

export const createCircuit = (
  health: Health,
  { timing, concurrency, disableAfterMs }: CircuitOptions,
  log: EndpointLog,
) => {
  const { resets } = health
  let { failures, failingSince, pausedUntil } = health
  /** The time before which no new message is sent; due retries are. */
  let opensAtMs = 0
  return {
    get health(): Health {
      return { failures, failingSince, pausedUntil, resets }
    },
    /** The number of messages that may be in flight. */
    limitAt: (nowMs: number): number => {
      if (pausedUntil !== null && nowMs < pausedUntil.getTime()) return 0
      return failures < BREAK_AFTER ? concurrency : 1
    },
    acceptsNewAt: (nowMs: number): boolean => nowMs >= opensAtMs,
    /** Records an outcome. @returns the reason to disable the subscription, if any */
    record: (outcome: AttemptOutcome, nowMs: number): string | undefined => {
      if (isSuccess(outcome)) {
        if (failingSince !== null) log.recovered(failures, failingSince)
        failures = 0
        failingSince = null
        // A message that succeeds during a pause was in flight before the endpoint requested that pause.
        if (pausedUntil !== null && nowMs >= pausedUntil.getTime()) pausedUntil = null
        opensAtMs = 0
        return
      }
      failures++
      failingSince ??= outcome.at
      log.failed(outcome, failures)
      const pauseMs = endpointPauseMs(outcome.status, outcome.retryAfterMs)
      if (pauseMs > 0) pausedUntil = new Date(nowMs + pauseMs)
      opensAtMs = nowMs + circuitPauseMs(failures, timing)
      if (outcome.status !== null && isGoneStatus(outcome.status))
        return 'the endpoint answered 410 Gone'
      return nowMs - failingSince.getTime() >= disableAfterMs
        ? `the endpoint has failed since ${failingSince.toISOString()}`
        : undefined
    },
  }
}
