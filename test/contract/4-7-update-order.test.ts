/** Section 4.7 of the contract: updating an order, in the sandbox and in Trunkline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { commonNames } from './list.ts'

const line = { productId: 'prd_0001', variantId: 'var_0001', price: 45, quantity: 2 }
const address = {
  address1: '1 Quay',
  address2: 'Floor 2',
  city: 'Cork',
  countryCode: 'IE',
  firstName: 'Aoife',
  lastName: 'Byrne',
  phone: '+353 21 1',
  region: 'Munster',
  postalCode: 'T12',
}

let sandbox: ConnectedSandbox
let order: { readonly id: string; readonly remoteId: string }
beforeAll(async () => {
  sandbox = await connectSandbox()
  const created = await sandbox.over('REST').create('commerce/orders', { lineItems: [line] })
  order = created.record
})
afterAll(() => sandbox.stop())

const put = (orderId: string, query: string, body: object) =>
  sandbox.service.send(
    sandbox.tenant.key,
    'PUT',
    `/2024-03/one/commerce/orders/${orderId}${query}`,
    body,
  )

test('4.7.1 the address accepts PUT', async () => {
  const response = await put(order.id, `?credentialId=${sandbox.credentialId}`, {
    orderNumber: 'Q-1',
  })
  expect(response.statusCode, response.body).toBe(200)
  expect(await sandbox.readInApp('orders', order.remoteId)).toMatchObject({ orderNumber: 'Q-1' })
})

test('4.7.2 orderId is the id of an order, in Trunkline or in the app', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  const response = await put(order.remoteId, query, { orderNumber: 'Q-2' })
  expect(response.json().order).toMatchObject({ id: order.id, orderNumber: 'Q-2' })
  expect((await put('ord_9999', query, { orderNumber: 'Q-2' })).statusCode).toBe(404)
})

test('4.7.3 credentialId is the id of the credential', async () => {
  const without = await put(order.id, '', { orderNumber: 'Q-3' })
  expect([without.statusCode, without.json().error.details[0].field]).toEqual([400, 'credentialId'])
  const unknown = '?credentialId=99999999-0000-4000-8000-000000000009'
  expect((await put(order.id, unknown, { orderNumber: 'Q-3' })).statusCode).toBe(404)
})

test('4.7.5 the order is under one key, with the fields of 2.11 and 2.1', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  const { order: shown, ...others } = (await put(order.id, query, { orderNumber: 'Q-4' })).json()
  expect(others).toEqual({})
  const names = [
    'orderNumber',
    'orderStatus',
    'orderState',
    'fulfillmentStatus',
    'fulfillmentState',
    'paymentStatus',
    'paymentState',
    'currency',
    'totalPrice',
    'totalDiscount',
    'totalShipping',
    'totalTax',
    'lineItems',
    'billingAddress',
    'shippingAddress',
    'customer',
    'remoteFields',
    ...commonNames,
  ]
  expect(Object.keys(shown).sort()).toEqual(names.toSorted())
})

test('4.7.5 an error is a 400 with an object', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  for (const body of [{ orderStatus: 7 }, { totalPrice: 'much' }, { nonsense: 1 }]) {
    const response = await put(order.id, query, body)
    expect(response.statusCode, response.body).toBe(400)
    expect(response.json()).toEqual({
      error: expect.objectContaining({ code: expect.any(String) }),
    })
  }
})

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })
  const updateSuccessfully = async (input: object) => {
    const { status, record, message } = await records.update('commerce/orders', order.id, input)
    expect(status, message).toBe(200)
    return record
  }

  test.each([
    ['orderNumber', 'Q-9'],
    ['orderStatus', 'Active'],
    ['orderStatus', 'processing'],
    ['paymentStatus', 'Paid'],
    ['fulfillmentStatus', 'unfulfilled'],
    ['currency', 'JPY'],
    ['currency', 'GBP'],
  ])('4.7.4 %s is written: %s', async (field, value) => {
    expect((await updateSuccessfully({ [field]: value }))[field]).toBe(value)
  })

  test.each(['totalPrice', 'totalDiscount', 'totalShipping', 'totalTax'])(
    '4.7.4 %s is a number in requests and a decimal string in responses',
    async (field) => {
      for (const [sent, shown] of [
        [12.5, '12.50'],
        [7, '7.00'],
      ] as const) {
        const record = await updateSuccessfully({ [field]: sent })
        expect(record[field]).toBe(shown)
        const { [field]: amount } = await sandbox.readInApp('orders', order.remoteId)
        expect(amount).toBe(shown)
      }
      await updateSuccessfully({ totalPrice: null })
    },
  )

  test('4.7.4 a line has the parts of 2.11', async () => {
    const whole = { ...line, title: 'As engraved', unitCost: '12.30', currency: 'GBP', sku: 'E' }
    const { lineItems, currency } = await updateSuccessfully({ lineItems: [whole] })
    expect(lineItems).toEqual([
      {
        title: 'As engraved',
        sku: 'E',
        currency,
        quantity: 2,
        price: expect.stringMatching(/^45\.00$/),
        unitCost: '12.30',
        productId: expect.any(String),
        variantId: expect.any(String),
      },
    ])
    const product = await records.get('commerce/products', 'prd_0001')
    expect(lineItems[0].productId).toBe(product.record.id)
    const ids = product.record.variants.map(({ id }: { id: string }) => id)
    expect(ids).toContain(lineItems[0].variantId)
    for (const quantity of [1.5, 'two'])
      expect(
        (await records.update('commerce/orders', order.id, { lineItems: [{ ...line, quantity }] }))
          .status,
      ).toBe(400)
  })

  test.each(['billingAddress', 'shippingAddress'])(
    '4.7.4 %s has the parts of 2.11',
    async (field) => {
      expect((await updateSuccessfully({ [field]: address }))[field]).toEqual(address)
      const nowhere = { ...address, countryCode: 'ZZ' }
      const refused = await records.update('commerce/orders', order.id, { [field]: nowhere })
      expect(refused.status).toBe(400)
    },
  )

  test('4.7.4 the customer has the parts of 2.11', async () => {
    const names = { firstName: 'Aoife', lastName: 'Byrne', email: 'a@quay.example', phone: '+1' }
    const { customer } = await updateSuccessfully({
      customer: { customerId: 'sho_0001', ...names },
    })
    const shopper = await records.get('commerce/customers', 'sho_0001')
    expect(customer).toEqual({ customerId: shopper.record.id, ...names })
  })

  test('4.7.4 remoteFields are passed on under the app’s own names', async () => {
    const record = await updateSuccessfully({ remoteFields: { tax_percent: '9' } })
    expect(record.remoteFields.tax_percent).toBe('9')
  })

  test('4.7.6 no field is required, and omitted fields keep their values', async () => {
    const before = await updateSuccessfully({ orderNumber: 'Q-8', shippingAddress: address })
    const after = await updateSuccessfully({})
    expect(after).toMatchObject({ orderNumber: 'Q-8', shippingAddress: before.shippingAddress })
  })
})
