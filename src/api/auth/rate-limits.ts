/** Rate limits per minute and process: requests of each caller, failed authentications of each address. */
import { hash, randomBytes } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../../errors.ts'

const WINDOW_SECONDS = 60

/** The count of a subject in the current window, including this call. */
export interface Use {
  readonly consumed: number
  readonly msBeforeNext: number
}

/** Counts calls by subject; calls beyond the limit are counted too. */
export interface RateLimit {
  /** 0: no limit. */
  readonly perMinute: number
  count(subject: string): Promise<Use>
  /** Whether the limit is used up, so that the next call is rejected. */
  isSpent(subject: () => string): Promise<boolean>
  /** @throws RATE_LIMITED */
  check(use: Use): void
  /** The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  describe(use: Use): { readonly policy: string; readonly left: string }
}

export interface RateLimitOptions {
  /** The policy name in the headers. */
  readonly name: string
  /** The counted events, in the plural, for error messages: "requests". */
  readonly counted: string
  /** 0: no limit. */
  readonly perMinute: number
}

export const createRateLimit = ({ name, counted, perMinute }: RateLimitOptions): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perMinute || 1, duration: WINDOW_SECONDS })
  // Time of performance.now() until which some subject may be over its limit.
  let spentUntilMs = Number.NEGATIVE_INFINITY
  return {
    perMinute,
    count: async (subject) => {
      if (perMinute === 0) return { consumed: 0, msBeforeNext: 0 }
      const state = await limiter.consume(subject).catch((reason: unknown) => {
        if (reason instanceof RateLimiterRes) return reason
        throw reason
      })
      const { consumedPoints: consumed, msBeforeNext } = state
      if (consumed >= perMinute)
        spentUntilMs = Math.max(spentUntilMs, performance.now() + msBeforeNext)
      return { consumed, msBeforeNext }
    },
    isSpent: async (subject) => {
      // Fast path for every request: usually no subject is over its limit.
      if (perMinute === 0 || performance.now() > spentUntilMs) return false
      const state = await limiter.get(subject())
      return state !== null && state.consumedPoints >= perMinute
    },
    check: ({ consumed, msBeforeNext }) => {
      if (consumed > perMinute)
        throw new ApiError(
          'RATE_LIMITED',
          `More than ${perMinute} ${counted} per minute. Retry later.`,
          [],
          {
            retryAfterMs: msBeforeNext,
          },
        )
    },
    describe: ({ consumed, msBeforeNext }) => {
      const left = Math.max(0, perMinute - consumed)
      const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000))
      return {
        policy: `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`,
        left: `"${name}";r=${left};t=${resetSeconds}`,
      }
    },
  }
}

// Random, so that a caller cannot choose which address it shares a counter with.
const salt = randomBytes(16).toString('hex')

/**
 * The rate-limit subject of an address: one of 65,536 hash buckets, which bounds the memory of the counters.
 * Addresses in one bucket share its limit; callers with a valid key are not affected.
 */
export const subjectOfAddress = (address: string): string =>
  `address ${hash('sha256', `${salt}${address}`).slice(0, 4)}`
