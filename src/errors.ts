/** Every failure that a caller can meet: one code, one HTTP status, for REST and GraphQL alike. */

export const errorStatus = {
  BAD_REQUEST: 400,
  INVALID_PARAMETER: 400,
  INVALID_CURSOR: 400,
  MALFORMED_BODY: 400,
  QUERY_TOO_COMPLEX: 400,
  UNAUTHENTICATED: 401,
  NOT_FOUND: 404,
  CREDENTIAL_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL: 500,
  NOT_READY: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

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
    return errorStatus[this.code]
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
