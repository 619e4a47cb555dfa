/** Error responses of operations, by status. */
import {
  ApiError,
  type ErrorCode,
  errorBody,
  errorCodes,
  invalidParameter,
} from '../../src/errors.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'
import { commonHeaders } from './success-response.ts'

const responseNames = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'BodyTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'Internal',
  502: 'BadGateway',
  503: 'NotReady',
} as const

/** The error codes of a read over REST. */
export const readCodes: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'INVALID_PARAMETER',
  'INVALID_CURSOR',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
  'INTERNAL',
  'NOT_READY',
]

/** The additional error codes of a request that accepts an Idempotency-Key. */
export const repeatCodes: readonly ErrorCode[] = [
  'IDEMPOTENCY_KEY_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
]

/** The additional error codes of a request that may have a body, even if the operation ignores it. */
export const bodyCodes: readonly ErrorCode[] = [
  'MALFORMED_BODY',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** The error codes of a write over REST. */
export const writeCodes: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'INVALID_PARAMETER',
  ...bodyCodes,
  'NOT_SUPPORTED',
  'FIELD_NOT_SUPPORTED',
  'APP_REFUSED',
  'PARTLY_WRITTEN',
  'APP_AUTHENTICATION',
  'APP_ADDRESS',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
  'WRITE_CONFLICT',
  'WRITE_IN_FLIGHT',
  ...repeatCodes,
  'RATE_LIMITED',
  'APP_RATE_LIMITED',
  'INTERNAL',
  'APP_UNAVAILABLE',
  'WRITE_OUTCOME_UNKNOWN',
  'NOT_READY',
]

const message = { type: 'string', description: 'Description of the error, for people.' }

export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'An error.',
    ...closedObject({
      error: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            enum: Object.keys(errorCodes),
            description: 'Code of the error, for programs.',
          },
          message,
          details: {
            type: 'array',
            description: 'The invalid fields or parameters.',
            items: refTo('schemas', 'ErrorDetail'),
          },
          requestId: {
            type: 'string',
            description: 'The id of the request, also in the header x-request-id.',
          },
        },
        required: ['code', 'message', 'requestId'],
        additionalProperties: false,
      },
    }),
  },
  ErrorDetail: {
    description: 'An invalid field or parameter.',
    type: 'object',
    properties: {
      field: { type: 'string', description: 'Path of the field or name of the parameter.' },
      expected: { type: 'string', description: 'The expected value.' },
      stored: {
        description: 'With WRITE_CONFLICT or PARTLY_WRITTEN: the value stored before the write.',
      },
      current: {
        description: 'With WRITE_CONFLICT or PARTLY_WRITTEN: the current value in the app.',
      },
    },
    required: ['field', 'expected'],
    additionalProperties: false,
  },
}

type Status = keyof typeof responseNames

// Safe: the keys of `responseNames`, which are strings at runtime.
const statuses = Object.keys(responseNames).map(Number) as Status[]

const exampleOf = (code: ErrorCode) =>
  errorBody(
    code === 'INVALID_PARAMETER'
      ? invalidParameter('pageSize', `a whole number from 1 to ${MAX_PAGE_SIZE}`)
      : new ApiError(code, errorCodes[code].meaning),
    '1d3f9a52-7c1e-4b8a-8f3e-2a6c5d4e9b10',
  )

const codesOf = (codes: readonly ErrorCode[], status: number): ErrorCode[] =>
  codes.filter((code) => errorCodes[code].status === status)

/** The additional headers of error responses, by status. */
const headersOf: ReadonlyMap<number, readonly string[]> = new Map([
  [400, ['Idempotency-Replayed']],
  [401, ['WWW-Authenticate']],
  [403, ['Idempotency-Replayed']],
  [404, ['Idempotency-Replayed']],
  [409, ['Retry-After', 'Idempotency-Replayed']],
  [422, ['Idempotency-Replayed']],
  [429, ['Retry-After']],
  [502, ['Retry-After']],
  [503, ['Retry-After']],
])

const failureSchema = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
  headers: Object.fromEntries(
    [
      ...commonHeaders,
      ...codes.flatMap((code) => headersOf.get(errorCodes[code].status) ?? []),
    ].map((name) => [name, refTo('headers', name)]),
  ),
  content: {
    'application/json': {
      schema: refTo('schemas', 'Error'),
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
    },
  },
})

/**
 * The component name of a response: `NotFound` for the codes of a read, otherwise
 * `NotFound.USER_NOT_FOUND`.
 */
const responseName = (status: Status, codes: readonly ErrorCode[]): string =>
  codes.join() === codesOf(readCodes, status).join()
    ? responseNames[status]
    : [responseNames[status], ...codes].join('.')

/** The error responses for these codes, with status and component name. */
const nameResponses = (codes: readonly ErrorCode[]) =>
  statuses.flatMap((status) => {
    const own = codesOf(codes, status)
    return own.length === 0
      ? []
      : [{ status, name: responseName(status, own), response: failureSchema(own) }]
  })

/** The response components of reads, writes and the operations with these codes. */
export const failureResponses = (
  others: readonly (readonly ErrorCode[])[],
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    [readCodes, writeCodes, ...others].flatMap((codes) =>
      nameResponses(codes).map(({ name, response }) => [name, response] as const),
    ),
  )

/** The error `responses` of an operation with these codes. */
export const failuresOf = (codes: readonly ErrorCode[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    nameResponses(codes).map(({ status, name }) => [status, refTo('responses', name)]),
  )

/** The error `responses` of a read with these statuses. */
export const failures = (...selected: readonly Status[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(selected.map((status) => [status, refTo('responses', responseNames[status])]))
