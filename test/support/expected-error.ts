/** What every error response promises: a code with its status, a documented form, the request id. */
import { expect } from 'vitest'
import { type ErrorCode, errorCodes } from '../../src/errors.ts'
import { restErrorOf, type UserError } from './user-errors.ts'

export interface ErrorResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface Expected {
  readonly code: ErrorCode
  /** The parameter, argument or field that the error names. */
  readonly field?: string | undefined
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCodes, code)

interface ErrorContent {
  readonly code: ErrorCode
  readonly message: string
  readonly fields: readonly string[]
}

const readDetails = (details: unknown): string[] => {
  if (details === undefined) return []
  expect(details).toEqual(
    expect.arrayContaining([{ field: expect.any(String), expected: expect.any(String) }]),
  )
  return (details as readonly { field: string }[]).map(({ field }) => field)
}

/** The payload of the only mutation of a response; undefined for any other response. */
const payloadIn = (body: string): { readonly userErrors: readonly UserError[] } | undefined => {
  const [payload] = Object.values(Object(JSON.parse(body)).data ?? {})
  return Object(payload).userErrors && payload
}

/** Checks the form of user errors: a payload without a result. @returns their content */
const readUserErrors = (
  { statusCode, body }: ErrorResponse,
  description: string,
): ErrorContent | undefined => {
  const { userErrors = [], ...results } = payloadIn(body) ?? {}
  const error = restErrorOf(userErrors)
  if (error === undefined) return undefined
  expect([statusCode, Object.keys(JSON.parse(body))], description).toEqual([200, ['data']])
  expect(Object.values(results), description).toEqual([null])
  return {
    code: error.code,
    message: error.message,
    fields: error.details.map(({ field }) => field),
  }
}

/** Checks the form of an error response, or of user errors. @returns its content */
export const readError = (response: ErrorResponse, hint = ''): ErrorContent => {
  const { statusCode, headers, body } = response
  const description = `${hint}\n${statusCode} ${body.slice(0, 500)}`
  const userErrors = readUserErrors(response, description)
  if (userErrors) return userErrors
  expect(statusCode, description).toBeGreaterThanOrEqual(400)
  expect(statusCode, description).toBeLessThan(500)
  expect(String(headers['content-type']), description).toMatch(
    /^application\/(graphql-response\+)?json; charset=utf-8$/,
  )
  const requestId = headers['x-request-id']
  expect(requestId, description).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const parsed = JSON.parse(body)
  // GraphQL has its own form for errors; everything else has the contract's object.
  const { code, message, details, ...rest } =
    'errors' in parsed
      ? { message: parsed.errors[0].message, ...parsed.errors[0].extensions }
      : parsed.error
  expect(rest, description).toEqual({ requestId })
  expect(typeof message, description).toBe('string')
  if (!isErrorCode(code)) throw new TypeError(`${code} is not a documented code: ${description}`)
  expect(errorCodes[code].status, description).toBe(statusCode)
  if ('errors' in parsed) {
    const { locations, path, ...error } = parsed.errors[0]
    expect(Object.keys(error).sort(), description).toEqual(['extensions', 'message'])
    const { errors: _errors, data, ...others } = parsed
    expect(others, description).toEqual({})
    expect(
      Object.values(data ?? {}).every((value) => value === null),
      description,
    ).toBe(true)
  } else expect(Object.keys(parsed), description).toEqual(['error'])
  return { code, message, fields: readDetails(details) }
}

/** Checks that a response is the expected error. */
export const expectError = (
  response: ErrorResponse,
  { code, field }: Expected,
  hint = '',
): void => {
  const errorContent = readError(response, hint)
  expect(errorContent.code, `${hint}\n${response.body.slice(0, 500)}`).toBe(code)
  if (field !== undefined)
    expect(
      // Where GraphQL itself reports the error, the message names the variable or the argument.
      errorContent.fields.includes(field) || errorContent.message.includes(field),
      `${hint} names ${field}\n${response.body.slice(0, 500)}`,
    ).toBe(true)
}
