/** Every failure that a caller can meet: one code, one HTTP status, for REST and GraphQL alike. */

export const errorCodes = {
  BAD_REQUEST: {
    status: 400,
    meaning:
      'The request is not well formed, or the GraphQL document or its variables do not fit the schema.',
  },
  INVALID_PARAMETER: {
    status: 400,
    meaning: 'A parameter, field or argument is unknown, missing or of another form.',
  },
  INVALID_CURSOR: { status: 400, meaning: 'The cursor is not one that this list gave out.' },
  MALFORMED_BODY: { status: 400, meaning: 'The body is not JSON in UTF-8.' },
  QUERY_TOO_COMPLEX: {
    status: 400,
    meaning: 'The GraphQL query is too deep, too long or too costly.',
  },
  NOT_SUPPORTED: { status: 400, meaning: 'The app does not do this to records of this resource.' },
  FIELD_NOT_SUPPORTED: { status: 400, meaning: 'The app cannot take a field that was given.' },
  USERNAME_TAKEN: { status: 400, meaning: 'Another end user of the environment has the username.' },
  APP_REFUSED: { status: 400, meaning: 'The app refused the request, for the reason it gives.' },
  PARTLY_WRITTEN: {
    status: 400,
    meaning:
      'The app took a part of the write and refused the rest; the details name what has changed.',
  },
  APP_AUTHENTICATION: {
    status: 400,
    meaning: 'The app does not accept the credential: the end user must connect it anew.',
  },
  APP_ADDRESS: {
    status: 400,
    meaning: 'The app is at an address that this service does not connect to.',
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'The API key or user token is missing, unknown, expired or revoked.',
  },
  FORBIDDEN: { status: 403, meaning: 'A user token does not open this; an API key does.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such address or record.' },
  CREDENTIAL_NOT_FOUND: {
    status: 404,
    meaning: 'The environment of the key has no such credential.',
  },
  USER_NOT_FOUND: { status: 404, meaning: 'The environment of the key has no such end user.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The address does not take this method.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.' },
  WRITE_CONFLICT: {
    status: 409,
    meaning: 'The record changed in the app since it was read; the details hold both versions.',
  },
  WRITE_IN_FLIGHT: {
    status: 409,
    meaning: 'Another write to the record is still under way; Retry-After says when to try again.',
  },
  IDEMPOTENCY_KEY_IN_FLIGHT: {
    status: 409,
    meaning: 'A request with this Idempotency-Key is still under way.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    meaning:
      'The change log no longer keeps all that follows the cursor, or the change of the message.',
  },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not declared as JSON, in UTF-8 and not compressed.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'The Idempotency-Key was used for another request.',
  },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; Retry-After says when to go on.' },
  APP_RATE_LIMITED: {
    status: 429,
    meaning: 'The app takes no more requests now; Retry-After says when it does.',
  },
  INTERNAL: { status: 500, meaning: 'Something failed here; the log has the request id.' },
  APP_UNAVAILABLE: { status: 502, meaning: 'The app gave no usable answer; nothing was changed.' },
  WRITE_OUTCOME_UNKNOWN: {
    status: 502,
    meaning:
      'A write was broken off and may have happened. Send it again with the same Idempotency-Key: what became of it is looked up first.',
  },
  RESUME: {
    status: 503,
    meaning: 'The subscription was too slow: subscribe again after the cursor beside this code.',
  },
  NOT_READY: {
    status: 503,
    meaning:
      'The database is away or does not answer in time, or the process is stopping or has as many connections open as it takes.',
  },
} as const

export type ErrorCode = keyof typeof errorCodes

/** What is wrong with one field, parameter or argument. */
export interface ErrorDetail {
  readonly field: string
  readonly expected: string
  /** Of a write: the value that is stored here, and the one that the app has. */
  readonly stored?: unknown
  readonly current?: unknown
}

interface ApiErrorOptions {
  /** When the same request may succeed. */
  readonly retryAfterMs?: number | undefined
  /** For the log alone. */
  readonly cause?: unknown
}

/** A failure that is told to the caller as it is: its message holds no secret and no raw body. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  /** When the same request may succeed; told as Retry-After. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details: readonly ErrorDetail[] = [],
    { retryAfterMs, ...options }: ApiErrorOptions = {},
  ) {
    super(message, options)
    this.code = code
    this.details = details
    this.retryAfterMs = retryAfterMs
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}

/** Input that names a field and what was expected of it. */
export const invalidParameter = (field: string, expected: string): ApiError =>
  new ApiError('INVALID_PARAMETER', `${field}: expected ${expected}.`, [{ field, expected }])

/** The JSON that a REST caller gets of an error. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode
    readonly message: string
    readonly details?: readonly ErrorDetail[]
    readonly requestId: string
  }
}

export const errorBody = (error: ApiError, requestId: string): ErrorBody => ({
  error: {
    code: error.code,
    message: error.message,
    ...(error.details.length > 0 && { details: error.details }),
    requestId,
  },
})

/** The end of a subscription that did not keep up: it goes on, without a gap, after the cursor. */
export class ResumeError extends ApiError {
  readonly cursor: string

  constructor(cursor: string) {
    super('RESUME', 'The subscription did not keep up. Subscribe again after the cursor.')
    this.cursor = cursor
  }
}
