/** Every failure that a caller can meet: one code, one HTTP status, for REST and GraphQL alike. */

export const errorCodes = {
  BAD_REQUEST: { status: 400, meaning: 'The request or the GraphQL document is not well formed.' },
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
  UNAUTHENTICATED: { status: 401, meaning: 'The API key is missing, unknown or revoked.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such address or record.' },
  CREDENTIAL_NOT_FOUND: {
    status: 404,
    meaning: 'The environment of the key has no such credential.',
  },
  USER_NOT_FOUND: { status: 404, meaning: 'The environment of the key has no such end user.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The address does not take this method.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not declared as JSON.' },
  INTERNAL: { status: 500, meaning: 'Something failed here; the log has the request id.' },
  NOT_READY: { status: 503, meaning: 'The database is away.' },
} as const

export type ErrorCode = keyof typeof errorCodes

/** What is wrong with one field, parameter or argument. */
export interface ErrorDetail {
  readonly field: string
  readonly expected: string
}

/** A failure that is told to the caller as it is: its message holds no secret and no raw body. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]

  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message)
    this.code = code
    this.details = details
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
