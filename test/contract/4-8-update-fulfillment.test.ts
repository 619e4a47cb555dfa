/** Section 4.8 of the contract: updating a fulfillment of an order, in the sandbox and in Trunkline. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { commonNames } from './list.ts'

interface Created {
  readonly id: string
  readonly remoteId: string
  readonly lineItems: readonly { readonly lineItemId: string }[]
}

let sandbox: ConnectedSandbox
let order: Created
let other: Created
let lineItemId: string
let shipment: Created
beforeAll(async () => {
  sandbox = await connectSandbox()
  const lineItems = [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 900 }]
  const rest = sandbox.over('REST')
  order = (await rest.create('commerce/orders', { lineItems })).record
  other = (await rest.create('commerce/orders', { lineItems })).record
  const { lineItems: items } = await sandbox.readInApp('orders', order.remoteId)
  // The line of the order that was just created.
  lineItemId = (items as readonly { readonly id: string }[])[0]?.id ?? ''
})
afterAll(() => sandbox.stop())

beforeEach(async () => {
  const created = await sandbox.over('REST').create('commerce/fulfillments', {
    orderId: order.id,
    lineItems: [{ lineItemId, quantity: 1 }],
  })
  expect(created.status, created.message).toBe(200)
  shipment = created.record
})

const put = (orderId: string, id: string, body: object, query?: string) =>
  sandbox.service.send(
    sandbox.tenant.key,
    'PUT',
    `/2024-03/one/commerce/orders/${orderId}/fulfillments/${id}${query ?? `?credentialId=${sandbox.credentialId}`}`,
    body,
  )

test('4.8.1 the address accepts PUT', async () => {
  const response = await put(order.id, shipment.id, { carrier: 'Quay Post' })
  expect(response.statusCode, response.body).toBe(200)
  const inApp = await sandbox.readInApp('shipments', shipment.remoteId)
  expect(inApp).toMatchObject({ carrier: 'Quay Post' })
})

test('4.8.2 both ids are required, Trunkline’s or the app’s, and must belong together', async () => {
  const body = { carrier: 'Quay Post' }
  expect((await put(order.remoteId, shipment.remoteId, body)).statusCode).toBe(200)
  expect((await put(other.id, shipment.id, body)).statusCode).toBe(404)
  expect((await put(order.id, 'shp_9999', body)).statusCode).toBe(404)
  expect((await put('ord_9999', shipment.id, body)).statusCode).toBe(404)
})

test('4.8.3 credentialId is required', async () => {
  const response = await put(order.id, shipment.id, { carrier: 'x' }, '')
  expect([response.statusCode, response.json().error.details[0].field]).toEqual([
    400,
    'credentialId',
  ])
})

test('4.8.5 the fulfillment is under one key, with the fields of 2.12 and 2.1', async () => {
  const { fulfillment, ...others } = (await put(order.id, shipment.id, { service: 'Boat' })).json()
  expect(others).toEqual({})
  const names = [
    'orderId',
    'shipmentState',
    'carrier',
    'service',
    'trackingNumbers',
    'trackingUrls',
    'lineItems',
    'remoteFields',
    ...commonNames,
  ]
  expect(Object.keys(fulfillment).sort()).toEqual(names.toSorted())
  expect(fulfillment).toMatchObject({ id: shipment.id, orderId: order.id, service: 'Boat' })
})

test('4.8.6 an error is a 400 with an object', async () => {
  for (const body of [{ carrier: 7 }, { trackingUrls: 'x' }, { lineItems: [{ quantity: 0.5 }] }]) {
    const response = await put(order.id, shipment.id, body)
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
    const response = await records.update('commerce/fulfillments', shipment.id, input)
    expect(response.status, response.message).toBe(200)
    return response.record
  }

  test('4.8.4 carrier and service are text', async () => {
    const values = { carrier: 'Quay Post', service: 'By boat' }
    expect(await updateSuccessfully(values)).toMatchObject(values)
  })

  test('4.8.4 tracking numbers and addresses are lists of text', async () => {
    const lists = {
      trackingNumbers: ['Q1', 'Q2'],
      trackingUrls: ['https://quay.example/Q1', 'https://quay.example/Q2'],
    }
    expect(await updateSuccessfully(lists)).toMatchObject(lists)
  })

  test('4.8.4 a line has the parts of 2.12', async () => {
    const { lineItems } = await updateSuccessfully({ lineItems: [{ lineItemId, quantity: 3 }] })
    expect(lineItems).toEqual([
      {
        lineItemId,
        quantity: 3,
        title: expect.any(String),
        sku: expect.any(String),
        price: expect.stringMatching(/^\d+\.\d\d$/),
        productId: expect.any(String),
        variantId: expect.any(String),
      },
    ])
    const product = await records.get('commerce/products', 'prd_0001')
    expect(lineItems[0].productId).toBe(product.record.id)
    // Lines can be written back as they were read.
    expect((await updateSuccessfully({ lineItems })).lineItems).toEqual(lineItems)
  })

  test('4.8.4 no field is required: omitted fields keep their values', async () => {
    const before = await updateSuccessfully({ carrier: 'Quay Post', trackingNumbers: ['Q1'] })
    const { carrier, trackingNumbers, lineItems } = await updateSuccessfully({})
    expect([carrier, trackingNumbers, lineItems]).toEqual(['Quay Post', ['Q1'], before.lineItems])
  })

  test('4.8.4 remoteFields are passed on under the app’s own names, and rejected by those names', async () => {
    const refused = await records.update('commerce/fulfillments', shipment.id, {
      remoteFields: { nonsense: 1 },
    })
    expect(refused).toMatchObject({ status: 400, code: 'APP_REFUSED' })
    expect(refused.details).toMatchObject([{ field: 'remoteFields.nonsense' }])
  })
})

test('4.8.4 an order update that would separate a fulfillment from its line is rejected', async () => {
  const rest = sandbox.over('REST')
  const line = { productId: 'prd_0001', variantId: 'var_0002', quantity: 1 }
  const dropped = await rest.update('commerce/orders', order.id, { lineItems: [line] })
  expect(dropped).toMatchObject({ status: 400, code: 'APP_REFUSED' })
  expect(dropped.details).toMatchObject([{ field: 'lineItems' }])
  expect(dropped.message).toContain(`the line ${lineItemId} (`)
  const response = await put(order.id, shipment.id, { carrier: 'Quay Post' })
  expect(response.statusCode, response.body).toBe(200)
})
