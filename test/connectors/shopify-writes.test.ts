/** The Shopify connector without a shop: the requests of writes. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import type { Json, ResourceWriter } from '../../src/definition/connector.ts'
import { ATTEMPT, runSteps } from '../support/steps.ts'
import {
  connection,
  context,
  findResource,
  globalId,
  okResponse,
  sentIn,
} from './shopify/fixtures.ts'

const attempt = { ...ATTEMPT, context }

/** Runs a write against a shop that returns these data, and returns what it sent. */
const listWriteRequests = async (
  name: string,
  steps: (writer: ResourceWriter) => ReturnType<ResourceWriter['get']> | undefined,
  data: readonly object[],
) => {
  const { write } = findResource(name)
  const running = write && steps(write)
  if (!running) throw new Error(`the connector does not write ${name}`)
  const sent: ReturnType<typeof sentIn>[] = []
  await runSteps(connector, running, async (request) => {
    sent.push(sentIn(request))
    return okResponse(data[sent.length - 1])
  })
  return sent
}

const payloadData = (name: string, parts: object) => ({ [name]: { ...parts, userErrors: [] } })

describe('a write', () => {
  const id = globalId('Order', 1)
  const node = { node: { id, lineItems: connection([]) } }

  test('of a new order has each price in the currency of the shop', async () => {
    const lineItems = [{ variantId: globalId('ProductVariant', 1), price: '12.50', quantity: 2 }]
    const customer = { customerId: globalId('Customer', 1), email: 'ada@x.example' }
    const [sent] = await listWriteRequests(
      'orders',
      ({ create }) =>
        create?.steps({ fields: { lineItems, customer }, remoteFields: { note: 'n' } }, attempt),
      [payloadData('orderCreate', { order: { id } }), node],
    )
    expect(sent?.variables.order).toEqual({
      email: 'ada@x.example',
      customer: { toAssociate: { id: globalId('Customer', 1) } },
      lineItems: [
        {
          variantId: globalId('ProductVariant', 1),
          quantity: 2,
          priceSet: { shopMoney: { amount: '12.5', currencyCode: 'EUR' } },
        },
      ],
      note: 'n',
    })
  })

  test('of an address sends the parts that it leaves out', async () => {
    const raw = {
      id,
      customer: { id: globalId('Customer', 1), firstName: 'Ada' },
      shippingAddress: {
        address1: 'Kai 1',
        city: 'Hamburg',
        zip: '20457',
        countryCodeV2: 'DE',
        province: 'Hamburg',
        provinceCode: null,
        company: 'Kern',
      },
    }
    const fields = {
      shippingAddress: { city: 'Kiel' },
      customer: { customerId: globalId('Customer', 2), firstName: 'Ada' },
    }
    const stored = { remoteId: id, record: {}, raw }
    const sent = await listWriteRequests(
      'orders',
      ({ update }) => update?.steps({ fields, remoteFields: {} }, stored, attempt),
      [payloadData('orderUpdate', { order: { id } }), payloadData('orderCustomerSet', {}), node],
    )
    expect(sent.slice(0, 2).map(({ variables }) => variables)).toEqual([
      {
        input: {
          id,
          shippingAddress: {
            address1: 'Kai 1',
            city: 'Kiel',
            zip: '20457',
            countryCode: 'DE',
            company: 'Kern',
          },
        },
      },
      { orderId: id, customerId: globalId('Customer', 2) },
    ])
  })

  test('of the name of a buyer is rejected before it is sent', async () => {
    const stored = { remoteId: id, record: {}, raw: { id, customer: { firstName: 'Ada' } } }
    const input = { fields: { customer: { firstName: 'Eva' } }, remoteFields: {} }
    const attempted = listWriteRequests(
      'orders',
      ({ update }) => update?.steps(input, stored, attempt),
      [],
    )
    await expect(attempted).rejects.toMatchObject({ field: 'customer.firstName' })
  })

  const fulfillmentOrder = (name: string, status: string, remainingQuantity: number) => ({
    id: name,
    status,
    lineItems: { nodes: [{ id: `${name}-l`, remainingQuantity, lineItem: { id: 'line' } }] },
  })
  const open = {
    order: {
      id,
      fulfillmentOrders: connection([
        fulfillmentOrder('held', 'ON_HOLD', 9),
        fulfillmentOrder('a', 'OPEN', 2),
        fulfillmentOrder('b', 'IN_PROGRESS', 2),
      ]),
    },
  }
  const ship = (quantity: number, data: readonly object[]) => {
    const fields = { orderId: id, carrier: 'DHL', lineItems: [{ lineItemId: 'line', quantity }] }
    return listWriteRequests(
      'fulfillments',
      ({ create }) => create?.steps({ fields, remoteFields: {} }, attempt),
      data,
    )
  }

  test('of a fulfillment divides its lines among the open fulfillment orders', async () => {
    const sent = await ship(3, [
      open,
      payloadData('fulfillmentCreate', { fulfillment: { id: 'f' } }),
      { node: { id: 'f', fulfillmentLineItems: connection([]) } },
    ])
    expect(sent[1]?.variables.fulfillment).toEqual({
      lineItemsByFulfillmentOrder: [
        { fulfillmentOrderId: 'a', fulfillmentOrderLineItems: [{ id: 'a-l', quantity: 2 }] },
        { fulfillmentOrderId: 'b', fulfillmentOrderLineItems: [{ id: 'b-l', quantity: 1 }] },
      ],
      notifyCustomer: false,
      trackingInfo: { company: 'DHL' },
    })
  })

  test('of more units than are left is rejected', async () => {
    await expect(ship(5, [open])).rejects.toMatchObject({ field: 'lineItems[0].quantity' })
  })

  test('of tracking numbers keeps the rest of the tracking information', async () => {
    const trackingInfo = [{ company: 'DHL', number: '1', url: 'https://t.example/1' }]
    const stored = { remoteId: 'f', record: {}, raw: { id: 'f', trackingInfo } }
    const input = { fields: { trackingNumbers: ['2'] }, remoteFields: {} }
    const [sent] = await listWriteRequests(
      'fulfillments',
      ({ update }) => update?.steps(input, stored, attempt),
      [
        payloadData('fulfillmentTrackingInfoUpdate', { fulfillment: { id: 'f' } }),
        { node: { id: 'f', fulfillmentLineItems: connection([]) } },
      ],
    )
    expect(sent?.variables.trackingInfoInput).toEqual({
      company: 'DHL',
      numbers: ['2'],
      urls: ['https://t.example/1'],
    })
  })

  const variantRecord = (number: number, price: string) => ({
    id: globalId('ProductVariant', number),
    title: 'S',
    sku: `S-${number}`,
    price,
    selectedOptions: [{ name: 'Size', value: String(number) }],
    inventoryItem: { id: 'i', tracked: true, measurement: { weight: null } },
  })
  const product = {
    id: globalId('Product', 1),
    variants: [variantRecord(1, '10.00'), variantRecord(2, '20.00')],
  }
  const storedProduct = { remoteId: product.id, record: {}, raw: product }
  const updateProduct = (variants: readonly Json[], data: readonly object[]) =>
    listWriteRequests(
      'products',
      ({ update }) =>
        update?.steps({ fields: { variants }, remoteFields: {} }, storedProduct, attempt),
      data,
    )

  test('of variants sends only what changes, and creates those without an id', async () => {
    const sent = await updateProduct(
      [
        { remoteId: globalId('ProductVariant', 1), price: '11.00' },
        { remoteId: globalId('ProductVariant', 2) },
        { price: '5.00', optionValues: [{ name: 'Size', value: '3' }] },
      ],
      [
        payloadData('productVariantsBulkUpdate', {}),
        payloadData('productVariantsBulkCreate', {}),
        { node: { id: product.id, variants: connection([]) } },
      ],
    )
    expect(sent.slice(0, 2).map(({ variables }) => variables.variants)).toEqual([
      [{ id: globalId('ProductVariant', 1), price: '11.00' }],
      [{ price: '5.00', optionValues: [{ optionName: 'Size', name: '3' }] }],
    ])
  })

  test('that leaves out a variant is rejected', async () => {
    const changedVariant = [{ remoteId: globalId('ProductVariant', 1), price: '11.00' }]
    await expect(updateProduct(changedVariant, [])).rejects.toMatchObject({ field: 'variants' })
  })

  test('of a new product with variants names its options', async () => {
    const variants = ['S', 'L'].map((value) => ({
      price: '1.00',
      sku: value,
      optionValues: [{ name: 'Size', value }],
    }))
    const [sent] = await listWriteRequests(
      'products',
      ({ create }) =>
        create?.steps({ fields: { productName: 'Lamp', variants }, remoteFields: {} }, attempt),
      [
        payloadData('productSet', { product: { id: 'p' } }),
        { node: { id: 'p', variants: connection([]) } },
      ],
    )
    expect(sent?.variables.input).toMatchObject({
      title: 'Lamp',
      productOptions: [{ name: 'Size', values: [{ name: 'S' }, { name: 'L' }] }],
      variants: [
        { price: '1.00', inventoryItem: { sku: 'S' }, optionValues: [{ name: 'S' }] },
        { optionValues: [{ optionName: 'Size', name: 'L' }] },
      ],
    })
  })
})
