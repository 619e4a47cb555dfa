/** From anything thrown to the error that the caller is told; the unexpected is masked, once. */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../errors.ts'
import { isDatabaseAway } from '../store/database.ts'

/** Fastify's own failures, by their code. */
const framework: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is too large.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['MALFORMED_BODY', 'The body is not JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['MALFORMED_BODY', 'The body is empty; JSON was expected.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'MALFORMED_BODY',
    'Content-Length is not the body’s length.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected JSON.'],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The address is not well formed.'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'There is nothing at this address.'],
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

interface ToldFailure {
  readonly error: ApiError
  /** Whether it is known why; if not, what was thrown is for the log. */
  readonly expected: boolean
}

/**
 * The error to tell. `request`: the one that was being read, if it was, for a caller may hang up in the
 * middle of it.
 */
export const toApiError = (error: unknown, request?: FastifyRequest): ToldFailure => {
  if (error instanceof ApiError) return { error, expected: true }
  if (error instanceof Error && error === request?.raw.errored)
    return { error: new ApiError('MALFORMED_BODY', 'The body ended early.'), expected: true }
  const code = codeOf(error)
  const known = code === undefined ? undefined : framework[code]
  if (known) return { error: new ApiError(...known), expected: true }
  if (isDatabaseAway(error))
    return { error: new ApiError('NOT_READY', 'The database is away; try again.'), expected: false }
  return { error: new ApiError('INTERNAL', 'Something failed here.'), expected: false }
}

/** Writes down a failure that is no mistake of the caller's. */
export const logFailure = (
  log: FastifyBaseLogger,
  requestId: string,
  thrown: unknown,
  { error, expected }: ToldFailure = toApiError(thrown),
): void => {
  if (!expected) log.error({ err: thrown, requestId }, 'unexpected failure')
  // That a reader was too slow is its own affair.
  else if (error.status >= 500 && error.code !== 'RESUME')
    log.warn({ err: error, requestId }, 'a request could not be answered')
}
