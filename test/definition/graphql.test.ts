/** The texts of GraphQL operations, and the failures in responses. */
import { expect, test } from 'vitest'
import { isMutation, operation } from '../../src/definition/graphql.ts'
import { graphqlFailures } from '../../src/definition/graphql-failure.ts'
import { REQUEST } from '../support/steps.ts'

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
])('an operation becomes the document %s', (text, expected) => {
  expect(text).toBe(expected)
})

const failureIn = graphqlFailures({
  kinds: {
    THROTTLED: 'rate-limited',
    NOT_FOUND: ({ root }) => (root === 'order' ? 'absent' : 'refused'),
    DENIED: (_, request) => (isMutation(request) ? 'refused' : 'authentication'),
  },
  otherwise: 'unavailable',
  hints: { DENIED: 'a scope is missing' },
})

const failureOf = (error: object, query = 'query { shop }', status = 200) =>
  failureIn(
    { status, headers: {}, body: { errors: [error], data: null } },
    { method: 'POST', path: '/graphql', body: { query } },
  )

test('a failure has the kind of its code, which may depend on the root field and the request', () => {
  expect(failureOf({ message: 'Slow.', extensions: { code: 'THROTTLED' } })).toEqual({
    kind: 'rate-limited',
    reason: 'THROTTLED: Slow.',
  })
  const notFound = { message: 'None.', extensions: { code: 'NOT_FOUND' } }
  expect(failureOf({ ...notFound, path: ['order'] })?.kind).toBe('absent')
  expect(failureOf({ ...notFound, path: ['lines'] })?.kind).toBe('refused')
  const denied = { message: 'No.', extensions: { code: 'DENIED' } }
  expect(failureOf(denied)).toEqual({
    kind: 'authentication',
    reason: 'DENIED: No. (a scope is missing)',
  })
  expect(failureOf(denied, 'mutation { close }')?.kind).toBe('refused')
  expect(failureOf({ message: 'No.', extensions: { code: 'constructor' } })).toEqual({
    kind: 'unavailable',
    reason: 'constructor: No.',
  })
  expect(failureOf({})).toEqual({ kind: 'unavailable', reason: 'no message' })
  expect(failureOf({ message: 5, path: 'order', extensions: null })?.kind).toBe('unavailable')
})

test('without a declared code, the status decides between a rejected credential, a rate limit and other failures', () => {
  const kindAt = (status: number) => failureOf({ message: 'No.' }, undefined, status)?.kind
  expect([401, 429, 403, 500].map(kindAt)).toEqual([
    'authentication',
    'rate-limited',
    'unavailable',
    'unavailable',
  ])
  const throttled = { message: 'Slow.', extensions: { code: 'THROTTLED' } }
  expect(failureOf(throttled, undefined, 401)?.kind).toBe('rate-limited')
})

test.each([
  ['input', ' at "input.lines[2].price"', 'Float cannot represent "x"', 'lines.2.price'],
  ['input', '', 'Field "sku" is not defined by type "LineInput".', 'sku'],
  ['product', ' at "product[1]"', 'Field "name" of required type "String!"', '1.name'],
])(
  'the error of an invalid variable %s%s names its field: %s',
  (variable, place, reason, field) => {
    const message = `Variable "$${variable}" got invalid value { note: "a; b" }${place}; ${reason}`
    expect(failureOf({ message })).toEqual({ kind: 'unavailable', reason, field })
  },
)

test('data and statuses are failures where that is declared', () => {
  const readFailure = graphqlFailures({
    kinds: { DENIED: 'authentication' },
    otherwise: 'unavailable',
    hints: {},
    inResults: ([result]) =>
      result === 'NO' ? { kind: 'refused', reason: 'it is in use', field: 'id' } : undefined,
    statuses: {
      404: { kind: 'refused', reason: 'no API' },
      500: ({ message }) => (message === '' ? { kind: 'refused', reason: 'too large' } : undefined),
    },
  })
  const reasonOf = (status: number, body: unknown) =>
    readFailure({ status, headers: {}, body }, REQUEST)?.reason
  expect(reasonOf(200, { data: { drop: 'NO' } })).toBe('it is in use')
  expect(reasonOf(200, { data: { drop: 'YES' } })).toBeUndefined()
  expect(reasonOf(404, 'Not Found')).toBe('no API')
  expect(reasonOf(500, { message: '' })).toBe('too large')
  expect(reasonOf(500, { message: 'down' })).toBeUndefined()
  expect(reasonOf(404, { errors: [{ message: 'No.' }] })).toBe('no API')
  const denied = { message: 'No.', extensions: { code: 'DENIED' } }
  expect(reasonOf(404, { errors: [denied] })).toBe('DENIED: No.')
})

test('a response without errors is no failure', () => {
  for (const body of [undefined, {}, { data: {} }, { errors: [] }, 'text'])
    expect(failureIn({ status: 200, headers: {}, body }, REQUEST)).toBeUndefined()
})
