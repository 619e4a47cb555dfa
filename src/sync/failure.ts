/** What follows from a run that failed: when it is tried again, from where, and who is told. */
import { askedPauseMs, doubling, jittered } from '../outbound/backoff.ts'
import { type Judgement, judge } from '../outbound/judge.ts'
import type { KeptFailure } from '../store/sync-state.ts'
import { ListingLoopError } from './pages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_PAUSE_MS = HOUR_MS
// No try helps until the end user connects the app anew, which makes the credential due at once.
const AUTHENTICATION_PAUSE_MS = HOUR_MS
const MAX_AUTHENTICATION_PAUSE_MS = 24 * HOUR_MS
const JITTER = [0.9, 1.1] as const
/** A mark that fails this often in a row may have expired: the listing begins anew. */
const MAX_FAILURES_AT_A_MARK = 3

export type FailureCode = Judgement['code'] | ListingLoopError['code']

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

const judgeRun = (error: unknown): Omit<Judgement, 'code'> & { readonly code: FailureCode } =>
  error instanceof ListingLoopError
    ? { code: error.code, reason: error.message, retryAfterMs: undefined }
    : judge(error)

/** What follows from a run that failed. */
export const planFailure = (error: unknown, { count, intervalMs }: FailureHistory): FailurePlan => {
  const { code, reason, retryAfterMs } = judgeRun(error)
  const pauseMs = jittered(doubling(intervalMs, count, Math.max(MAX_PAUSE_MS, intervalMs)), JITTER)
  const keepProgress = count < MAX_FAILURES_AT_A_MARK
  switch (code) {
    case 'APP_AUTHENTICATION': {
      const retryInMs = doubling(AUTHENTICATION_PAUSE_MS, count, MAX_AUTHENTICATION_PAUSE_MS)
      return { code, reason, retryInMs: jittered(retryInMs, JITTER), keepProgress: true }
    }
    case 'APP_RATE_LIMITED':
    case 'APP_UNAVAILABLE': {
      if (retryAfterMs === undefined) return { code, reason, retryInMs: pauseMs, keepProgress }
      const retryInMs = Math.max(askedPauseMs(retryAfterMs), intervalMs)
      // Being asked to wait says nothing against the mark.
      return { code, reason, retryInMs, keepProgress: true }
    }
    case 'APP_REFUSED':
    case 'LISTING_LOOP':
      // The same mark will be refused again, or lead in the same circle.
      return { code, reason, retryInMs: pauseMs, keepProgress: false }
    case 'APP_ADDRESS':
    case 'INTERNAL':
      return { code, reason, retryInMs: pauseMs, keepProgress }
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
