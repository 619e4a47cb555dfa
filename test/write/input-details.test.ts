/** Errors of a write name each invalid field, over REST and GraphQL alike. */
import { expect, test } from 'vitest'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { order } from '../../src/resources/commerce/order.ts'
import { readError } from '../support/expected-error.ts'
import type { Detail } from '../support/record-calls.ts'
import { CREDENTIAL, shareServiceWithRecords } from '../support/service-with-records.ts'
import { restErrorOf, USER_ERRORS, type UserError } from '../support/user-errors.ts'

const harness = shareServiceWithRecords()

/** The details of a rejected input over REST. The user errors of GraphQL must be equal to them. */
const refuse = async (input: object) => {
  const rest = await harness.service.send(
    harness.tenant.key,
    'PUT',
    `/2024-03/one/commerce/orders/1?credentialId=${CREDENTIAL}`,
    input,
  )
  const graph = await harness.graph(
    `mutation ($id: ID!, $input: CommerceOrderUpdateInput!) { updateCommerceOrder(credentialId: $id, id: "1", input: $input) { order { id } ${USER_ERRORS} } }`,
    { id: CREDENTIAL, input },
  )
  const { code, message, fields } = readError(rest)
  expect(readError(graph)).toMatchObject({ code, fields })
  const { details } = rest.json().error
  const { userErrors } = graph.json().data.updateCommerceOrder
  expect(restErrorOf(userErrors)?.details).toEqual(details)
  // Each invalid field has its own message.
  expect(userErrors.map((error: UserError) => error.message)).toEqual(
    details.map(({ field, expected }: Detail) => `${field}: expected ${expected}.`),
  )
  return { code, message, details }
}

test('each invalid field has a detail with its path', async () => {
  const refusal = await refuse({
    orderNumber: '\ud800',
    totalPrice: 'much',
    lineItems: [{ title: 'a', price: '1,5' }, { title: 'b\0', price: '1.5' }, { sku: null }],
    customer: { customerId: '' },
  })
  expect(refusal).toEqual({
    code: 'INVALID_PARAMETER',
    message: 'orderNumber: expected well-formed Unicode text. See details for 4 more.',
    details: [
      { field: 'orderNumber', expected: 'well-formed Unicode text' },
      { field: 'totalPrice', expected: 'a decimal number such as 12.50' },
      { field: 'lineItems[0].price', expected: 'a decimal number such as 12.50' },
      { field: 'lineItems[1].title', expected: 'text without NUL characters' },
      { field: 'customer.customerId', expected: 'an identifier' },
    ],
  })
})

test('over REST, which does not check names earlier, unknown names come first with the nearest known one', async () => {
  const response = await harness.service.send(
    harness.tenant.key,
    'PUT',
    `/2024-03/one/commerce/orders/1?credentialId=${CREDENTIAL}`,
    { totalPrice: true, lineItems: [{ tittle: 'a' }], orderNumbr: 1, currency: 5 },
  )
  expect(response.json().error).toMatchObject({
    message: 'lineItems[0].tittle is not a field of this input. See details for 3 more.',
    details: [
      { field: 'lineItems[0].tittle', expected: 'a known field, such as title' },
      { field: 'orderNumbr', expected: 'a known field, such as orderNumber' },
      { field: 'currency', expected: expect.stringContaining('a code such as') },
      { field: 'totalPrice', expected: 'a decimal number such as 12.50' },
    ],
  })
})

test('names the first hundred of very many errors', async () => {
  const lineItems = new Array(1000).fill({ price: 'x', unitCost: 'x' })
  expect((await refuse({ lineItems })).details).toHaveLength(100)
  const { details } = await refuse({ lineItems: new Array(1001).fill({}) })
  expect(details).toEqual([{ field: 'lineItems', expected: 'at most 1000 entries' }])
})

test('parses 150,000 digits in one pass, from a caller and from an app', async () => {
  // A quadratic scan took most of a minute for 150,000 digits.
  const endless = `${'1'.repeat(150_000)}x`
  const start = performance.now()
  expect((await refuse({ totalPrice: endless })).details).toHaveLength(1)
  const nothing = Object.fromEntries(Object.keys(order.fields).map((name) => [name, null]))
  const mapping = defineMapping(order, {
    // A mapping rule for each field of the resource.
    ...(nothing as Record<keyof typeof order.fields, null>),
    remoteId: 'id',
    totalPrice: 'price',
    remoteCreatedAt: null,
    remoteUpdatedAt: null,
    remoteDeleted: null,
  })
  const { row, problems } = createMapper(mapping)({ id: 1, price: endless }, CREDENTIAL)
  expect([row.totalPrice, problems]).toEqual([
    null,
    [{ path: 'totalPrice', expected: 'a decimal number' }],
  ])
  expect(performance.now() - start).toBeLessThan(15_000)
})
