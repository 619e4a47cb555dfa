/**
 * The Shopify connector against a simulator that was written from Shopify's contract alone: a shop is connected through
 * the consent page, listed within its points, changed, written to (with conflicts), deleted from, and reported by
 * webhooks.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { expectationsOf, PLURALS } from './shopify/expected.ts'
import { client, type Harness, type Loose, openHarness, SHOP } from './shopify/harness.ts'
import { fillShop, price, type ShopRecords } from './shopify/shop-records.ts'

let harness: Harness
let records: ShopRecords
let worker: InboundWorker | undefined

beforeAll(async () => {
  harness = await openHarness(async (...shop) => {
    records = await fillShop(...shop)
  })
})
afterAll(async () => {
  await worker?.stop()
  await harness?.stop()
})

test('the credential has the name of its shop', async () => {
  const { service, tenant } = harness
  const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
  expect(JSON.stringify(response.json())).toContain('Harbour Light')
})

const sortByRemoteId = (records: readonly Loose[]) =>
  records.toSorted((a, b) => (a.remoteId < b.remoteId ? -1 : 1))

/** The nodes of a root connection of the shop, which `document` selects at the cursor `$after`. */
const listNodes = async (document: string): Promise<readonly Loose[]> => {
  const query = `query ($after: String) { ${document.replace(/\}$/, 'pageInfo { hasNextPage endCursor } }')} }`
  const found: Loose[] = []
  for (let after: string | null = null; ; ) {
    const [{ nodes, pageInfo }]: Loose[] = Object.values(await harness.sendToShop(query, { after }))
    found.push(...nodes)
    if (!pageInfo.hasNextPage) return found
    after = pageInfo.endCursor
  }
}

/** Compares all stored records of a resource with those of the shop, in every field. */
const expectEqual = async (topic: string): Promise<void> => {
  const expectation = expectationsOf(harness.credentialId)[topic]
  if (!expectation) throw new RangeError(topic)
  const nodes = await listNodes(expectation.document)
  const remote =
    topic === 'fulfillments' ? nodes.flatMap(({ fulfillments }) => fulfillments) : nodes
  const stored = (await harness.list(topic)).map(
    ({ remoteFields: _, createdAt: __, updatedAt: ___, ...fields }) => fields,
  )
  expect(remote.length).toBeGreaterThan(0)
  expect(sortByRemoteId(stored)).toEqual(
    sortByRemoteId(remote.filter(({ status }) => status !== 'CANCELLED').map(expectation.expect)),
  )
}

test.each(PLURALS)('the first sync stores all %s in every field', expectEqual)

const expectAllEqual = async (): Promise<void> => {
  for (const topic of PLURALS) await expectEqual(topic)
}

test('amounts are those of the shop, and remote fields have those of the buyer', async () => {
  const { find } = harness
  const order = await find('orders', records.longOrder)
  // 2 × 19.99 + 11 × 3 × 0.10 + 4.95 + 8.22
  expect(order).toMatchObject({ currency: 'USD', totalPrice: '56.45' })
  expect(order.remoteFields).toMatchObject({
    presentmentCurrencyCode: 'EUR',
    totalPriceSet: { presentmentMoney: { amount: '49.53', currencyCode: 'EUR' } },
  })
})

test('a sync finds the changes and deletions of every resource', async () => {
  const { app, shop, syncToEnd: synced, list, find } = harness
  const [orders, products, customers] = await Promise.all(
    ['orders', 'products', 'customers'].map((topic) => list(topic)),
  )
  const [shipped] = await list('fulfillments')
  app.clock.advance(1000)
  const deletedCustomer = shop.createCustomer({ firstName: 'Gone' })
  await synced()
  expect(await find('customers', deletedCustomer)).toMatchObject({
    firstName: 'Gone',
    remoteDeleted: false,
  })
  app.clock.advance(1000)
  const deletedProduct = products?.find(({ productName }) => productName === 'Shirt 5')
  const deletedOrder = orders?.find(({ orderNumber }) => orderNumber === '#1001')
  const changedCustomer = customers?.find(({ lastName }) => lastName === 'Lee 3')
  shop.deleteCustomer(deletedCustomer)
  shop.deleteProduct(deletedProduct.remoteId)
  shop.deleteOrder(deletedOrder.remoteId)
  shop.updateCustomer({ id: changedCustomer.remoteId, lastName: 'Feed' })
  shop.updateProduct({ id: records.lamp, status: 'ACTIVE', title: 'Lamp of the feed' })
  shop.cancelFulfillment(shipped.remoteId)
  const openOrder = orders?.find(({ orderNumber }) => orderNumber === '#1003')
  const fulfillment = shop.fulfill(openOrder.remoteId, { company: 'UPS', number: '1Z' })
  await synced()
  for (const [topic, id] of [
    ['customers', deletedCustomer],
    ['products', deletedProduct.remoteId],
    ['orders', deletedOrder.remoteId],
    ['fulfillments', shipped.remoteId],
  ] as const)
    expect([topic, (await find(topic, id)).remoteDeleted]).toEqual([topic, true])
  expect(await find('fulfillments', fulfillment)).toMatchObject({ carrier: 'UPS' })
  await expectAllEqual()
})

