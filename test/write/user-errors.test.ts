/** Which failures of a mutation are user errors, and what these contain. */
import { isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { userErrorsOf } from '../../src/api/graphql/user-errors.ts'
import { ApiError, type ErrorCode, errorCodes, userErrorCodes } from '../../src/errors.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { updatableFields } from '../../src/query/write-request.ts'
import { order } from '../../src/resources/commerce/order.ts'

const input = updatableFields(order)
const isUserError = (code: ErrorCode): boolean =>
  userErrorCodes.some((userErrorCode) => userErrorCode === code)
const nothing = { field: null, expected: null, stored: null, current: null }

test.each(Object.keys(errorCodes) as ErrorCode[])(
  '%s is a user error only if a person can resolve it',
  (code) => {
    const details = [{ field: 'lineItems[0].price', expected: 'a number' }]
    const userErrors = userErrorsOf(new ApiError(code, 'Why.', details), input)
    expect(userErrors).toEqual(
      isUserError(code)
        ? [
            {
              ...nothing,
              code,
              message: 'Why.',
              field: ['input', 'lineItems', '0', 'price'],
              expected: 'a number',
            },
          ]
        : undefined,
    )
  },
)

test('every mutation returns a payload of its own: a nullable result and its user errors', () => {
  const mutations = Object.values(buildSchema(catalogue).getMutationType()?.getFields() ?? {})
  expect(mutations.length).toBeGreaterThan(80)
  for (const { name, type } of mutations) {
    expect(String(type)).toBe(`${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`)
    const { userErrors, ...results } = isObjectType(type) ? type.getFields() : {}
    expect(String(userErrors?.type), name).toBe('[UserError!]!')
    const [result, ...others] = Object.values(results)
    expect(String(result?.type), name).not.toMatch(/!$/)
    expect([result?.name === 'data', others], name).toEqual([false, []])
  }
})

test('an error about no field has no path', () => {
  expect(userErrorsOf(new ApiError('APP_REFUSED', 'No.'), input)).toEqual([
    { ...nothing, code: 'APP_REFUSED', message: 'No.' },
  ])
})

test('a field of the record that the mutation does not take has a path without input', () => {
  const details = [{ field: 'updatedAt', expected: 'that of the caller', current: 'now' }]
  const [error] = userErrorsOf(new ApiError('WRITE_CONFLICT', 'Stale.', details), input) ?? []
  expect(error).toMatchObject({ field: ['updatedAt'], stored: null, current: 'now' })
})

test('several invalid fields are one error each', () => {
  const details = ['currency', 'totalTax'].map((field) => ({ field, expected: 'a value' }))
  const error = new ApiError('INVALID_PARAMETER', 'currency: … See details for 1 more.', details)
  expect(userErrorsOf(error, input)?.map(({ field, message }) => [field, message])).toEqual([
    [['input', 'currency'], 'currency: expected a value.'],
    [['input', 'totalTax'], 'totalTax: expected a value.'],
  ])
})

test.each([
  ['an argument', [{ field: 'ifUpdatedAt', expected: 'a time' }]],
  ['an argument and an input field', ['id', 'currency'].map((field) => ({ field, expected: 'x' }))],
  ['no field', []],
])('an invalid parameter is a top-level error if it is about %s', (_what, details) => {
  expect(userErrorsOf(new ApiError('INVALID_PARAMETER', 'No.', details), input)).toBeUndefined()
})

test('an unexpected exception is a top-level error', () => {
  expect(userErrorsOf(new TypeError('undefined is not a function'), input)).toBeUndefined()
})
