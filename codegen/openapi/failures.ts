/** The failures of the read operations. */
import {
  ApiError,
  type ErrorCode,
  errorBody,
  errorCodes,
  invalidParameter,
} from '../../src/errors.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

const responseNames = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  404: 'NotFound',
  500: 'Internal',
  503: 'NotReady',
} as const

/** What a read over REST can fail with. */
const readCodes: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'INVALID_PARAMETER',
  'INVALID_CURSOR',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
  'INTERNAL',
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
    ...closedObject({
      field: { type: 'string', description: 'Its name.' },
      expected: { type: 'string', description: 'What it takes.' },
    }),
  },
}

const statuses = Object.keys(responseNames).map(Number) as (keyof typeof responseNames)[]

const exampleOf = (code: ErrorCode) =>
  errorBody(
    code === 'INVALID_PARAMETER'
      ? invalidParameter('pageSize', `a whole number from 1 to ${MAX_PAGE_SIZE}`)
      : new ApiError(code, errorCodes[code].meaning),
    '1d3f9a52-7c1e-4b8a-8f3e-2a6c5d4e9b10',
  )

const failure = (status: number): JsonSchema => {
  const codes = readCodes.filter((code) => errorCodes[code].status === status)
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
    headers: { 'x-request-id': refTo('headers', 'x-request-id') },
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

export const failureResponses: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  statuses.map((status) => [responseNames[status], failure(status)]),
)

/** The `responses` of an operation for these statuses. */
export const failures = (
  ...answered: readonly (keyof typeof responseNames)[]
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(answered.map((status) => [status, refTo('responses', responseNames[status])]))
