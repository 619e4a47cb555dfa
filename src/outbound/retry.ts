/** Retries of reads, and the circuit breakers of apps. */
import { setTimeout as wait } from 'node:timers/promises'
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel'
import { AppRateLimitedError, AppUnavailableError } from './app-error.ts'
import { ExchangeError, type ExchangeResponse } from './exchange.ts'

export interface AppRetryOptions {
  /** Number of retries after the first attempt. */
  readonly maxRetries: number
  /** The first pause; pauses grow to `maxPauseMs`, with jitter. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** After a longer Retry-After the read is not retried: the caller gets the error. */
  readonly maxRetryAfterMs: number
  /** The same after a rate limit. Default: `maxRetryAfterMs`. */
  readonly maxRateLimitMs?: number
}

const isRetryable = (
  error: unknown,
  { maxRetryAfterMs, maxRateLimitMs = maxRetryAfterMs }: AppRetryOptions,
): boolean => {
  // A request that the budget did not allow has waited as long as it should.
  if (error instanceof AppRateLimitedError)
    return error.isSent && error.retryAfterMs !== undefined && error.retryAfterMs <= maxRateLimitMs
  return (
    error instanceof AppUnavailableError &&
    error.problem !== 'circuit-open' &&
    error.problem !== 'too-large' &&
    (error.retryAfterMs ?? 0) <= maxRetryAfterMs
  )
}

/**
 * Retries a read until it succeeds or the error is not retryable. Uses only the backoff of cockatiel: its retry
 * policy cannot be aborted during a pause, which would delay a shutdown by up to a minute.
 */
export const retryRead = async <T>(
  read: () => Promise<T>,
  options: AppRetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> => {
  const { firstPauseMs: initialDelay, maxPauseMs: maxDelay } = options
  let backoff = new ExponentialBackoff({
    generator: decorrelatedJitterGenerator,
    initialDelay,
    maxDelay,
  }).next()
  for (let retries = 0; ; retries++, backoff = backoff.next(undefined))
    try {
      return await read()
    } catch (error) {
      if (retries === options.maxRetries || !isRetryable(error, options)) throw error
      const { retryAfterMs = 0 } = error as AppRateLimitedError | AppUnavailableError // isRetryable
      await wait(Math.max(backoff.duration, retryAfterMs), undefined, signal && { signal })
    }
}

/** The reason of a failure that only the status explains. */
export const describeStatus = (status: number): string => `it answered ${status}`

const isDown = (error: unknown): boolean =>
  error instanceof ExchangeError && ['network', 'proxy', 'deadline'].includes(error.problem)

const MAX_BREAKERS = 1000

/** A request was not sent, because the app has just failed several times. The message names its last failure. */
export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError'
  readonly code = 'CIRCUIT_OPEN'

  constructor(lastFailure: string) {
    super(`${lastFailure}; requests are paused for some seconds`)
  }
}

export interface BreakerOptions {
  /** Number of consecutive failures after which the circuit opens. */
  readonly breakAfter: number
  /** Time until an open circuit lets one request through. */
  readonly halfOpenAfterMs: number
}

/** The circuit breaker of one base address. */
export interface Breaker {
  /** @throws CircuitOpenError if the request was not sent */
  execute(send: () => Promise<ExchangeResponse>): Promise<ExchangeResponse>
}

const createBreaker = ({ breakAfter, halfOpenAfterMs }: BreakerOptions): Breaker => {
  const policy = handleWhen(isDown).orWhenResult(
    // Only exchanges run in a breaker.
    (response) => (response as ExchangeResponse).status >= 500,
  )
  const circuit = circuitBreaker(policy, {
    halfOpenAfter: halfOpenAfterMs,
    breaker: new ConsecutiveBreaker(breakAfter),
  })
  let lastFailure = ''
  circuit.onFailure(({ handled, reason }) => {
    if (!handled) return
    lastFailure =
      'error' in reason
        ? String(Object(reason.error).message)
        : describeStatus((reason.value as ExchangeResponse).status)
  })
  return {
    execute: async (send) => {
      try {
        return await circuit.execute(send)
      } catch (error) {
        throw error instanceof BrokenCircuitError ? new CircuitOpenError(lastFailure) : error
      }
    },
  }
}

/**
 * Creates circuit breakers, one per base address, so that an app that is down does not cost a deadline per request.
 * They are not per origin: otherwise an end user could block another shop with a wrong path on its host.
 */
export const createBreakers = (options: BreakerOptions): ((base: string) => Breaker) => {
  const breakers = new Map<string, Breaker>()
  return (base) => {
    const known = breakers.get(base)
    if (known) return known
    // End users choose addresses, so there may be any number. A dropped breaker costs a few requests.
    if (breakers.size >= MAX_BREAKERS) breakers.clear()
    const breaker = createBreaker(options)
    breakers.set(base, breaker)
    return breaker
  }
}

/**
 * The pause that a Retry-After header requests; undefined without one, or for a date without a `Date` header,
 * because the sender's clock is unknown then.
 * @see RFC 9110, section 10.2.3: seconds, or a date by the clock of the sender
 */
export const readRetryAfter = (headers: Readonly<Record<string, string>>): number | undefined => {
  const value = headers['retry-after']
  if (value === undefined) return
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000)
  const pauseMs = Date.parse(value) - Date.parse(headers.date ?? '')
  return Number.isNaN(pauseMs) ? undefined : Math.max(0, pauseMs)
}
