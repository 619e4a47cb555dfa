/** What the writes of all resources have in common: amounts, rejections and accepted fields. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import { isAbsent } from '../../src/definition/connector.ts'
import { toMinorUnits } from '../../src/definition/mapping/minor-units.ts'
import { REQUEST } from '../support/steps.ts'
import { response } from './vendure/fixtures.ts'
import { ATTEMPT, catchError, runSteps, storedRecord, writerOf } from './vendure/steps.ts'

describe('an amount in a write', () => {
  test.each([
    ['91.36', 2, 9136],
    ['91.3600', 2, 9136],
    ['0.1', 2, 10],
    ['-9.6', 2, -960],
    ['12', 2, 1200],
    ['12.00', 0, 12],
    ['1.2345', 4, 12_345],
    ['90071992547409.91', 2, Number.MAX_SAFE_INTEGER],
    ['1e2', 2, 10_000],
    ['1.50E1', 2, 1500],
    ['.5', 2, 50],
    ['5.', 2, 500],
    ['1000e-1', 0, 100],
  ])('of %s at precision %i is %i', (text, precision, units) => {
    expect(toMinorUnits(text, precision, 'price')).toBe(units)
  })

  test.each([
    ['1.005', 2, 'more than 2 decimal places'],
    ['0.1', 0, 'more than 0 decimal places'],
    ['90071992547409.92', 2, 'too large'],
    ['1e-3', 2, 'more than 2 decimal places'],
    ['1e999', 2, 'too large'],
    ['', 2, 'not a decimal number'],
  ])('of %s at precision %i is rejected', (text, precision, words) => {
    expect(catchError(() => toMinorUnits(text, precision, 'variants.0.price'))).toMatchObject({
      name: 'WriteRejection',
      field: 'variants.0.price',
      reason: expect.stringContaining(words),
    })
  })
})

describe('a rejected mutation', () => {
  const readFailure = (body: unknown) =>
    connector.readFailure(response({ status: 200, body }), REQUEST)
  const badInput = (message: string) => ({
    errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
  })

  test.each([
    ['Field "shoeSize" is not defined by type "CreateCustomerInput".', '', 'shoeSize'],
    ['String cannot represent a non string value: 5', ' at "input.emailAddress"', 'emailAddress'],
    ['Int cannot represent: "x"', ' at "input.addItems[0].quantity"', 'addItems.0.quantity'],
    ['Int cannot represent: "x"', ' at "input[1].stockOnHand"', '1.stockOnHand'],
    ['Field "paymentId" of required type "ID!"', ' at "input.refunds[0]"', 'refunds.0.paymentId'],
  ])('for an invalid value names the field: %s', (message, place, field) => {
    const whole = `Variable "$input" got invalid value { phoneNumber: "+39 1; 2" }${place}; ${message}`
    // The value itself is left out: it is personal data and may fill the whole message.
    expect(readFailure(badInput(whole))).toEqual({
      kind: 'refused',
      reason: `BAD_USER_INPUT: ${message}`,
      field,
    })
  })

  test('has no message if Vendure returns only a translation key', () => {
    const errorCode = 'NO_CHANGES_SPECIFIED_ERROR'
    expect(
      readFailure({ data: { modifyOrder: { errorCode, message: `errorResult.${errorCode}` } } }),
    ).toEqual({ kind: 'refused', reason: errorCode })
  })

  test('explains why a state cannot be reached', () => {
    const message = 'Cannot transition Order from "A" to "B"'
    const errorCode = 'ORDER_STATE_TRANSITION_ERROR'
    const readTransitionReason = (transitionError: string) =>
      readFailure({ data: { transitionOrderToState: { errorCode, message, transitionError } } })
        ?.reason
    expect(readTransitionReason('unless all are shipped')).toBe(
      `${errorCode}: ${message}; unless all are shipped`,
    )
    expect(readTransitionReason(message)).toBe(`${errorCode}: ${message}`)
  })

  test('for a missing permission is not treated as an invalid credential', () => {
    const body = { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] }
    const readForbidden = (query: string) =>
      connector.readFailure(response({ status: 200, body }), {
        method: 'POST',
        path: '/admin-api',
        body: { query },
      })
    expect(readForbidden('mutation ($id: ID!) { deleteCustomer(id: $id) }')?.kind).toBe('refused')
    expect(readForbidden('query { customers { totalItems } }')?.kind).toBe('authentication')
    expect(readForbidden('{ activeChannel { code } }')?.kind).toBe('authentication')
  })

  test('for a missing record distinguishes the record from the one it references', () => {
    const readUnknownRecord = (root: string) =>
      readFailure({
        errors: [{ message: '', path: [root], extensions: { code: 'ENTITY_NOT_FOUND' } }],
      })
    expect(readUnknownRecord('deleteProduct')?.kind).toBe('absent')
    expect(readUnknownRecord('setOrderCustomer')?.kind).toBe('refused')
  })
})

describe('a record deleted during the write', () => {
  const none = { totalItems: 0, items: [] }
  test.each([
    ['orders', { orders: none }],
    ['products', { products: none }],
  ])('is distinguished from a failure: %s', async (name, listed) => {
    const steps = writerOf(name).update?.steps(
      { fields: {}, remoteFields: {} },
      storedRecord('9'),
      ATTEMPT,
    )
    const { result, requests } = await runSteps(steps, [listed])
    expect(isAbsent(result)).toBe(true)
    expect(requests.map(({ read }) => read)).toEqual([true])
  })
})

test('every accepted field is a field of the resource', () => {
  for (const { mapping, write } of Object.values(connector.resources))
    for (const field of [...(write?.create?.fields ?? []), ...(write?.update?.fields ?? [])])
      expect(Object.keys(mapping.resource.fields), field).toContain(field.split('.')[0])
})