test('a customer is created, updated and deleted', async () => {
  const { sendToShop, write } = harness
  const fields = { firstName: 'Emmy', lastName: 'Noether', email: 'emmy@example.org' }
  const created = await write('POST', 'customers', { ...fields, phone: '+4930765432' })
  expect(created.body).toMatchObject({ customer: { ...fields, phone: '+4930765432' } })
  const { id, remoteId } = created.body.customer
  const changes = { lastName: 'N.', phone: null, remoteFields: { note: 'VIP' } }
  expect((await write('PATCH', `customers/${id}`, changes)).body).toMatchObject({
    customer: { ...fields, lastName: 'N.', phone: null, remoteFields: { note: 'VIP' } },
  })
  await expectEqual('customers')
  expect((await write('DELETE', `customers/${id}`)).status).toBeLessThan(300)
  expect(
    await sendToShop('query ($id: ID!) { customer(id: $id) { id } }', { id: remoteId }),
  ).toEqual({
    customer: null,
  })
})

test('a product is created with variants, updated, and deleted', async () => {
  const { sendToShop, write } = harness
  const option = (value: string) => [{ name: 'Colour', value }]
  const created = await write('POST', 'products', {
    productName: 'Chair',
    description: '<b>Oak</b>',
    productStatus: 'DRAFT',
    vendor: 'Lux',
    productType: 'Chairs',
    tags: ['oak'],
    variants: [
      { price: '120.00', sku: 'C-R', optionValues: option('red') },
      {
        price: '0.10',
        sku: 'C-B',
        optionValues: option('blue'),
        weight: { value: 4.25, unit: 'KILOGRAMS' },
      },
    ],
  })
  expect(created.body).toMatchObject({
    product: {
      productStatus: 'DRAFT',
      variants: [
        { title: 'red', price: '120.00', optionValues: option('red') },
        { title: 'blue', price: '0.10', weight: { value: 4.25, unit: 'KILOGRAMS' } },
      ],
    },
  })
  const { id, remoteId, variants } = created.body.product
  const updated = await write('PATCH', `products/${id}`, {
    productName: 'Armchair',
    variants: [
      { id: variants[0].id, price: '99.90' },
      { id: variants[1].id },
      { price: '7.00', sku: 'C-G', optionValues: option('green') },
    ],
  })
  expect(updated.body).toMatchObject({
    product: {
      productName: 'Armchair',
      variants: [
        { remoteId: variants[0].remoteId, price: '99.90', sku: 'C-R' },
        { remoteId: variants[1].remoteId, price: '0.10', weight: { value: 4.25 } },
        { title: 'green', price: '7.00' },
      ],
    },
  })
  const single = await write('POST', 'products', { productName: 'Stool' })
  expect(single.body).toMatchObject({ product: { variants: [{ optionValues: [] }] } })
  const priced = { productName: 'Bench', variants: [{ price: '5.00', sku: 'B' }] }
  expect((await write('POST', 'products', priced)).body).toMatchObject({
    product: { variants: [{ price: '5.00', sku: 'B', optionValues: [] }] },
  })
  await expectEqual('products')
  expect((await write('DELETE', `products/${id}`)).status).toBeLessThan(300)
  expect(
    await sendToShop('query ($id: ID!) { product(id: $id) { id } }', { id: remoteId }),
  ).toEqual({
    product: null,
  })
})

