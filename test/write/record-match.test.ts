/** Comparison of an app’s record with a write request, for the requested fields only. */
import { describe, expect, test } from 'vitest'
import type { Json, ResourceConnector, WriteInput } from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createDataset } from '../../src/sandbox/company/history.ts'
import { recordBody } from '../../src/sandbox/responses.ts'
import { isAsRequested, matchRecord } from '../../src/write/record-match.ts'
import {
  CONTEXT,
  CREDENTIAL,
  findResource,
  readRawRecords,
} from '../connectors/vendure/fixtures.ts'

type FieldValues = Readonly<Record<string, Json>>

const writeInput = (fields: FieldValues, remoteFields: FieldValues = {}): WriteInput => ({
  fields,
  remoteFields,
})
const mapFound = ({ mapping }: ResourceConnector, raw: unknown) => ({
  raw,
  row: createMapper(mapping)(raw, CREDENTIAL, { context: CONTEXT }).row,
})

const { records } = await createDataset({
  tenant: 'acme',
  seed: 1,
  start: '2026-03-02T12:00:00.000Z',
})

describe('an order of the sandbox', () => {
  const connector = connectors.get('sandbox')?.resources['commerce/orders']
  if (!connector) throw new Error('The sandbox has no orders.')
  const raw = records
    .filter(({ kind }) => kind === 'orders')
    .map((record) => JSON.parse(JSON.stringify(recordBody(record))))
    .find(({ lineItems, shippingAddress }) => lineItems.length > 1 && shippingAddress?.city)
  const { lineItems: items, shippingAddress, orderNumber: number, totalPrice: total } = raw
  const changeLines = (change: (item: (typeof items)[number]) => FieldValues): Json =>
    items.map(change)
  const isMatch = (fields: FieldValues) =>
    isAsRequested(connector, CREDENTIAL, writeInput(fields), mapFound(connector, raw))

  test.each<[string, FieldValues]>([
    ['part of each line', { lineItems: changeLines(({ quantity, sku }) => ({ quantity, sku })) }],
    ['the variant of each line', { lineItems: changeLines(({ variantId }) => ({ variantId })) }],
    ['the price of each line', { lineItems: changeLines((item) => ({ price: `${item.price}0` })) }],
    ['part of an address', { shippingAddress: { city: shippingAddress.city } }],
    ['an amount with an exponent', { totalPrice: `${total.replace('.', '')}e-2` }],
    [
      'several fields',
      { orderNumber: number, shippingAddress: { address1: shippingAddress.address1 } },
    ],
  ])('matches by %s', (_, fields) => {
    expect(isMatch(fields)).toBe(true)
  })

  test.each<[string, FieldValues]>([
    [
      'the quantity of a line',
      { lineItems: changeLines(({ quantity }) => ({ quantity: quantity + 1 })) },
    ],
    ['the number of lines', { lineItems: items.slice(1).map(({ sku }: FieldValues) => ({ sku })) }],
    [
      'the order of lines',
      { lineItems: items.toReversed().map(({ sku }: FieldValues) => ({ sku })) },
    ],
    ['part of an address', { shippingAddress: { city: `${shippingAddress.city} Nord` } }],
    ['a missing address', { shippingAddress: null }],
    ['a leading zero of a text number', { orderNumber: `0${number}` }],
    ['the last digit of an amount', { totalPrice: `${total}01` }],
  ])('does not match if it differs in %s', (_, fields) => {
    expect(isMatch(fields)).toBe(false)
  })
})

describe('a new record of Vendure', () => {
  const match = (name: string, raw: unknown, input: WriteInput) =>
    matchRecord(findResource(name), CREDENTIAL, input, mapFound(findResource(name), raw))

  const [lamp] = readRawRecords('products')
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
    ['with a slug that the shop normalises', writeInput({ productName }, { slug: 'My Slug' })],
    ['with assets', writeInput({ productName }, { assetIds: ['1'] })],
    ['without a description', writeInput({ productName, description: null })],
    [
      'with options in another order and no stock keeping unit',
      writeInput({ productName, variants }),
    ],
  ])('matches the requested product %s', (_, input) => {
    expect(match('products', product, input)).toBe('same')
  })

  test('may match the requested product while its variants do not exist yet', () => {
    const half = { ...product, variants: [] }
    expect(match('products', half, writeInput({ productName, variants }))).toBe('unclear')
  })

  test('does not match a product with another name', () => {
    const other = { ...product, name: 'Chair' }
    expect(match('products', other, writeInput({ productName }, { slug: 'My Slug' }))).toBe('other')
  })

  test('matches a customer with the address in capitals and an empty phone number', () => {
    const [, customer] = readRawRecords('customers')
    const name = { firstName: 'Sofja', lastName: 'Kowalewskaja' }
    const input = writeInput({ ...name, email: ' Sofja@Example.ORG', phone: '' })
    expect(match('customers', customer, input)).toBe('same')
  })

  describe('that is a fulfillment', () => {
    const [shipment] = readRawRecords('fulfillments')
    const lineItems = [{ lineItemId: '3', quantity: 2 }]
    const handler = { code: 'own', arguments: [] }
    const ship = { orderId: '2', carrier: 'DHL', lineItems }

    test.each<[string, WriteInput]>([
      ['with part of its lines’ fields', writeInput({ ...ship, trackingNumbers: ['T-1'] })],
      ['with a handler of the shop', writeInput({ orderId: '2', lineItems }, { handler })],
      ['in a later state', writeInput(ship, { state: 'Shipped' })],
    ])('matches the request %s', (_, input) => {
      expect(match('fulfillments', shipment, input)).toBe('same')
    })

    test.each<[string, WriteInput]>([
      ['under another number', writeInput({ ...ship, trackingNumbers: ['T-2'] })],
      ['in another state', writeInput(ship, { state: 'Delivered' })],
    ])('may match the request %s', (_, input) => {
      expect(match('fulfillments', shipment, input)).toBe('unclear')
    })

    test.each<[string, FieldValues]>([
      ['another order', { orderId: '4' }],
      [
        'another number and other lines',
        { trackingNumbers: ['T-2'], lineItems: [{ quantity: 1 }] },
      ],
    ])('does not match a request with %s', (_, other) => {
      expect(match('fulfillments', shipment, writeInput({ ...ship, ...other }))).toBe('other')
    })
  })

  test('never matches an update of values that it does not show', () => {
    const found = mapFound(findResource('products'), product)
    const input = writeInput({ productName }, { slug: 'My Slug' })
    expect(isAsRequested(findResource('products'), CREDENTIAL, input, found)).toBe(false)
  })
})
