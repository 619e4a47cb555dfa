/** The real Vendure with lost responses to creates: the created record is found, and never created twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeOrder } from '../apps/vendure/checkout.ts'
import { createProduct } from '../apps/vendure/shop.ts'
import { type Product, readOrder } from '../apps/vendure/state.ts'
import { type Connection, connectVendure } from './vendure/connection.ts'
import { missing } from './vendure/harness.ts'
import { createKey, WRITING } from './vendure/key.ts'
import { type LossyProxy, openLossyProxy } from './vendure/lossy-proxy.ts'

describe.skipIf(missing)(
  `a lost response of the real Vendure${missing ? `: ${missing}` : ''}`,
  () => {
    let line: LossyProxy
    let shop: Connection
    let lamp: Product
    beforeAll(async () => {
      line = await openLossyProxy()
      shop = await connectVendure(async (vendure) => ({
        ...(await createKey(vendure, WRITING)),
        url: line.forwardTo(vendure.url),
      }))
      lamp = await createProduct(shop.vendure, {
        name: 'Lamp',
        variants: [{ sku: 'LAMP', price: 1000, stockOnHand: 1000, options: { Size: 'S' } }],
      })
    }, 120_000)
    afterAll(async () => {
      await shop?.close()
      await line?.stop()
    })

    let counter = 0
    const create = (path: string, body: object, key: string) =>
      shop.service.send(
        shop.tenant.key,
        'POST',
        `/2024-03/one/commerce${path}?credentialId=${shop.credentialId}`,
        body,
        { 'idempotency-key': key },
      )
    /** Repeats the request until the outcome is known, and once more. @returns the last response */
    const createLost = async (path: string, body: object, mutation: string) => {
      const key = `lost-${++counter}`
      line.dropResponseTo(mutation)
      await create(path, body, key)
      return create(path, body, key)
    }
    const findInVendure = async (
      list: string,
      filter: object,
    ): Promise<readonly { id: string }[]> => {
      const options = { filter }
      const type = `${list === 'products' ? 'Product' : 'Customer'}ListOptions`
      const found = await shop.vendure.admin<Record<string, { items: { id: string }[] }>>(
        `query ($options: ${type}) { ${list}(options: $options) { items { id } } }`,
        { options },
      )
      return found[list]?.items ?? []
    }

    const variant = { price: '1.50', sku: 'N1', inventory: { totalCount: 4 } }
    const optionValues = [
      { name: 'Size', value: 'S' },
      { name: 'Colour', value: 'red' },
    ]
    test.each<[string, object, string]>([
      ['with part of a variant', { variants: [variant] }, 'createProductVariants'],
      [
        'with an empty stock keeping unit',
        { variants: [{ ...variant, sku: '' }] },
        'createProductVariants',
      ],
      [
        'with options in another order',
        { variants: [{ ...variant, optionValues }] },
        'createProductVariants',
      ],
      ['with a slug that Vendure rewrites', { remoteFields: { slug: 'My Slug' } }, 'createProduct'],
      [
        'with a field that Vendure does not return',
        { remoteFields: { assetIds: [] } },
        'createProduct',
      ],
      ['without a description', { description: null }, 'createProduct'],
    ])('finds a product %s', async (title, fields, mutation) => {
      const productName = `Chair ${title}`
      const response = await createLost('/products', { productName, ...fields }, mutation)
      expect(response.statusCode, response.body).toBe(200)
      const createdRecords = await findInVendure('products', { name: { eq: productName } })
      expect(createdRecords).toEqual([{ id: response.json().product.remoteId }])
    })

    test('a half-created product is reported as unknown, identified, and not created again', async () => {
      const input = { productName: 'Half a chair', variants: [variant] }
      const response = await createLost('/products', input, 'createProduct')
      const createdRecords = await findInVendure('products', { name: { eq: input.productName } })
      expect(createdRecords).toHaveLength(1)
      expect(response.json().error).toMatchObject({
        code: 'WRITE_OUTCOME_UNKNOWN',
        details: [{ field: 'remoteId', current: createdRecords[0]?.id }],
      })
    })

    test.each([
      ['with capitals and a space in the address', { email: ' Amalie@Example.org' }],
      ['with an empty phone number', { email: 'emmy@example.org', phone: '' }],
    ])('finds a customer %s', async (_, fields) => {
      const input = { firstName: 'Emmy', lastName: 'Noether', ...fields }
      const response = await createLost('/customers', input, 'createCustomer')
      expect(response.statusCode, response.body).toBe(200)
      const eq = input.email.trim().toLowerCase()
      const createdRecords = await findInVendure('customers', { emailAddress: { eq } })
      expect(createdRecords).toEqual([{ id: response.json().customer.remoteId }])
    })

    const handler = {
      code: 'manual-fulfillment',
      arguments: [
        { name: 'method', value: 'Own' },
        { name: 'trackingCode', value: 'O-1' },
      ],
    }
    test.each<[string, object]>([
      ['of part of its lines', { carrier: 'DHL', trackingNumbers: ['t1'] }],
      ['by a handler', { remoteFields: { handler } }],
    ])('finds a fulfillment %s', async (_, fields) => {
      const order = await placeOrder(shop.vendure, {
        customer: { firstName: 'Sofja', lastName: 'K', emailAddress: 'sofja@example.org' },
        lines: lamp.variants.map(({ id }) => ({ variantId: id, quantity: 2 })),
      })
      await shop.sync()
      const lineItems = order.lines.map(({ id }) => ({ lineItemId: id, quantity: 1 }))
      const path = `/orders/${order.id}/fulfillments`
      const response = await createLost(path, { lineItems, ...fields }, 'addFulfillmentToOrder')
      expect(response.statusCode, response.body).toBe(200)
      const { fulfillments } = (await readOrder(shop.vendure, order.id)) ?? {}
      expect(fulfillments).toMatchObject([{ id: response.json().fulfillment.remoteId }])
    })
  },
)
