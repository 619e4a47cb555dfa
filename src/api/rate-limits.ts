/** What is counted in a minute, by this process: the requests of each caller, the failures of each address. */
import { hash, randomBytes } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** How much of a minute has been used, this time included. */
export interface Use {
  readonly consumed: number
  readonly msBeforeNext: number
}

/** Counts by subject; what is past the limit is counted on. */
export interface RateLimit {
  /** 0: no limit. */
  readonly perMinute: number
  count(subject: string): Promise<Use>
  /** @throws RATE_LIMITED */
  check(use: Use): void
  /** `RateLimit-Policy` and `RateLimit`, of draft-ietf-httpapi-ratelimit-headers. */
  describe(use: Use): { readonly policy: string; readonly left: string }
}

export interface RateLimitOptions {
  /** In the headers. */
  readonly name: string
  /** In a refusal: "requests". */
  readonly counted: string
  /** 0: no limit */
  readonly perMinute: number
}

export const createRateLimit = ({ name, counted, perMinute }: RateLimitOptions): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perMinute || 1, duration: WINDOW_SECONDS })
  return {
    perMinute,
    count: async (subject) => {
      if (perMinute === 0) return { consumed: 0, msBeforeNext: 0 }
      const state = await limiter.consume(subject).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused
        throw refused
      })
      return { consumed: state.consumedPoints, msBeforeNext: state.msBeforeNext }
    },
    check: ({ consumed, msBeforeNext }) => {
      if (consumed > perMinute)
        throw new ApiError('RATE_LIMITED', `More than ${perMinute} ${counted} a minute.`, [], {
          retryAfterMs: msBeforeNext,
        })
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

// Unpredictable from outside: nobody chooses whose count an address shares.
const salt = randomBytes(16).toString('hex')

/**
 * The name under which an address is counted: one of 65,536, so that no number of addresses takes more
 * memory than that many counters. Two that share one are refused a little early, and neither if its key
 * is good.
 */
export const subjectOfAddress = (address: string): string =>
  `address ${hash('sha256', `${salt}${address}`).slice(0, 4)}`
