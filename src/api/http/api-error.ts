/** Converts anything thrown to the error that the caller receives; unexpected errors are masked. */
import type { FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Log } from '../../log.ts'
import {
  type TemporaryFailure,
  temporaryFailureOf,
} from '../../store/database/temporary-failure.ts'
import { redactSecrets } from './redaction.ts'

const MIB = 1024 * 1024

/** The API errors for Fastify's error codes. */
const frameworkErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['MALFORMED_BODY', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['MALFORMED_BODY', 'The body is empty. Send JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'MALFORMED_BODY',
    'Content-Length does not match the length of the body.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'Content-Type: expected application/json.',
  ],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The URL is malformed.'],
  FST_ERR_MAX_PARAM_LENGTH: [
    'NOT_FOUND',
    'No route matches this URL. The routes are listed at /docs.',
  ],
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** The error for a temporary failure of the database: 503 with Retry-After. */
export const notReady = ({ message, retryAfterMs }: TemporaryFailure): ApiError =>
  new ApiError('NOT_READY', message, [], { retryAfterMs })

/** The value of Retry-After: whole seconds, at least 1. */
export const retryAfterSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

interface ReportedError {
  readonly error: ApiError
  /** Whether the cause is known; otherwise the thrown value is logged. */
  readonly expected: boolean
}

/**
 * The API error for a thrown value. `request`: the request that was being read, to recognize one that the
 * client aborted.
 */
export const toApiError = (error: unknown, request?: FastifyRequest): ReportedError => {
  if (error instanceof ApiError) return { error, expected: true }
  if (error instanceof Error && error === request?.raw.errored)
    return {
      error: new ApiError('MALFORMED_BODY', 'The connection closed before the whole body arrived.'),
      expected: true,
    }
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = (request?.routeOptions.bodyLimit ?? MIB) / MIB
    const message = `The body is larger than ${limit} MiB.`
    return { error: new ApiError('BODY_TOO_LARGE', message), expected: true }
  }
  const frameworkError = code === undefined ? undefined : frameworkErrors[code]
  if (frameworkError) return { error: new ApiError(...frameworkError), expected: true }
  const temporary = temporaryFailureOf(error)
  if (temporary) return { error: notReady(temporary), expected: false }
  return {
    error: new ApiError('INTERNAL', 'Internal error. The log has the details under the requestId.'),
    expected: false,
  }
}

/**
 * Logs unexpected errors as errors and other 5xx responses as warnings.
 * @param origin the sender of the request
 */
export const logFailure = (
  log: Log,
  origin: object,
  thrown: unknown,
  { error, expected }: ReportedError = toApiError(thrown),
): void => {
  const { code, status, message, cause } = error
  if (!expected) log.error({ ...origin, code, err: thrown }, 'unexpected error')
  // RESUME is caused by a slow client, not by this service.
  else if (status >= 500 && code !== 'RESUME') {
    const reason = redactSecrets(message)
    const root = cause instanceof Error && { cause: redactSecrets(cause.message) }
    log.warn({ ...origin, code, reason, ...root }, 'request failed')
  }
}
