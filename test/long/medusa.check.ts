/**
 * The real Medusa: what the service stores is compared with what Medusa's own Admin API returns, field by field.
 */
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/medusa/manifest.ts'
import { recordId } from '../../src/definition/identity.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import {
  createLamp,
  createShop,
  fulfillOrder,
  payOrder,
  placeOrder,
  type Shop,
} from '../apps/medusa/shop.ts'
import { type Medusa, medusaMissing, startMedusa } from '../apps/medusa/start.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { findUnusedAddress } from '../support/unused-address.ts'
import { testVault } from '../support/vault.ts'
import { expectedRecordsOf, type Loose } from './medusa/expected.ts'

const missing = medusaMissing()
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

describe.skipIf(missing)(`the real Medusa${missing ? `: ${missing}` : ''}`, () => {
  let medusa: Medusa
  let shop: Shop
  let lamp: Loose
  let service: TestService
  let tenant: Tenant
  let credentialId: string
  let expectedRecords: ReturnType<typeof expectedRecordsOf>
  let sync: Sync
  /** Lists everything in each run, which `sync` does once an hour. */
  let fullSync: Sync
  let worker: InboundWorker
  let publicUrl: string

  beforeAll(async () => {
    publicUrl = await findUnusedAddress()
    medusa = await startMedusa()
    shop = await createShop(medusa)
    lamp = await createLamp(medusa, shop)
    service = await startService({ allowPrivateAddresses: true, publicUrl })
    tenant = await service.createTenant('development', [])
    credentialId = await createCredential(service.database, testVault, {
      environmentId: tenant.environmentId,
      userId: tenant.userId,
      connector,
      values: { url: medusa.url, apiKey: medusa.apiKey },
    })
    expectedRecords = expectedRecordsOf(medusa, credentialId)
    const parts = {
      database: service.database,
      vault: testVault,
      appClient: service.runtime.appClient,
      log: pino({ level: 'silent' }),
    }
    sync = createSync({ ...parts, connectors })
    const resources = Object.entries(connector.resources).map(
      ([topic, resource]) =>
        [topic, { ...resource, sync: { ...resource.sync, fullListingEveryMs: 0 } }] as const,
    )
    const fullConnector = { ...connector, resources: Object.fromEntries(resources) }
    fullSync = createSync({ ...parts, connectors: new Map([[connector.app, fullConnector]]) })
  }, 500_000)
  afterAll(async () => {
    await worker?.stop()
    await sync?.stop()
    await fullSync?.stop()
    await service?.stop()
    await medusa?.stop()
  })

  const listStored = async (topic: string): Promise<Loose[]> => {
    const path = `/commerce/${topic}?credentialId=${credentialId}&pageSize=100`
    const response = await service.rest(tenant.key, path)
    expect(response.statusCode).toBe(200)
    return response.json()[topic]
  }
  /** One record, which may be deleted in the app; null if it is not stored. */
  const find = async (name: string, remoteId: string): Promise<Loose> => {
    const path = `/commerce/${name}s/${remoteId}?credentialId=${credentialId}`
    const response = await service.rest(tenant.key, path)
    return response.statusCode === 200 ? response.json()[name] : null
  }
  const idOf = (topic: string, remoteId: string): string =>
    recordId(credentialId, `commerce/${topic}`, remoteId)

  const sortById = (records: readonly Loose[]): readonly Loose[] =>
    records.toSorted((a, b) => (a.remoteId < b.remoteId ? -1 : 1))

  /** Compares all records that are not deleted, and every field but the service's own. */
  const expectAllSame = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const [topic, expected] of Object.entries(await expectedRecords())) {
      const present = (await listStored(topic)).filter(({ remoteDeleted }) => !remoteDeleted)
      counts[topic] = present.length
      expect(
        sortById(present).map(
          ({ createdAt, updatedAt, remoteFields, remoteUpdatedAt, ...rest }) => ({
            ...rest,
            ...(topic === 'customers' && { remoteUpdatedAt }),
          }),
        ),
      ).toEqual(sortById(expected))
    }
    return counts
  }

  /**
   * Waits for the end of the overlap, so that later listings find changes by their time and not because every
   * record is recent.
   */
  const passOverlap = async (): Promise<void> => {
    await service.database.prisma.syncState.updateMany({
      where: { credentialId },
      data: { since: new Date() },
    })
  }

  const changeCount = async (): Promise<number> => {
    const [row] = await service.database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM change_log.changes WHERE topic LIKE 'commerce/%'`
    return row?.count ?? 0
  }

  const lampLines = (quantity: number) =>
    lamp.variants.map(({ id }: Loose) => ({ variant_id: id, quantity }))

  test('is listed completely, without drafts', async () => {
    const order = await placeOrder(medusa, shop, lampLines(2))
    await payOrder(medusa, order.id)
    await fulfillOrder(medusa, shop, order.id)
    await placeOrder(medusa, shop, lampLines(1), 'emmy@example.org')
    await sync.syncNow(credentialId)
    expect(await expectAllSame()).toEqual({
      customers: 2,
      products: 1,
      orders: 2,
      fulfillments: 1,
    })
    const failures = await service.database.prisma.syncState.findMany({
      where: { failureCode: { not: null } },
    })
    expect(failures).toEqual([])
  })

  test('is not written again if nothing has changed', async () => {
    const before = await changeCount()
    await sync.syncNow(credentialId)
    expect(await changeCount()).toBe(before)
  })

  test('shows what has changed in the shop after the next listing of changes', async () => {
    await passOverlap()
    const { admin } = medusa
    const [first] = lamp.variants
    const product = `products/${lamp.id}`

    await admin('POST', product, { title: 'Desk lamp' })
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const price = { prices: [{ currency_code: 'eur', amount: 12.34 }] }
    await admin('POST', `${product}/variants/${first.id}`, { ...price, sku: 'LAMP-1' })
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const order = await placeOrder(medusa, shop, [{ variant_id: first.id, quantity: 1 }])
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const payment = await payOrder(medusa, order.id)
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const fulfillment = await fulfillOrder(medusa, shop, order.id)
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    await admin('POST', `orders/${order.id}/fulfillments/${fulfillment.id}/shipments`, {
      items: order.items.map(({ id, quantity }: Loose) => ({ id, quantity })),
      labels: [{ tracking_number: 'T-1', tracking_url: 'https://t.example/1', label_url: '#' }],
    })
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    await admin('POST', `orders/${order.id}`, { shipping_address: { city: 'Hamburg' } })
    await admin('POST', `payments/${payment.id}/refund`, { amount: 1 })
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const { customer } = await admin('POST', 'customers', { email: 'sofja@example.org' })
    await admin('POST', `customers/${customer.id}`, { last_name: 'Kowalewskaja' })
    await sync.syncNow(credentialId)
    await expectAllSame()

    await passOverlap()
    const other = await createLamp(medusa, shop, 'Floor lamp')
    await sync.syncNow(credentialId)
    await expectAllSame()
    await passOverlap()
    await admin('DELETE', `products/${other.id}`)
    await sync.syncNow(credentialId)
    await expectAllSame()

    // The count shows that a customer is gone; two full listings confirm it.
    await admin('DELETE', `customers/${customer.id}`)
    for (const _ of [1, 2, 3]) await sync.syncNow(credentialId)
    await expectAllSame()
    expect(await find('customer', customer.id)).toMatchObject({
      remoteDeleted: true,
      lastName: 'Kowalewskaja',
    })
  })

  test('shows changes that no update time reveals after the next full listing', async () => {
    const { admin } = medusa
    const product = `products/${lamp.id}`
    const spare = await createLamp(medusa, shop, 'Spare lamp')
    await sync.syncNow(credentialId)
    const { product_tag: tag } = await admin('POST', 'product-tags', { value: 'light' })
    const images = [{ url: 'https://shop.example/3.png' }]
    await admin('POST', product, { tags: [{ id: tag.id }], images })
    const fields = 'id,variants.inventory_items.inventory_item_id'
    const { product: stocked } = await admin('GET', `${product}?fields=${fields}`)
    const { inventory_item_id: item } = stocked.variants[0].inventory_items[0]
    await admin('POST', `inventory-items/${item}/location-levels/${shop.locationId}`, {
      stocked_quantity: 33,
    })
    await admin('DELETE', `products/${spare.id}/variants/${spare.variants[1].id}`)
    await fullSync.syncNow(credentialId)
    await expectAllSame()
  })

  const write = async (
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<{ status: number; body: Loose }> => {
    const url = `/2024-03/one/commerce/${path}?credentialId=${credentialId}`
    const response = await service.send(tenant.key, method, url, payload)
    return { status: response.statusCode, body: response.json() }
  }

  test('is written: a customer', async () => {
    const { body } = await write('POST', 'customers', {
      firstName: 'Maria',
      lastName: 'Agnesi',
      email: 'maria@example.org',
      phone: '+39 1',
      remoteFields: { company_name: 'Agnesi' },
    })
    const { remoteId } = body.customer
    expect((await medusa.admin('GET', `customers/${remoteId}`)).customer).toMatchObject({
      first_name: 'Maria',
      last_name: 'Agnesi',
      email: 'maria@example.org',
      phone: '+39 1',
      company_name: 'Agnesi',
    })
    const updated = await write('PATCH', `customers/${remoteId}`, { lastName: 'G.', phone: null })
    expect(updated.body.customer).toMatchObject({ firstName: 'Maria', lastName: 'G.', phone: null })
    await expectAllSame()
    const invalid = await write('PATCH', `customers/${remoteId}`, { email: 'not an address' })
    expect(invalid.status).toBe(400)
    expect((await write('DELETE', `customers/${remoteId}`)).status).toBe(200)
    await expect(medusa.admin('GET', `customers/${remoteId}`)).rejects.toThrow('404')
    await expectAllSame()
  })

  test('is written: a product with variants', async () => {
    const variant = (size: string, price: number) => ({
      title: size,
      sku: `SHADE-${size}`,
      price,
      weight: { value: 120 },
      optionValues: [{ name: 'Size', value: size }],
    })
    const { body } = await write('POST', 'products', {
      productName: 'Shade',
      description: 'Linen.',
      productStatus: 'published',
      images: ['https://shop.example/shade.png'],
      variants: [variant('S', 7.5), variant('L', 9.99)],
      remoteFields: { sales_channels: [{ id: shop.salesChannelId }] },
    })
    await expectAllSame()
    const { remoteId, variants } = body.product
    const { product } = await medusa.admin('GET', `products/${remoteId}`)
    expect(product).toMatchObject({ title: 'Shade', description: 'Linen.', status: 'published' })
    // Prices in other currencies and prices with a rule stay unchanged.
    const [{ id: small }] = product.variants
    const prices = [
      ...product.variants[0].prices.map(({ id, amount }: Loose) => ({ id, amount })),
      { currency_code: 'usd', amount: 8 },
      { currency_code: 'eur', amount: 2, rules: { region_id: shop.regionId } },
    ]
    await medusa.admin('POST', `products/${remoteId}/variants/${small}`, { prices })
    await sync.syncNow(credentialId)
    const changed = await write('PATCH', `products/${remoteId}`, {
      productName: 'Lampshade',
      variants: [
        ...variants.map(({ remoteId: id, price, title }: Loose) => ({
          remoteId: id,
          title,
          price: Number(price) + 1,
        })),
        variant('XL', 12),
      ],
    })
    expect(changed.body).toMatchObject({ product: { productName: 'Lampshade' } })
    await expectAllSame()
    const { product: now } = await medusa.admin('GET', `products/${remoteId}`)
    const others = now.variants
      .find(({ id }: Loose) => id === small)
      .prices.filter(
        ({ currency_code: code, rules }: Loose) => code === 'usd' || Object.keys(rules).length > 0,
      )
      .map(({ amount, rules }: Loose) => [amount, rules])
    expect(others).toHaveLength(2)
    expect(others).toContainEqual([8, {}])
    expect(others).toContainEqual([2, { region_id: shop.regionId }])
    const incomplete = await write('PATCH', `products/${remoteId}`, { variants: [] })
    expect(incomplete.body.error.details[0].field).toBe('variants')
    expect((await write('DELETE', `products/${remoteId}`)).status).toBe(200)
    await expectAllSame()
  })

  test('is written: an order and its fulfillment', async () => {
    const address = {
      firstName: 'Grete',
      lastName: 'Hermann',
      address1: 'Am Wall 1',
      city: 'Bremen',
      postalCode: '28195',
      countryCode: 'DE',
    }
    const [variant] = lamp.variants
    const { body } = await write('POST', 'orders', {
      customer: { email: 'grete@example.org' },
      lineItems: [{ variantId: idOf('products.variants', variant.id), quantity: 2 }],
      shippingAddress: address,
      billingAddress: address,
      remoteFields: {
        region_id: shop.regionId,
        sales_channel_id: shop.salesChannelId,
        shipping_methods: [
          { name: 'Standard', shipping_option_id: shop.shippingOptionId, amount: 3.5 },
        ],
      },
    })
    expect(body.order).toMatchObject({ orderStatus: 'pending', totalShipping: '3.5' })
    await expectAllSame()
    const { remoteId, id: orderId, remoteFields } = body.order
    const updated = await write('PATCH', `orders/${remoteId}`, {
      shippingAddress: { ...address, city: 'Oldenburg', phone: '+49 441 1' },
    })
    expect(updated.body.order.shippingAddress).toMatchObject({ city: 'Oldenburg' })
    const [item] = remoteFields.items
    const lineItems = [{ lineItemId: item.id, quantity: 2 }]
    const packed = await write('POST', 'fulfillments', {
      orderId,
      lineItems,
      remoteFields: { location_id: shop.locationId },
    })
    const fulfillment = `fulfillments/${packed.body.fulfillment.remoteId}`
    await expectAllSame()
    expect((await write('DELETE', fulfillment)).status).toBe(200)
    await expectAllSame()
    const again = await write('POST', 'fulfillments', {
      orderId,
      lineItems,
      remoteFields: { location_id: shop.locationId },
    })
    const shipped = await write('PATCH', `fulfillments/${again.body.fulfillment.remoteId}`, {
      trackingNumbers: ['T-2'],
    })
    expect(shipped.body.fulfillment.trackingNumbers).toEqual(['T-2'])
    await expectAllSame()
  })

  test('is connected by e-mail address and password', async () => {
    const { email, password } = medusa.user
    const values = { url: medusa.url, email, password }
    const session = await createCredential(service.database, testVault, {
      environmentId: tenant.environmentId,
      userId: tenant.userId,
      connector,
      values,
      method: 'password',
    })
    await sync.syncNow(session)
    const response = await service.rest(tenant.key, `/commerce/orders?credentialId=${session}`)
    expect(response.json().orders).toHaveLength((await listStored('orders')).length)
  })

  test('reports changes by webhook within 2 s', async () => {
    await service.server.listen({ port: Number(new URL(publicUrl).port), host: '127.0.0.1' })
    worker = createInboundWorker({ ...service.runtime, publicUrl })
    await worker.start()
    // Both credentials have a subscription; an event is stored for the credential of its subscription.
    await expect
      .poll(
        async () => {
          const rows = await service.database.prisma.inboundSubscription.findMany()
          return rows.filter(({ remoteIds }) => remoteIds.length > 0).length
        },
        { timeout: 10_000 },
      )
      .toBe(2)
    const expectStored = (name: string, remoteId: string, expected: object) =>
      expect
        .poll(() => find(name, remoteId), { timeout: 2000, interval: 50 })
        .toMatchObject(expected)

    const [variant] = lamp.variants
    await medusa.admin('POST', `products/${lamp.id}/variants/${variant.id}`, { sku: 'LAMP-2' })
    await expectStored('product', lamp.id, {
      variants: expect.arrayContaining([expect.objectContaining({ sku: 'LAMP-2' })]),
    })
    const { customer } = await medusa.admin('POST', 'customers', { email: 'ada@example.org' })
    await expectStored('customer', customer.id, { email: 'ada@example.org' })
    await medusa.admin('DELETE', `customers/${customer.id}`)
    await expectStored('customer', customer.id, { remoteDeleted: true, email: 'ada@example.org' })
    const order = await placeOrder(medusa, shop, [{ variant_id: variant.id, quantity: 1 }])
    await expectStored('order', order.id, { paymentStatus: 'not_paid' })
    await payOrder(medusa, order.id)
    await expectStored('order', order.id, { paymentStatus: 'captured' })
    const { id } = await fulfillOrder(medusa, shop, order.id)
    await expectStored('fulfillment', id, { orderId: idOf('orders', order.id) })
    await expectStored('order', order.id, { fulfillmentStatus: 'fulfilled' })
    await expectAllSame()
  })

  addFidelityTest('medusa', 'live', () => service)
})
