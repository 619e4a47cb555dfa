/** The error codes of REST and GraphQL, each with its HTTP status and its documented meaning. */

export const errorCodes = {
  BAD_REQUEST: {
    status: 400,
    meaning:
      'The request is malformed, or the GraphQL document or its variables do not match the schema.',
  },
  INVALID_PARAMETER: {
    status: 400,
    meaning:
      'A parameter, field or argument is unknown, missing or invalid; the details name it and what was expected.',
  },
  INVALID_CURSOR: { status: 400, meaning: 'The cursor was not issued by this list.' },
  MALFORMED_BODY: { status: 400, meaning: 'The body is not valid UTF-8 JSON.' },
  QUERY_TOO_COMPLEX: {
    status: 400,
    meaning: 'The GraphQL query is too deep, too long or too costly.',
  },
  NOT_SUPPORTED: {
    status: 400,
    meaning: 'The app does not support this operation on this resource.',
  },
  FIELD_NOT_SUPPORTED: {
    status: 400,
    meaning: 'The app does not support one of the fields in the request.',
  },
  USERNAME_TAKEN: {
    status: 400,
    meaning: 'Another end user of the environment already has this username.',
  },
  CREDENTIAL_LIMIT: {
    status: 400,
    meaning:
      'The end user has reached the maximum number of credentials (MAX_CREDENTIALS_PER_USER).',
  },
  APP_REFUSED: {
    status: 400,
    meaning: 'The app rejected the request; the message contains its reason.',
  },
  PARTLY_WRITTEN: {
    status: 400,
    meaning:
      'The app applied a part of the write and rejected the rest; the details name what has changed.',
  },
  APP_AUTHENTICATION: {
    status: 400,
    meaning: 'The app rejected the credential. The end user must reconnect the app.',
  },
  OAUTH_NOT_CONFIGURED: {
    status: 400,
    meaning:
      'The environment has no OAuth client for the app, or the service has no PUBLIC_URL; the message says which.',
  },
  APP_ADDRESS: {
    status: 400,
    meaning:
      'The app is at an address to which this service does not connect, such as a private one.',
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'The API key or user token is missing, unknown, expired or revoked.',
  },
  FORBIDDEN: { status: 403, meaning: 'User tokens are not allowed to do this. Use an API key.' },
  NOT_FOUND: { status: 404, meaning: 'The path or the record does not exist.' },
  CREDENTIAL_NOT_FOUND: {
    status: 404,
    meaning: 'The credential does not exist in the environment of the API key.',
  },
  USER_NOT_FOUND: {
    status: 404,
    meaning: 'The end user does not exist in the environment of the API key.',
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path does not support this HTTP method.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.' },
  WRITE_CONFLICT: {
    status: 409,
    meaning:
      'The record has changed in the app since it was read; the details contain both versions.',
  },
  AUTHORIZATION_ENDED: {
    status: 409,
    meaning:
      'The authorization does not wait for this step: the end user has not signed in yet, or it has ended or expired.',
  },
  WRITE_IN_FLIGHT: {
    status: 409,
    meaning: 'Another write to the record is in progress. Retry after the time in Retry-After.',
  },
  IDEMPOTENCY_KEY_IN_FLIGHT: {
    status: 409,
    meaning: 'Another request with this Idempotency-Key is in progress.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    meaning:
      'Changes after the cursor, or the change of the message, have been deleted from the change log.',
  },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The Content-Type is not JSON in UTF-8, or the body is compressed.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'The Idempotency-Key was already used for a different request.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'Too many requests, or too many bytes of request bodies in flight. Retry after the time in Retry-After.',
  },
  APP_RATE_LIMITED: {
    status: 429,
    meaning: 'The app limits the rate of requests. Retry after the time in Retry-After.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'An unexpected failure of this service; find it in the log by the request id.',
  },
  APP_UNAVAILABLE: {
    status: 502,
    meaning: 'The app did not return a usable response; nothing was changed.',
  },
  WRITE_OUTCOME_UNKNOWN: {
    status: 502,
    meaning:
      'The connection to the app broke during a write, which may have been applied. Send it again with the same Idempotency-Key: its outcome is looked up first.',
  },
  RESUME: {
    status: 503,
    meaning:
      'The subscriber was too slow. Subscribe again after the cursor in the extensions of the error.',
  },
  NOT_READY: {
    status: 503,
    meaning:
      'The database is unreachable, overloaded, out of disk space or too slow, or the process is stopping or has reached its limit of open connections or of request bodies in flight.',
  },
} as const

export type ErrorCode = keyof typeof errorCodes

/**
 * The codes of failures that a person can resolve, such as a value that the app rejects. A GraphQL mutation returns
 * them in the `userErrors` of its payload; all others are top-level errors. INVALID_PARAMETER is a user error only
 * if it is about fields of `input`.
 */
export const userErrorCodes = [
  'INVALID_PARAMETER',
  'NOT_SUPPORTED',
  'FIELD_NOT_SUPPORTED',
  'USERNAME_TAKEN',
  'CREDENTIAL_LIMIT',
  'APP_REFUSED',
  'PARTLY_WRITTEN',
  'APP_AUTHENTICATION',
  'APP_ADDRESS',
  'WRITE_CONFLICT',
  'AUTHORIZATION_ENDED',
] as const satisfies readonly ErrorCode[]

export type UserErrorCode = (typeof userErrorCodes)[number]

/** A problem with one field, parameter or argument. */
export interface ErrorDetail {
  readonly field: string
  readonly expected: string
  /** Of a write conflict: the value in the store, and the value in the app. */
  readonly stored?: unknown
  readonly current?: unknown
}

interface ApiErrorOptions {
  /** The time after which the same request may succeed. */
  readonly retryAfterMs?: number | undefined
  /** Only for the log; never sent to the caller. */
  readonly cause?: unknown
}

/** A failure that is reported to the caller as it is: its message contains no secret and no raw body. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  /** The time after which the same request may succeed; sent as Retry-After. */
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

/** An `INVALID_PARAMETER` error that names the field and the expected value. */
export const invalidParameter = (field: string, expected: string): ApiError =>
  new ApiError('INVALID_PARAMETER', `${field}: expected ${expected}.`, [{ field, expected }])

/** A `NOT_FOUND` error for a record: its `name` is that of the resource, such as `vendor`. */
export const recordNotFound = (name: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `No ${name} of this credential has this id. Pass the id of a stored record, either this service's or the app's.`,
  )

/** The JSON body of a REST error response. */
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

/** The end of a subscription that did not keep up. A new one after the cursor continues without a gap. */
export class ResumeError extends ApiError {
  readonly cursor: string

  constructor(cursor: string) {
    super(
      'RESUME',
      'The subscriber did not keep up. Subscribe again after the cursor in this error.',
    )
    this.cursor = cursor
  }
}
