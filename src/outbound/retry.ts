/** When a read is tried again, and when an app is left alone for a while. */
import { setTimeout as wait } from 'node:timers/promises'
import {
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel'
import { AppRateLimitedError, AppUnavailableError } from './app-error.ts'
import { type Answer, ExchangeError } from './exchange.ts'

export interface RetryOptions {
  /** Tries after the first. */
  readonly maxRetries: number
  /** The first pause; they grow to `maxPauseMs`, with jitter. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** A longer Retry-After is not waited for: the caller is told, and comes again then. */
  readonly maxRetryAfterMs: number
}

const isWorthAnotherTry = (error: unknown, maxRetryAfterMs: number): boolean => {
  if (error instanceof AppRateLimitedError)
    return error.retryAfterMs !== undefined && error.retryAfterMs <= maxRetryAfterMs
  return (
    error instanceof AppUnavailableError &&
    error.problem !== 'circuit-open' &&
    error.problem !== 'too-large' &&
    (error.retryAfterMs ?? 0) <= maxRetryAfterMs
  )
}

/**
 * Tries a read until it succeeds, or no further try is worth it. cockatiel's own retry does not let go
 * while it waits, and a process that is told to stop must not sit out a minute: only its pauses are used.
 */
export const retryRead = async <T>(
  read: () => Promise<T>,
  options: RetryOptions,
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
      if (retries === options.maxRetries || !isWorthAnotherTry(error, options.maxRetryAfterMs))
        throw error
      const { retryAfterMs = 0 } = error as AppRateLimitedError | AppUnavailableError // worth a try
      await wait(Math.max(backoff.duration, retryAfterMs), undefined, signal && { signal })
    }
}

const isDown = (error: unknown): boolean =>
  error instanceof ExchangeError && (error.problem === 'network' || error.problem === 'deadline')

const MAX_BREAKERS = 1000

export interface BreakerOptions {
  /** Failures in a row after which an app is not asked. */
  readonly breakAfter: number
  /** Until it is asked again, once. */
  readonly halfOpenAfterMs: number
}

/**
 * One breaker a base address: an app that is down costs no worker its deadline again and again. Not one an
 * origin: an end user who names a dead end of somebody else's shop would shut that shop.
 */
export const createBreakers = ({
  breakAfter,
  halfOpenAfterMs,
}: BreakerOptions): ((base: string) => CircuitBreakerPolicy) => {
  const breakers = new Map<string, CircuitBreakerPolicy>()
  return (base) => {
    const known = breakers.get(base)
    if (known) return known
    // End users name addresses: there may be any number. Forgetting one costs a few tries.
    if (breakers.size >= MAX_BREAKERS) breakers.clear()
    const policy = handleWhen(isDown).orWhenResult(
      // Only exchanges run in a breaker, and they result in answers.
      (answer) => (answer as Answer).status >= 500,
    )
    const breaker = circuitBreaker(policy, {
      halfOpenAfter: halfOpenAfterMs,
      breaker: new ConsecutiveBreaker(breakAfter),
    })
    breakers.set(base, breaker)
    return breaker
  }
}

/**
 * Milliseconds that a Retry-After asks for; undefined if there is none.
 * @see RFC 9110, section 10.2.3: seconds, or a date by the clock of the sender
 */
export const readRetryAfter = (headers: Readonly<Record<string, string>>): number | undefined => {
  const value = headers['retry-after']
  if (value === undefined) return
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000)
  const until = Date.parse(value)
  const now = Date.parse(headers.date ?? '')
  return Number.isNaN(until)
    ? undefined
    : Math.max(0, until - (Number.isNaN(now) ? Date.now() : now))
}