test('an order is created with exact amounts, shipped in parts, changed and deleted', async () => {
  const { sendToShop, list, find, write } = harness
  const customerId = recordId(harness.credentialId, 'commerce/customers', records.customer)
  const [variant] = (await find('products', records.lamp)).variants
  const created = await write('POST', 'orders', {
    currency: 'USD',
    lineItems: [
      { variantId: variant.id, price: '0.10', quantity: 3 },
      { title: 'Nails', price: '19.99', quantity: 2 },
    ],
    shippingAddress: {
      address1: 'Kai 1',
      city: 'Hamburg',
      countryCode: 'DE',
      postalCode: '20457',
      firstName: 'Zoë',
      lastName: 'Kern',
    },
    customer: { customerId, email: 'zoe@example.org' },
  })
  expect(created.body).toMatchObject({
    order: {
      // 3 × 0.10 + 2 × 19.99
      totalPrice: '40.28',
      currency: 'USD',
      paymentStatus: 'PENDING',
      customer: { customerId, firstName: 'Zoë', email: 'zoe@example.org' },
      lineItems: [
        { variantId: variant.id, quantity: 3 },
        { title: 'Nails', price: '19.99' },
      ],
    },
  })
  const { id, remoteId } = created.body.order
  const changes = { shippingAddress: { city: 'Berlin' }, customer: { email: 'z@example.org' } }
  expect((await write('PATCH', `orders/${id}`, changes)).body).toMatchObject({
    order: {
      shippingAddress: { city: 'Berlin', address1: 'Kai 1', countryCode: 'DE' },
      customer: { customerId, email: 'z@example.org' },
    },
  })
  const [buyer] = (await list('customers')).filter(({ lastName }) => lastName === 'Lee 2')
  const moved = await write('PATCH', `orders/${id}`, { customer: { customerId: buyer.id } })
  expect(moved.body).toMatchObject({ order: { customer: { customerId: buyer.id } } })

  const { nodes } = (
    await sendToShop(
      'query ($id: ID!) { order(id: $id) { lineItems(first: 5) { nodes { id } } } }',
      {
        id: remoteId,
      },
    )
  ).order.lineItems
  const ship = (quantity: number) => ({
    orderId: id,
    carrier: 'DHL',
    trackingNumbers: ['1', '2'],
    trackingUrls: ['https://t.example/1'],
    lineItems: [{ lineItemId: nodes[0].id, quantity }],
  })
  const shipped = await write('POST', 'fulfillments', ship(2))
  expect(shipped.body).toMatchObject({
    fulfillment: {
      orderId: id,
      carrier: 'DHL',
      trackingNumbers: ['1', '2'],
      lineItems: [{ lineItemId: nodes[0].id, quantity: 2, variantId: variant.id }],
    },
  })
  expect(await find('orders', remoteId)).toMatchObject({
    fulfillmentStatus: 'PARTIALLY_FULFILLED',
  })
  const refused = await write('POST', 'fulfillments', ship(2))
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('lineItems[0].quantity'),
  ])
  const path = `fulfillments/${shipped.body.fulfillment.id}`
  expect((await write('PATCH', path, { carrier: 'UPS' })).body).toMatchObject({
    fulfillment: { carrier: 'UPS', trackingNumbers: ['1', '2'] },
  })
  await expectEqual('fulfillments')
  expect((await write('DELETE', path)).status).toBeLessThan(300)
  expect(await find('orders', remoteId)).toMatchObject({ fulfillmentStatus: 'UNFULFILLED' })
  await expectEqual('orders')
  expect((await write('DELETE', `orders/${id}`)).status).toBeLessThan(300)
  await expect(find('orders', remoteId)).resolves.toMatchObject({ remoteDeleted: true })
})

test.each<[string, string, object, string]>([
  ['an e-mail address that is taken', 'customers', { email: 'amy2@example.com' }, 'email'],
  ['a telephone number that is none', 'customers', { firstName: 'A', phone: '12' }, 'phone'],
  [
    'an unknown variant',
    'orders',
    { lineItems: [{ variantId: 'gid://shopify/ProductVariant/1', quantity: 1 }] },
    'lineItems',
  ],
  [
    'a line without a title',
    'orders',
    { lineItems: [{ price: '1.00', quantity: 1 }] },
    'lineItems',
  ],
  [
    'a variant that exists twice',
    'products',
    {
      productName: 'Twice',
      variants: [1, 2].map((price) => ({ price, optionValues: [{ name: 'Size', value: 'S' }] })),
    },
    'variants',
  ],
])('%s is located at its field', async (_what, topic, input, field) => {
  const { write } = harness
  const refused = await write('POST', topic, input)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining(`"field":"${field}"`),
  ])
})

test('a customer is created once, although the response is lost', async () => {
  const { app, syncToEnd: synced, list, write } = harness
  app.faults.add({ kind: 'lost-response' }, { method: 'POST', url: 'graphql.json' })
  await write('POST', 'customers', { firstName: 'Lost', email: 'lost@example.org' })
  await synced()
  const found = (await list('customers')).filter(({ email }) => email === 'lost@example.org')
  expect(found).toHaveLength(1)
  await expectEqual('customers')
})

test('a stale update is a conflict', async () => {
  const { shop, syncToEnd: synced, find, write } = harness
  const { id } = await find('customers', records.customer)
  shop.updateCustomer({ id: records.customer, note: 'changed by the shop' })
  expect((await write('PATCH', `customers/${id}`, { lastName: 'Stale' })).status).toBe(409)
  await synced()
  expect(await find('customers', records.customer)).toMatchObject({ lastName: 'Kern' })
})

