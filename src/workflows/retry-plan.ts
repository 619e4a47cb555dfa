/** Plans the retry of a failed attempt: whether and when it starts, and which other runs wait for it. */
import { isGoneStatus } from '../definition/http-status.ts'
import { storableText } from '../definition/value.ts'
import { ApiError } from '../errors.ts'
import { AppRefusedError } from '../outbound/app-error.ts'
import { exponentialPauseMs, requestedPauseMs, withJitter } from '../outbound/backoff.ts'
import { classifyFailure } from '../outbound/classify-failure.ts'
import { ExchangeError } from '../outbound/exchange.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const MAX_PAUSE_MS = 4 * HOUR_MS
const JITTER = [0.8, 1.2] as const
const MAX_FAILURE_LENGTH = 500

/** The limits of all attempts of a run. */
export interface RetryLimits {
  readonly maxAttempts: number
  readonly giveUpAfterMs: number
  /** The pause before the second attempt. It doubles with each attempt, up to 4 h. */
  readonly firstPauseMs: number
}

/** The default limits: 30 attempts within 3 days. */
export const defaultLimits: RetryLimits = {
  // 30 attempts that double from 5 s to 4 h fill three days.
  maxAttempts: 30,
  giveUpAfterMs: 3 * 24 * HOUR_MS,
  firstPauseMs: 5 * SECOND_MS,
}

/** A workflow cannot be performed, and a retry cannot help. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError'
  readonly code: 'NO_CREDENTIAL' | 'NOT_ACTIVE' | 'DEFINITION_INVALID'

  constructor(code: WorkflowError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** An endpoint responded with a status other than 2xx. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly code = 'ENDPOINT_FAILED'
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`the endpoint responded with ${status}`)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** An attempt exceeded its time limit. */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError'
  readonly code = 'TIMEOUT'
}

/** The consequences of a failed attempt. */
export interface RetryPlan {
  readonly code: string
  /** The failure that the run keeps: `APP_REFUSED: …`. */
  readonly failure: string
  /** Undefined if there is no further attempt. */
  readonly retryInMs: number | undefined
  /** Which runs wait for the retry: all of the workflow for the `target`, or only later ones of the `record`. */
  readonly concerns: 'target' | 'record'
  /** Whether the attempt may have changed the app, so that the next one must check. */
  readonly isUncertain: boolean
}

interface AttemptFailure {
  readonly code: string
  readonly reason: string
  readonly isFinal: boolean
  readonly concerns: RetryPlan['concerns']
  readonly retryAfterMs?: number | undefined
}

/** Codes of failures that every retry would repeat. */
const finalCodes = new Set([
  'INVALID_PARAMETER',
  'NOT_SUPPORTED',
  'FIELD_NOT_SUPPORTED',
  'APP_REFUSED',
  'PARTLY_WRITTEN',
  'APP_ADDRESS',
  'NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
])

/** Codes of failures that other records would also cause. */
const targetCodes = new Set(['APP_AUTHENTICATION', 'APP_RATE_LIMITED', 'APP_UNAVAILABLE'])

/** Whether an endpoint would reject any request now, not only this one (RFC 9110, sections 15.5 and 15.6). */
const isOverloaded = (status: number): boolean => status === 429 || status >= 500

/** Codes of failures with a known outcome: as a rule, nothing has changed. */
const knownOutcomeCodes = new Set([
  ...finalCodes,
  ...targetCodes,
  'WRITE_CONFLICT',
  'WRITE_IN_FLIGHT',
  'NOT_READY',
])

const concernsOf = (code: string): RetryPlan['concerns'] =>
  targetCodes.has(code) ? 'target' : 'record'

const classifyAttemptFailure = (error: unknown): AttemptFailure => {
  if (error instanceof WorkflowError)
    return { code: error.code, reason: error.message, isFinal: true, concerns: 'record' }
  if (error instanceof EndpointError) {
    const { code, message: reason, status, retryAfterMs } = error
    const concerns = isOverloaded(status) ? 'target' : 'record'
    return { code, reason, isFinal: isGoneStatus(status), concerns, retryAfterMs }
  }
  if (error instanceof ExchangeError) {
    const isFinal = error.problem === 'forbidden-address'
    return { code: 'ENDPOINT_FAILED', reason: error.message, isFinal, concerns: 'target' }
  }
  if (error instanceof AttemptTimeoutError)
    return { code: error.code, reason: error.message, isFinal: false, concerns: 'record' }
  if (error instanceof ApiError) {
    const { code, message: reason, retryAfterMs } = error
    return { code, reason, isFinal: finalCodes.has(code), concerns: concernsOf(code), retryAfterMs }
  }
  const classified = classifyFailure(error)
  const isConflict = error instanceof AppRefusedError && error.kind === 'conflict'
  const isFinal = finalCodes.has(classified.code) && !isConflict
  return { ...classified, isFinal, concerns: concernsOf(classified.code) }
}

/** Plans the retry of attempt number `attempts`, which failed `ageMs` after the first began. */
export const planRetry = (
  error: unknown,
  { attempts, ageMs }: { readonly attempts: number; readonly ageMs: number },
  limits: RetryLimits,
): RetryPlan => {
  const { code, reason, isFinal, concerns, retryAfterMs } = classifyAttemptFailure(error)
  const pauseMs = withJitter(
    exponentialPauseMs(limits.firstPauseMs, attempts, MAX_PAUSE_MS),
    JITTER,
  )
  const retryInMs = Math.max(pauseMs, requestedPauseMs(retryAfterMs))
  const isOver =
    isFinal || attempts >= limits.maxAttempts || ageMs + retryInMs > limits.giveUpAfterMs
  return {
    code,
    failure: storableText(`${code}: ${reason}`, MAX_FAILURE_LENGTH),
    retryInMs: isOver ? undefined : retryInMs,
    concerns,
    isUncertain: !knownOutcomeCodes.has(code),
  }
}
