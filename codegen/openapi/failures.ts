/** The failures of operations: what each can be answered instead, by status. */
import {
  ApiError,
  type ErrorCode,
  errorBody,
  errorCodes,
  invalidParameter,
} from '../../src/errors.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { headersOfAll } from './answer.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

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

/** What a read over REST can fail with. */
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

/** What a request that can be repeated with its Idempotency-Key can fail with beside all else. */
export const repeatCodes: readonly ErrorCode[] = [
  'IDEMPOTENCY_KEY_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
]

/** What a request that may have a body can fail with, also one of an operation that takes none. */
export const bodyCodes: readonly ErrorCode[] = [
  'MALFORMED_BODY',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** What a write over REST can fail with. */
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

const message = { type: 'string', description: 'What is wrong, for people.' }

export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'A failure.',
    ...closedObject({
      error: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            enum: Object.keys(errorCodes),
            description: 'What is wrong, for programs.',
          },
          message,
          details: {
            type: 'array',
            description: 'The fields or parameters that are wrong.',
            items: refTo('schemas', 'ErrorDetail'),
          },
          requestId: {
            type: 'string',
            description: 'Identifier of the request, also in the header x-request-id.',
          },
        },
        required: ['code', 'message', 'requestId'],
        additionalProperties: false,
      },
    }),
  },
  ErrorDetail: {
    description: 'What is wrong with one field or parameter.',
    type: 'object',
    properties: {
      field: { type: 'string', description: 'Its name.' },
      expected: { type: 'string', description: 'What it takes.' },
      stored: {
        description: 'Of a WRITE_CONFLICT or PARTLY_WRITTEN: the value that was stored here.',
      },
      current: { description: 'The value that the app has now.' },
    },
    required: ['field', 'expected'],
    additionalProperties: false,
  },
}

type Status = keyof typeof responseNames

// The numbers above, which an object keeps as texts.
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

/** What failures of some statuses say beside: how to authenticate, when to come again. */
const headersOf: ReadonlyMap<number, readonly string[]> = new Map([
  [400, ['Idempotency-Replayed']],
  [401, ['WWW-Authenticate']],
  [403, ['Idempotency-Replayed']],
  [404, ['Idempotency-Replayed']],
  [409, ['Retry-After', 'Idempotency-Replayed']],
  [422, ['Idempotency-Replayed']],
  [429, ['Retry-After']],
  [502, ['Retry-After']],
])

const failure = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
  headers: Object.fromEntries(
    [...headersOfAll, ...codes.flatMap((code) => headersOf.get(errorCodes[code].status) ?? [])].map(
      (name) => [name, refTo('headers', name)],
    ),
  ),
  content: {
    'application/json': {
      schema: refTo('schemas', 'Error'),
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
    },
  },
})

/** `NotFound` of a read; of other codes with their names: `NotFound.USER_NOT_FOUND`. */
const responseName = (status: Status, codes: readonly ErrorCode[]): string =>
  codes.join() === codesOf(readCodes, status).join()
    ? responseNames[status]
    : [responseNames[status], ...codes].join('.')

/** What can be answered with these codes: for each status the name of its response, and the response. */
const named = (codes: readonly ErrorCode[]) =>
  statuses.flatMap((status) => {
    const own = codesOf(codes, status)
    return own.length === 0
      ? []
      : [{ status, name: responseName(status, own), response: failure(own) }]
  })

/** The responses that operations with these codes refer to, beside those of reads. */
export const failureResponses = (
  others: readonly (readonly ErrorCode[])[],
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    [readCodes, writeCodes, ...others].flatMap((codes) =>
      named(codes).map(({ name, response }) => [name, response] as const),
    ),
  )

/** The `responses` of an operation that can fail with these codes. */
export const failuresOf = (codes: readonly ErrorCode[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(named(codes).map(({ status, name }) => [status, refTo('responses', name)]))

/** The `responses` of a read for these statuses. */
export const failures = (...answered: readonly Status[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(answered.map((status) => [status, refTo('responses', responseNames[status])]))
