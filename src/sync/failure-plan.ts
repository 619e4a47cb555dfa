/** Plans the retry of a failed run: when it starts, whether it resumes, and whether the failure is reported. */
import { AppAuthenticationError } from '../outbound/app-error.ts'
import { exponentialPauseMs, requestedPauseMs, withJitter } from '../outbound/backoff.ts'
import { type ClassifiedFailure, classifyFailure } from '../outbound/classify-failure.ts'
import { ListingLoopError } from '../outbound/loop-guard.ts'
import type { StoredFailure } from '../store/sync/sync-state.ts'
import { StorageLimitError } from './storage-limits.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_PAUSE_MS = HOUR_MS
// Only a restart with a higher limit, or the retention of the change log, ends the failure.
const LIMIT_PAUSE_MS = HOUR_MS
// A retry fails until the end user reconnects the app, which makes the credential due immediately.
const AUTHENTICATION_PAUSE_MS = HOUR_MS
const MAX_AUTHENTICATION_PAUSE_MS = 24 * HOUR_MS
const JITTER = [0.9, 1.1] as const
/** A cursor that fails this often in a row may have expired: the listing restarts. */
const MAX_FAILURES_PER_CURSOR = 3

/** A feed that fails this often in a row no longer replaces the polls of its resources. */
export const FAILURES_BEFORE_POLLING = 3

/** The code of a failed run, as in `sync/failed`. */
export type FailureCode =
  | ClassifiedFailure['code']
  | ListingLoopError['code']
  | StorageLimitError['code']

/** The consequences of a failed run. */
export interface FailurePlan {
  readonly code: FailureCode
  readonly reason: string
  /** Infinite: not before the end user reconnects the app. */
  readonly retryInMs: number
  /** Whether the retry resumes from the saved progress. */
  readonly keepProgress: boolean
}

/** The facts about earlier failures that the retry depends on. */
export interface FailureHistory {
  /** Consecutive failures, including this one. */
  readonly count: number
  /** The pause after the first failure. */
  readonly intervalMs: number
}

const classifyRunFailure = (
  error: unknown,
): Omit<ClassifiedFailure, 'code'> & { readonly code: FailureCode } =>
  error instanceof ListingLoopError || error instanceof StorageLimitError
    ? { code: error.code, reason: error.message, retryAfterMs: undefined }
    : classifyFailure(error)

/** Whether the app issues no more tokens. The renewal of the tokens has already reported it. */
export const isFinalFailure = (error: unknown): boolean =>
  error instanceof AppAuthenticationError && error.isFinal

/** Plans the retry of a failed run. */
export const planFailure = (error: unknown, { count, intervalMs }: FailureHistory): FailurePlan => {
  const { code, reason, retryAfterMs } = classifyRunFailure(error)
  const pauseMs = withJitter(
    exponentialPauseMs(intervalMs, count, Math.max(MAX_PAUSE_MS, intervalMs)),
    JITTER,
  )
  const keepProgress = count < MAX_FAILURES_PER_CURSOR
  switch (code) {
    case 'APP_AUTHENTICATION': {
      // Only a reconnection makes it due again.
      if (isFinalFailure(error))
        return { code, reason, retryInMs: Number.POSITIVE_INFINITY, keepProgress: true }
      const retryInMs = exponentialPauseMs(
        AUTHENTICATION_PAUSE_MS,
        count,
        MAX_AUTHENTICATION_PAUSE_MS,
      )
      return { code, reason, retryInMs: withJitter(retryInMs, JITTER), keepProgress: true }
    }
    case 'LIMIT_REACHED':
      return { code, reason, retryInMs: withJitter(LIMIT_PAUSE_MS, JITTER), keepProgress: true }
    case 'APP_RATE_LIMITED':
    case 'APP_UNAVAILABLE': {
      if (retryAfterMs === undefined) return { code, reason, retryInMs: pauseMs, keepProgress }
      const retryInMs = Math.max(requestedPauseMs(retryAfterMs), intervalMs)
      // A requested pause does not mean that the cursor is invalid.
      return { code, reason, retryInMs, keepProgress: true }
    }
    case 'APP_REFUSED':
    case 'LISTING_LOOP':
      // The same cursor would be rejected again, or lead into the same loop.
      return { code, reason, retryInMs: pauseMs, keepProgress: false }
    case 'APP_ADDRESS':
    case 'INTERNAL':
      return { code, reason, retryInMs: pauseMs, keepProgress }
  }
}

// Rate limits are part of an app's normal operation.
const isReported = ({ code }: StoredFailure): boolean => code !== 'APP_RATE_LIMITED'

/** Whether the failure is written to the change log: the first of its kind in a row, not each retry. */
export const isNewFailure = (failure: StoredFailure, before: StoredFailure | null): boolean =>
  isReported(failure) && failure.code !== before?.code

/** Whether a run that succeeds ends a failure that was reported. */
export const isRecovery = (before: StoredFailure | null): before is StoredFailure =>
  before !== null && isReported(before)

/** The failure that the sync state keeps: a reported one stays until its recovery is reported. */
export const failureToStore = (
  failure: StoredFailure,
  before: StoredFailure | null,
): StoredFailure => (!isReported(failure) && isRecovery(before) ? before : failure)
