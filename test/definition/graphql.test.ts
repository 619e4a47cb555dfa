/** The texts of GraphQL operations, and the failures in responses. */
import { expect, test } from 'vitest'
import { operation } from '../../src/definition/graphql.ts'
import { graphqlFailure } from '../../src/definition/graphql-failure.ts'

test.each([
  [
    operation('mutation', 'deleteCustomer(id: ID!)', 'result message'),
    'mutation ($id: ID!) { deleteCustomer(id: $id) { result message } }',
  ],
  [
    operation('query', 'orders(first: Int!, after: String)', 'nodes { id }'),
    'query ($first: Int!, $after: String) { orders(first: $first, after: $after) { nodes { id } } }',
  ],
  [
    operation('mutation', 'createVariants(input: [VariantInput!]!)'),
    'mutation ($input: [VariantInput!]!) { createVariants(input: $input) }',
  ],
])('the document of an operation: %s', (text, expected) => {
  expect(text).toBe(expected)
})

const failureOf = (error: object) =>
  graphqlFailure(
    { status: 200, headers: {}, body: { errors: [error], data: null } },
    ({ code, root }) =>
      code === 'THROTTLED' ? 'rate-limited' : root === 'order' ? 'absent' : undefined,
    { DENIED: 'a scope is missing' },
  )

test('a failure has the kind of its code and its root field', () => {
  expect(failureOf({ message: 'Slow.', extensions: { code: 'THROTTLED' } })).toEqual({
    kind: 'rate-limited',
    reason: 'THROTTLED: Slow.',
  })
  expect(failureOf({ message: 'None.', path: ['order'] })).toEqual({
    kind: 'absent',
    reason: 'None.',
  })
  expect(failureOf({ message: 'No.', extensions: { code: 'DENIED' } })?.reason).toBe(
    'DENIED: No. (a scope is missing)',
  )
  expect(failureOf({})).toEqual({ kind: 'unavailable', reason: 'no message' })
  expect(failureOf({ message: 5, path: 'order', extensions: null })?.kind).toBe('unavailable')
})

test.each([
  ['input', ' at "input.lines[2].price"', 'Float cannot represent "x"', 'lines.2.price'],
  ['input', '', 'Field "sku" is not defined by type "LineInput".', 'sku'],
  ['product', ' at "product[1]"', 'Field "name" of required type "String!"', '1.name'],
])('an invalid variable %s%s: %s', (variable, place, reason, field) => {
  const message = `Variable "$${variable}" got invalid value { note: "a; b" }${place}; ${reason}`
  expect(failureOf({ message })).toEqual({ kind: 'unavailable', reason, field })
})

test('a response without errors is no failure', () => {
  for (const body of [undefined, {}, { data: {} }, { errors: [] }, 'text'])
    expect(graphqlFailure({ status: 200, headers: {}, body }, () => 'refused')).toBeUndefined()
})
