/** What follows from a run that failed: when it is tried again, from where, and who is told. */
import { storableText } from '../definition/value.ts'
import { type AppError, isAppError } from '../outbound/app-error.ts'
import type { KeptFailure } from '../store/sync-state.ts'
import { ListingLoopError } from './pages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_PAUSE_MS = HOUR_MS
// No try helps until the end user connects the app anew, which makes the credential due at once.
const AUTHENTICATION_PAUSE_MS = HOUR_MS
const MAX_AUTHENTICATION_PAUSE_MS = 24 * HOUR_MS
// Beyond that an app asks for something else than patience.
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS
/** A mark that fails this often in a row may have expired: the listing begins anew. */
const MAX_FAILURES_AT_A_MARK = 3

export type FailureCode = AppError['code'] | ListingLoopError['code'] | 'INTERNAL'

export interface FailurePlan {
  readonly code: FailureCode
  readonly reason: string
  readonly retryInMs: number
  /** Whether the next try goes on where this one stopped. */
  readonly keepProgress: boolean
}

export interface FailureHistory {
  /** Failures in a row, this one counted. */
  readonly count: number
  /** The pause after the first. */
  readonly intervalMs: number
}

const doubling = (firstMs: number, count: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(count - 1, 20))

/** Between nine tenths and eleven: what failed together is not tried again together. */
const jittered = (ms: number): number => Math.round(ms * (0.9 + Math.random() * 0.2))

const describe = (error: unknown): { readonly code: FailureCode; readonly reason: string } => {
  if (isAppError(error)) return { code: error.code, reason: storableText(error.reason) }
  if (error instanceof ListingLoopError) return { code: error.code, reason: error.message }
  // Ours to find in the log, and nobody else's to read.
  return { code: 'INTERNAL', reason: 'an unexpected failure of this service' }
}

/** Judges a failed run. */
export const planFailure = (error: unknown, { count, intervalMs }: FailureHistory): FailurePlan => {
  const described = describe(error)
  const pauseMs = jittered(doubling(intervalMs, count, Math.max(MAX_PAUSE_MS, intervalMs)))
  const keepProgress = count < MAX_FAILURES_AT_A_MARK
  switch (described.code) {
    case 'APP_AUTHENTICATION': {
      const retryInMs = doubling(AUTHENTICATION_PAUSE_MS, count, MAX_AUTHENTICATION_PAUSE_MS)
      return { ...described, retryInMs: jittered(retryInMs), keepProgress: true }
    }
    case 'APP_RATE_LIMITED':
    case 'APP_UNAVAILABLE': {
      const asked = (error as { readonly retryAfterMs?: number }).retryAfterMs // both classes have it
      const retryInMs =
        asked === undefined ? pauseMs : Math.min(MAX_RETRY_AFTER_MS, Math.max(asked, intervalMs))
      // Being asked to wait says nothing against the mark.
      return { ...described, retryInMs, keepProgress: keepProgress || asked !== undefined }
    }
    case 'APP_REFUSED':
    case 'LISTING_LOOP':
      // The same mark will be refused again, or lead in the same circle.
      return { ...described, retryInMs: pauseMs, keepProgress: false }
    case 'APP_ADDRESS':
    case 'INTERNAL':
      return { ...described, retryInMs: pauseMs, keepProgress }
  }
}

// A limit on the rate is an app's ordinary way of spreading its load.
const isTold = ({ code }: KeptFailure): boolean => code !== 'APP_RATE_LIMITED'

/** Whether the change log tells of it: the first failure of its kind in a row, not each try. */
export const isNews = (failure: KeptFailure, before: KeptFailure | null): boolean =>
  isTold(failure) && failure.code !== before?.code

/** Whether a run that succeeds ends what the change log told of. */
export const isRecovery = (before: KeptFailure | null): before is KeptFailure =>
  before !== null && isTold(before)

/** What the state keeps of it: what was told of stays until its recovery is told too. */
export const failureToKeep = (failure: KeptFailure, before: KeptFailure | null): KeptFailure =>
  !isTold(failure) && isRecovery(before) ? before : failure
