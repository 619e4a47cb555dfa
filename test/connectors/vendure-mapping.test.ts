/** The Vendure connector without a Vendure: mapped records, from recorded responses. */
import { describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { CONTEXT, CREDENTIAL, mapRaw, readRawRecords } from './vendure/fixtures.ts'

const idOf = (topic: string, remoteId: string) => recordId(CREDENTIAL, topic, remoteId)
const lamp = {
  S: { title: 'Lamp S', sku: 'LAMP-S', price: '12.00', variantId: '1' },
  L: { title: 'Lamp L', sku: 'LAMP-L', price: '23.99', variantId: '2' },
}
const lineOf = (size: 'S' | 'L', quantity: number) => ({
  ...lamp[size],
  productId: idOf('commerce/products', '1'),
  quantity,
  variantId: idOf('commerce/products.variants', lamp[size].variantId),
})

describe('an order', () => {
  const [partly, cancelled, delivered] = readRawRecords('orders')

  test('has total amounts, including tax, as decimal text', () => {
    const { row, problems } = mapRaw('orders', partly)
    expect(problems).toEqual([])
    expect(row).toMatchObject({
      remoteId: partly.id,
      orderNumber: partly.code,
      orderStatus: 'PaymentAuthorized',
      currency: 'EUR',
      totalPrice: '91.36',
      totalDiscount: '9.60',
      totalShipping: '5.00',
      totalTax: '14.39',
      remoteCreatedAt: partly.createdAt,
      remoteDeleted: false,
    })
    expect(row.lineItems).toEqual([
      { ...lineOf('S', 2), currency: 'EUR', unitCost: null },
      { ...lineOf('L', 3), currency: 'EUR', unitCost: null },
    ])
  })

  test('has its customer, and addresses with the name split at the last space', () => {
    const { row } = mapRaw('orders', partly)
    expect(row.customer).toEqual({
      customerId: idOf('commerce/customers', partly.customer.id),
      firstName: 'Sofja',
      lastName: 'Kowalewskaja',
      email: 'sofja@example.org',
      phone: null,
    })
    expect(row.shippingAddress).toEqual({
      address1: 'Sveavägen 1',
      address2: '2 tr',
      city: 'Stockholm',
      countryCode: 'FR',
      firstName: 'Sofja Wassiljewna',
      lastName: 'Kowalewskaja',
      phone: '+46 8 1',
      region: 'Uppland',
      postalCode: '111 57',
    })
    expect(row.billingAddress).toMatchObject({ firstName: null, lastName: 'Kowalewskaja' })
  })

  test('has no address where Vendure returns an object of nulls, and no customer where it has none', () => {
    const nowhere = Object.fromEntries(
      Object.keys(partly.shippingAddress).map((key) => [key, null]),
    )
    const { row, problems } = mapRaw('orders', {
      ...partly,
      shippingAddress: nowhere,
      billingAddress: null,
      customer: null,
    })
    expect(row).toMatchObject({ shippingAddress: null, billingAddress: null, customer: null })
    expect(problems).toEqual([])
  })

  test('has the fulfillment and payment status, which its own state does not include', () => {
    expect(mapRaw('orders', partly).row).toMatchObject({
      fulfillmentStatus: 'PartiallyShipped',
      paymentStatus: 'Authorized',
    })
    expect(mapRaw('orders', delivered).row).toMatchObject({
      // The refund is pending: the money is not back yet.
      fulfillmentStatus: 'Delivered',
      paymentStatus: 'Settled',
    })
  })

  test('that is cancelled has no amounts and no units, and is still paid', () => {
    const { row } = mapRaw('orders', cancelled)
    expect(row).toMatchObject({
      orderStatus: 'Cancelled',
      totalPrice: '0.00',
      totalTax: '0.00',
      paymentStatus: 'Settled',
      fulfillmentStatus: 'Unfulfilled',
      lineItems: [{ quantity: 0 }, { quantity: 0 }],
      remoteFields: { lines: [{ orderPlacedQuantity: 2 }, { orderPlacedQuantity: 3 }] },
    })
  })

  test('is dated by the last change of any of its parts', () => {
    const instant = (second: number) => `2030-01-01T00:00:0${second}.000Z`
    const updatedAtOfOrder = (changes: object) =>
      mapRaw('orders', { ...delivered, ...changes }).row.remoteUpdatedAt
    const [payment] = delivered.payments
    const [refund] = payment.refunds
    const [fulfillment] = delivered.fulfillments

    // The time of the last entry in the history of the order.
    expect(updatedAtOfOrder({})).toBe(refund.updatedAt)
    expect(updatedAtOfOrder({ updatedAt: instant(1) })).toBe(instant(1))
    expect(updatedAtOfOrder({ orderPlacedAt: instant(2) })).toBe(instant(2))
    expect(updatedAtOfOrder({ payments: [{ ...payment, updatedAt: instant(3) }] })).toBe(instant(3))
    const refunds = [{ ...refund, updatedAt: instant(4) }]
    expect(updatedAtOfOrder({ payments: [{ ...payment, refunds }] })).toBe(instant(4))
    expect(updatedAtOfOrder({ fulfillments: [{ ...fulfillment, updatedAt: instant(5) }] })).toBe(
      instant(5),
    )
    expect(updatedAtOfOrder({ modifications: [{ id: '1', updatedAt: instant(6) }] })).toBe(
      instant(6),
    )
    expect(updatedAtOfOrder({ history: { items: [{ createdAt: instant(7) }] } })).toBe(instant(7))
  })

  test('keeps fields outside of the common model under Vendure’s names', () => {
    const { remoteFields } = mapRaw('orders', delivered).row
    expect(remoteFields).toMatchObject({
      orderPlacedAt: delivered.orderPlacedAt,
      payments: [{ method: 'prepaid', refunds: [{ state: 'Pending', total: 1000 }] }],
      moneyStrategyPrecision: 2,
    })
    expect(remoteFields).not.toHaveProperty('history')
  })
})

describe('a fulfillment', () => {
  const [shipped, delivered] = readRawRecords('fulfillments')

  test('is found under its order, and its lines name the shipped variants', () => {
    const { row, problems } = mapRaw('fulfillments', shipped)
    expect(problems).toEqual([])
    expect(row).toMatchObject({
      remoteId: shipped.id,
      orderId: idOf('commerce/orders', shipped.orderId),
      carrier: 'DHL',
      service: null,
      trackingNumbers: ['T-1'],
      trackingUrls: [],
      lineItems: [{ ...lineOf('S', 2), lineItemId: shipped.lines[0].orderLineId }],
      remoteCreatedAt: shipped.createdAt,
      remoteUpdatedAt: shipped.updatedAt,
      remoteFields: { state: 'Shipped', orderId: shipped.orderId },
    })
  })

  test('has no tracking number if Vendure has an empty code or none', () => {
    expect(delivered.trackingCode).toBe('')
    expect(mapRaw('fulfillments', delivered).row.trackingNumbers).toEqual([])
    const without = { ...delivered, trackingCode: null }
    expect(mapRaw('fulfillments', without).row.trackingNumbers).toEqual([])
  })

  test('keeps a line whose order line is gone', () => {
    const { row, problems } = mapRaw('fulfillments', {
      ...shipped,
      lines: [{ orderLineId: '99', quantity: 1, orderLine: null }],
    })
    expect(row.lineItems).toMatchObject([{ lineItemId: '99', quantity: 1, price: null }])
    expect(problems).toEqual([])
  })
})

describe('a product', () => {
  const [bright, bare] = readRawRecords('products')

  test('has its variants, each with its own id', () => {
    const { row, problems } = mapRaw('products', bright)
    expect(problems).toEqual([])
    expect(row).toMatchObject({
      productName: 'Lamp',
      description: '<p>Bright.</p>',
      productStatus: 'enabled',
      tags: ['Modern'],
      images: [],
      productType: null,
      vendor: null,
      productUrl: null,
      remoteCreatedAt: bright.createdAt,
      remoteFields: { slug: 'lamp', defaultCurrencyCode: 'EUR', pricesIncludeTax: false },
    })
    expect(row.variants).toEqual([
      {
        id: idOf('commerce/products.variants', '1'),
        remoteId: '1',
        title: 'Lamp S',
        price: '11.00',
        sku: 'LAMP-S',
        weight: null,
        optionValues: [{ name: 'Size', value: 'S' }],
        inventory: { totalCount: bright.variants[0].stockLevels[0].stockOnHand },
      },
      {
        id: idOf('commerce/products.variants', '2'),
        remoteId: '2',
        title: 'Lamp L',
        // In euros, the channel's currency, although a price in yen exists too.
        price: '19.99',
        sku: 'LAMP-L',
        weight: null,
        optionValues: [{ name: 'Size', value: 'L' }],
        // Its stock is not tracked, so Vendure's number has no meaning.
        inventory: null,
      },
    ])
  })

  test('may have no variants, and may be disabled', () => {
    expect(mapRaw('products', bare).row).toMatchObject({ productStatus: 'disabled', variants: [] })
  })

  test('is dated by the last change of a variant or its stock', () => {
    const [small] = bright.variants
    const updatedAtOfProduct = (variant: object) =>
      mapRaw('products', { ...bright, variants: [variant] }).row.remoteUpdatedAt
    const late = '2030-01-01T00:00:00.000Z'
    expect(updatedAtOfProduct(small)).toBe(small.updatedAt)
    expect(updatedAtOfProduct({ ...small, updatedAt: late })).toBe(late)
    const stockLevels = [{ ...small.stockLevels[0], updatedAt: late }]
    expect(updatedAtOfProduct({ ...small, stockLevels })).toBe(late)
  })

  test('has no price if a variant has none in the currency of the channel', () => {
    const { row } = mapRaw('products', bright, { ...CONTEXT, defaultCurrencyCode: 'USD' })
    expect(row.variants).toMatchObject([{ price: null }, { price: null }])
  })

  test('has the stock of all locations, and none if the shop tracks none', () => {
    const [small] = bright.variants
    const stockLevels = [{ stockOnHand: 3 }, { stockOnHand: 4 }]
    const inventoryOf = (settings: object) =>
      mapRaw(
        'products',
        { ...bright, variants: [{ ...small, stockLevels }] },
        { ...CONTEXT, ...settings },
      ).row.variants
    expect(inventoryOf({})).toMatchObject([{ inventory: { totalCount: 7 } }])
    expect(inventoryOf({ globalTrackInventory: false })).toMatchObject([{ inventory: null }])
  })

  test('shows its own picture first, and each picture once', () => {
    const assets = [{ preview: 'https://x/b.jpg' }, { preview: 'https://x/a.jpg' }]
    const pictured = { ...bright, assets, featuredAsset: { preview: 'https://x/a.jpg' } }
    expect(mapRaw('products', pictured).row.images).toEqual(['https://x/a.jpg', 'https://x/b.jpg'])
  })
})

describe('a customer', () => {
  test('has a name, an e-mail address and an optional phone number', () => {
    const [withAccount, guest] = readRawRecords('customers')
    const { row, problems } = mapRaw('customers', withAccount)
    expect(problems).toEqual([])
    expect(row).toMatchObject({
      remoteId: withAccount.id,
      firstName: 'Emmy',
      lastName: 'Noether',
      email: 'emmy@example.org',
      phone: '+49 421 1',
      remoteCreatedAt: withAccount.createdAt,
      remoteUpdatedAt: withAccount.updatedAt,
      remoteFields: { title: 'Dr' },
    })
    expect(mapRaw('customers', guest).row).toMatchObject({
      phone: null,
      remoteFields: { user: null },
    })
    expect(mapRaw('customers', { ...guest, phoneNumber: '' }).row.phone).toBeNull()
  })
})
