/** Whether a record of an app is what it was asked to be: told field by field, as far as was asked. */
import { describe, expect, test } from 'vitest'
import type { Json, ResourceConnector, WriteInput } from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { connectors } from '../../src/generated/registry.ts'
import { shown } from '../../src/sandbox/answers.ts'
import { createDataset } from '../../src/sandbox/dataset.ts'
import { isAsAsked, likenessOf } from '../../src/sync/likeness.ts'
import { CREDENTIAL, rawRecords, resource } from '../connectors/vendure/fixtures.ts'

type Given = Readonly<Record<string, Json>>

const asked = (fields: Given, remoteFields: Given = {}): WriteInput => ({ fields, remoteFields })
const foundAs = ({ mapping }: ResourceConnector, raw: unknown) => ({
  ...{ raw, row: createMapper(mapping)(raw, CREDENTIAL).row },
})

describe('an order of the sandbox', () => {
  const connector = connectors.get('sandbox')?.resources['commerce/orders']
  if (!connector) throw new Error('The sandbox has no orders.')
  const { records } = createDataset({ tenant: 'acme', seed: 1, start: '2026-03-02T12:00:00.000Z' })
  const raw = records
    .filter(({ kind }) => kind === 'orders')
    .map((record) => JSON.parse(JSON.stringify(shown(record))))
    .find(({ items, ship_to }) => items.length > 1 && ship_to !== null)
  const { items, ship_to, number, total } = raw
  const lines = (change: (item: (typeof items)[number]) => Given): Json => items.map(change)
  const isSo = (fields: Given) =>
    isAsAsked(connector, CREDENTIAL, asked(fields), foundAs(connector, raw))

  test.each<[string, Given]>([
    ['part of each line', { lineItems: lines(({ quantity, sku }) => ({ quantity, sku })) }],
    ['the variant of each line', { lineItems: lines(({ variant }) => ({ variantId: variant })) }],
    ['the price of each line', { lineItems: lines((item) => ({ price: `${item.unit_price}0` })) }],
    ['part of an address', { shippingAddress: { city: ship_to.city } }],
    ['an amount with an exponent', { totalPrice: `${total.replace('.', '')}e-2` }],
    ['all of this', { orderNumber: number, shippingAddress: { address1: ship_to.line1 } }],
  ])('is as asked by %s', (_, fields) => {
    expect(isSo(fields)).toBe(true)
  })

  test.each<[string, Given]>([
    [
      'the quantity of a line',
      { lineItems: lines(({ quantity }) => ({ quantity: quantity + 1 })) },
    ],
    ['the number of lines', { lineItems: items.slice(1).map(({ sku }: Given) => ({ sku })) }],
    ['the order of lines', { lineItems: items.toReversed().map(({ sku }: Given) => ({ sku })) }],
    ['part of an address', { shippingAddress: { city: `${ship_to.city} Nord` } }],
    ['an address that is gone', { shippingAddress: null }],
    ['the digits of a number that is a text', { orderNumber: `0${number}` }],
    ['the last digit of an amount', { totalPrice: `${total}01` }],
  ])('is not as asked where it differs by %s', (_, fields) => {
    expect(isSo(fields)).toBe(false)
  })
})

describe('a new record of Vendure', () => {
  const likeness = (name: string, raw: unknown, input: WriteInput) =>
    likenessOf(resource(name), CREDENTIAL, input, foundAs(resource(name), raw))

  const [lamp] = rawRecords('products')
  const variant = {
    ...lamp.variants[0],
    sku: '',
    options: [
      { name: 'red', group: { name: 'Colour' } },
      { name: 'S', group: { name: 'Size' } },
    ],
  }
  const product = { ...lamp, slug: 'my-slug-2', description: '', variants: [variant] }
  const optionValues = [
    { name: 'Size', value: 'S' },
    { name: 'Colour', value: 'red' },
  ]
  const variants = [{ price: '11', sku: '', optionValues, inventory: { totalCount: 46 } }]
  const productName = 'Lamp'

  test.each<[string, WriteInput]>([
    ['under a slug of the shop’s form', asked({ productName }, { slug: 'My Slug' })],
    ['with assets that are shown as pictures', asked({ productName }, { assetIds: ['1'] })],
    ['without a description', asked({ productName, description: null })],
    ['with choices in another order and no stock keeping unit', asked({ productName, variants })],
  ])('is the product that was asked for %s', (_, input) => {
    expect(likeness('products', product, input)).toBe('same')
  })

  test('may be the product that was asked for, where its variants are not made yet', () => {
    const half = { ...product, variants: [] }
    expect(likeness('products', half, asked({ productName, variants }))).toBe('unclear')
  })

  test('is another product where its name is another', () => {
    const other = { ...product, name: 'Chair' }
    expect(likeness('products', other, asked({ productName }, { slug: 'My Slug' }))).toBe('other')
  })

  test('is the customer of an address in capitals, whose telephone number is empty', () => {
    const [, customer] = rawRecords('customers')
    const name = { firstName: 'Sofja', lastName: 'Kowalewskaja' }
    const input = asked({ ...name, email: ' Sofja@Example.ORG', phone: '' })
    expect(likeness('customers', customer, input)).toBe('same')
  })

  describe('that is a fulfillment', () => {
    const [shipment] = rawRecords('fulfillments')
    const lineItems = [{ lineItemId: '3', quantity: 2 }]
    const handler = { code: 'own', arguments: [] }
    const ship = { orderId: '2', carrier: 'DHL', lineItems }

    test.each<[string, WriteInput]>([
      ['with part of its lines’ fields', asked({ ...ship, trackingNumbers: ['T-1'] })],
      ['by a handler of the shop’s', asked({ orderId: '2', lineItems }, { handler })],
      ['and moved on', asked(ship, { state: 'Shipped' })],
    ])('is the one that was asked for %s', (_, input) => {
      expect(likeness('fulfillments', shipment, input)).toBe('same')
    })

    test.each<[string, WriteInput]>([
      ['under another number', asked({ ...ship, trackingNumbers: ['T-2'] })],
      ['in another state', asked(ship, { state: 'Delivered' })],
    ])('may be the one that was asked for %s', (_, input) => {
      expect(likeness('fulfillments', shipment, input)).toBe('unclear')
    })

    test.each<[string, Given]>([
      ['another order', { orderId: '4' }],
      [
        'another number and other lines',
        { trackingNumbers: ['T-2'], lineItems: [{ quantity: 1 }] },
      ],
    ])('is another one where it was asked for with %s', (_, other) => {
      expect(likeness('fulfillments', shipment, asked({ ...ship, ...other }))).toBe('other')
    })
  })

  test('is never taken for an update of what it does not show', () => {
    const found = foundAs(resource('products'), product)
    const input = asked({ productName }, { slug: 'My Slug' })
    expect(isAsAsked(resource('products'), CREDENTIAL, input, found)).toBe(false)
  })
})
