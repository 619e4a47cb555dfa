/** The API errors of writes that a connector rejects. */
import { expect, test } from 'vitest'
import { missingValue, WriteRejection } from '../../src/definition/connector.ts'
import { writeFailure } from '../../src/write/write-failure.ts'

const failureOf = (error: WriteRejection) =>
  writeFailure({ status: 'refused', error }, 'Ledger', () => undefined)

test('a missing value is an invalid parameter, with the field and the reason', () => {
  expect(failureOf(missingValue('Ledger requires a currency.', 'currency'))).toMatchObject({
    code: 'INVALID_PARAMETER',
    message: 'currency: Ledger requires a currency.',
    details: [{ field: 'currency', expected: 'Ledger requires a currency.' }],
  })
})

test('a value that the app cannot store is an unsupported field', () => {
  expect(failureOf(new WriteRejection('The minimum is 1.', 'quantity'))).toMatchObject({
    code: 'FIELD_NOT_SUPPORTED',
    message: 'Ledger does not support this write: quantity: The minimum is 1.',
    details: [{ field: 'quantity', expected: 'The minimum is 1.' }],
  })
})