test('a token that the shop rejects is refreshed once', async () => {
  const { app, shop, syncToEnd: synced, find } = harness
  app.clock.advance(1000)
  app.oauth.expireAccessTokens()
  shop.updateCustomer({ id: records.customer, lastName: 'Refreshed' })
  app.journal.clear()
  await synced()
  expect(await find('customers', records.customer)).toMatchObject({ lastName: 'Refreshed' })
  expect(app.journal.find({ url: 'access_token' }).map(({ status }) => status)).toEqual([200])
})

test('a throttled sync waits for the points, and the ledger has those of the shop', async () => {
  const { app, shop, service, tenant, credentialId, syncToEnd: synced, find } = harness
  const points = app.limits.of('points')
  points.take(`${SHOP} ${client.clientId}`, 40_000)
  shop.updateCustomer({ id: records.customer, lastName: 'Throttled' })
  await synced()
  expect(await find('customers', records.customer)).toMatchObject({ lastName: 'Throttled' })
  const path = `/2024-03/users/${tenant.userId}/credentials/${credentialId}/budget`
  const { budget } = (await service.send(tenant.key, 'GET', path)).json()
  const { max, spent, spentOn } = budget.limits[0]
  // Never less than the shop has counted, including the other program.
  expect(max).toBe(40_000)
  expect(spent).toBeGreaterThanOrEqual(points.state(`${SHOP} ${client.clientId}`).used)
  expect(spentOn.other).toBeGreaterThan(0)
})

test('webhooks report changes and deletions', async () => {
  const { app, shop, service, tenant, find, publicUrl, port } = harness
  await service.server.listen({ port, host: '127.0.0.1' })
  worker = createInboundWorker({ ...service.runtime, publicUrl })
  await worker.start()
  const isSubscribed = async (): Promise<Loose> => {
    const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
    return response.json().data[0].webhooks.active
  }
  await expect.poll(isSubscribed).toBe(true)
  const order = shop.createOrder({
    lineItems: [{ title: 'Hook', quantity: 1, priceSet: price('1.00') }],
  })
  shop.updateCustomer({ id: records.customer, lastName: 'Hook' })
  const newProduct = shop.createProduct({ title: 'Short' })
  const fulfillment = shop.fulfill(order)
  shop.deleteProduct(records.lamp)
  const sent = await app.webhooks.deliver()
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200))
  expect(sent.length).toBeGreaterThanOrEqual(6)
  await expect.poll(() => find('orders', order)).toMatchObject({ lineItems: [{ title: 'Hook' }] })
  await expect
    .poll(() => find('fulfillments', fulfillment))
    .toMatchObject({ orderId: expect.any(String) })
  await expect.poll(() => find('customers', records.customer)).toMatchObject({ lastName: 'Hook' })
  await expect.poll(() => find('products', newProduct)).toMatchObject({ productName: 'Short' })
  await expect.poll(() => find('products', records.lamp)).toMatchObject({ remoteDeleted: true })
  const [delivery] = sent
  const forged = await fetch(delivery?.url ?? '', {
    method: 'POST',
    body: delivery?.message.body ?? '',
    headers: { ...delivery?.message.headers, 'x-shopify-hmac-sha256': 'AAAA' },
  })
  expect(forged.status).toBe(401)
})

/** How many records of each resource a credential has stored. */
const countAll = async (credentialId: string): Promise<Readonly<Record<string, number>>> => {
  const { service, tenant } = harness
  const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
  const found = response
    .json()
    .data.find((credential: Loose) => credential.credentialId === credentialId)
  return Object.fromEntries(found.resources.map(({ topic, records }: Loose) => [topic, records]))
}

test('a large shop is listed by a bulk operation, which another process continues', async () => {
  const { app, connect, syncToEnd: synced, list, find } = harness
  const large = app.addShop('large.myshopify.com', 'Large')
  large.addSamples(251)
  const id = await connect('large')
  await synced(id)
  expect(await list('orders', id)).toHaveLength(0)
  app.clock.advance(2000)
  await harness.restartSync()
  app.journal.clear()
  await expect
    .poll(async () => {
      await synced(id)
      return countAll(id)
    })
    .toEqual({
      'commerce/customers': 251,
      'commerce/fulfillments': 125,
      'commerce/orders': 251,
      'commerce/products': 251,
    })
  expect(app.journal.find({ url: 'bulk-results' }).length).toBeGreaterThanOrEqual(3)
  expect(JSON.stringify(app.journal.find({}))).not.toContain('bulkOperationRunQuery')
  const [product] = await list('products', id)
  expect(product.variants).toHaveLength(1)
  // A listing of changes has the same records in the same form.
  const { updatedAt } = product
  const [customer] = await list('customers', id)
  large.updateCustomer({ id: customer.remoteId, note: 'changed' })
  await synced(id)
  expect((await find('products', product.remoteId, id)).updatedAt).toBe(updatedAt)
})

addFidelityTest('shopify', 'contract', () => harness.service)
