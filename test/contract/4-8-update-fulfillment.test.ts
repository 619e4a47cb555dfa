/** Section 4.8 of the contract: a fulfillment is updated below its order, in the sandbox and here. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { faces } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { commonNames } from './list.ts'

interface Made {
  readonly id: string
  readonly remoteId: string
  readonly lineItems: readonly { readonly lineItemId: string }[]
}

let sandbox: ConnectedSandbox
let order: Made
let other: Made
let lineItemId: string
let shipment: Made
beforeAll(async () => {
  sandbox = await connectSandbox()
  const lineItems = [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 900 }]
  const rest = sandbox.over('REST')
  order = (await rest.create('commerce/orders', { lineItems })).record
  other = (await rest.create('commerce/orders', { lineItems })).record
  const { items } = await sandbox.readInApp('orders', order.remoteId)
  // The line that was just made.
  lineItemId = (items as readonly { readonly id: string }[])[0]?.id ?? ''
})
afterAll(() => sandbox.stop())

beforeEach(async () => {
  const made = await sandbox.over('REST').create('commerce/fulfillments', {
    ...{ orderId: order.id, lineItems: [{ lineItemId, quantity: 1 }] },
  })
  expect(made.status, made.message).toBe(200)
  shipment = made.record
})

const put = (orderId: string, id: string, body: object, query?: string) =>
  sandbox.service.send(
    ...([sandbox.tenant.key, 'PUT'] as const),
    `/2024-03/one/commerce/orders/${orderId}/fulfillments/${id}${query ?? `?credentialId=${sandbox.credentialId}`}`,
    body,
  )

test('4.8.1 the address takes PUT', async () => {
  const answer = await put(order.id, shipment.id, { carrier: 'Quay Post' })
  expect(answer.statusCode, answer.body).toBe(200)
  const inApp = await sandbox.readInApp('shipments', shipment.remoteId)
  expect(inApp).toMatchObject({ carrier: 'Quay Post' })
})

test('4.8.2 both ids are required, here’s or the app’s, and belong together', async () => {
  const body = { carrier: 'Quay Post' }
  expect((await put(order.remoteId, shipment.remoteId, body)).statusCode).toBe(200)
  expect((await put(other.id, shipment.id, body)).statusCode).toBe(404)
  expect((await put(order.id, 'shp_9999', body)).statusCode).toBe(404)
  expect((await put('ord_9999', shipment.id, body)).statusCode).toBe(404)
})

test('4.8.3 credentialId is required', async () => {
  const answer = await put(order.id, shipment.id, { carrier: 'x' }, '')
  expect([answer.statusCode, answer.json().error.details[0].field]).toEqual([400, 'credentialId'])
})

test('4.8.5 the fulfillment is under one key, with the fields of 2.12 and 2.1', async () => {
  const { fulfillment, ...others } = (await put(order.id, shipment.id, { service: 'Boat' })).json()
  expect(others).toEqual({})
  const names = [
    ...['orderId', 'carrier', 'service', 'trackingNumbers', 'trackingUrls', 'lineItems'],
    ...['remoteFields', ...commonNames],
  ]
  expect(Object.keys(fulfillment).sort()).toEqual(names.toSorted())
  expect(fulfillment).toMatchObject({ id: shipment.id, orderId: order.id, service: 'Boat' })
})

test('4.8.6 a refusal is a 400 with an object', async () => {
  for (const body of [{ carrier: 7 }, { trackingUrls: 'x' }, { lineItems: [{ quantity: 0.5 }] }]) {
    const answer = await put(order.id, shipment.id, body)
    expect(answer.statusCode, answer.body).toBe(400)
    expect(answer.json()).toEqual({ error: expect.objectContaining({ code: expect.any(String) }) })
  }
})

describe.each(faces)('over %s', (face) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(face)
  })
  const updated = async (input: object) => {
    const answer = await records.update('commerce/fulfillments', shipment.id, input)
    expect(answer.status, answer.message).toBe(200)
    return answer.record
  }

  test('4.8.4 carrier and service are texts', async () => {
    const given = { carrier: 'Quay Post', service: 'By boat' }
    expect(await updated(given)).toMatchObject(given)
  })

  test('4.8.4 tracking numbers and addresses are lists of texts', async () => {
    const given = {
      ...{ trackingNumbers: ['Q1', 'Q2'] },
      trackingUrls: ['https://quay.example/Q1', 'https://quay.example/Q2'],
    }
    expect(await updated(given)).toMatchObject(given)
  })

  test('4.8.4 a line has the parts of 2.12', async () => {
    const { lineItems } = await updated({ lineItems: [{ lineItemId, quantity: 3 }] })
    expect(lineItems).toEqual([
      {
        ...{ lineItemId, quantity: 3, title: expect.any(String), sku: expect.any(String) },
        ...{ price: expect.stringMatching(/^\d+\.\d\d$/) },
        ...{ productId: expect.any(String), variantId: expect.any(String) },
      },
    ])
    const product = await records.get('commerce/products', 'prd_0001')
    expect(lineItems[0].productId).toBe(product.record.id)
    // As they were read, they can be written again.
    expect((await updated({ lineItems })).lineItems).toEqual(lineItems)
  })

  test('4.8.4 none is required: what is left out stays', async () => {
    const before = await updated({ carrier: 'Quay Post', trackingNumbers: ['Q1'] })
    const { carrier, trackingNumbers, lineItems } = await updated({})
    expect([carrier, trackingNumbers, lineItems]).toEqual([
      ...['Quay Post', ['Q1'], before.lineItems],
    ])
  })

  test('4.8.4 remoteFields are passed on by the app’s own names, and refused by them', async () => {
    const refused = await records.update('commerce/fulfillments', shipment.id, {
      remoteFields: { nonsense: 1 },
    })
    expect(refused).toMatchObject({ status: 400, code: 'APP_REFUSED' })
    expect(refused.details).toMatchObject([{ field: 'remoteFields.nonsense' }])
  })
})
