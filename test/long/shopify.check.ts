/**
 * Shopify by a simulator that was made from its contract by another hand: connected through the consent page, listed
 * within the points of the shop, changed, written in conflict, deleted, and reported by webhooks.
 */
import { setTimeout } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import { recordId } from '../../src/definition/identity.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { AppRateLimitedError } from '../../src/outbound/app-error.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import type { ShopControls } from '../simulators/shopify/start.ts'
import { start } from '../simulators/shopify/start.ts'
import { connectorAt } from '../support/at-simulator.ts'
import { fidelityTest } from '../support/fidelity.ts'
import { freePort } from '../support/free-port.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { callOver } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }
const staff = { clientId: 'staff', clientSecret: 'staff-secret-0123456789' }
const SHOP = 'harbour-light.myshopify.com'

let app: Awaited<ReturnType<typeof start>>
let shop: ShopControls
let service: TestService
let tenant: Tenant
let sync: Sync
let openSync: () => Sync
let worker: InboundWorker
let publicUrl: string
let credentialId: string

/** Sends a document to the shop as its own staff, who have points of their own. */
const admin = async (query: string, variables: object = {}): Promise<Loose> => {
  const { accessToken } = app.oauth.issue(SHOP, { clientId: staff.clientId })
  const response = await fetch(`${app.url}/${SHOP}/admin/api/2026-07/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': accessToken },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors }: Loose = await response.json()
  const payloads: readonly Loose[] = Object.values(data ?? {})
  const problems = errors ?? payloads.flatMap((payload) => payload?.userErrors ?? [])
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return data
}

/** Runs everything until the budget has allowed all of it. */
const synced = async (): Promise<void> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await sync.syncNow(credentialId)
    } catch (error) {
      const failures = error instanceof AggregateError ? error.errors : [error]
      const isLimited = failures.every((failure) => failure instanceof AppRateLimitedError)
      if (tries >= 30 || !isLimited) throw error
      await setTimeout(1000)
    }
}

/** Allows an authorization on the consent page. @returns the credential */
const connect = async (name: string): Promise<string> => {
  const call = callOver(service, 'REST')
  const { userId } = tenant
  const input = { userId, app: 'shopify', credential: { shop: name } }
  const { result } = await call(tenant.key, 'createAuthorization', input)
  const browser = openBrowser(service)
  const page = await browser.open(result.url)
  const response = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams([...page.searchParams, ['decision', 'allow']]),
  })
  const callback = response.headers.get('location') ?? `${response.status} ${await response.text()}`
  expect(callback).toContain(`${publicUrl}/oauth/callback`)
  expect((await browser.get(callback)).body).toContain('Connected')
  const credentials = (await call(tenant.key, 'userCredentials', { userId })).result
  return credentials.at(-1).credentialId
}

const list = async (topic: string): Promise<Loose[]> => {
  const path = `/commerce/${topic}?credentialId=${credentialId}&pageSize=100`
  const response = await service.rest(tenant.key, path)
  expect(response.statusCode).toBe(200)
  return response.json()[topic]
}

/** How many records of each resource are stored. */
const countAll = async (): Promise<Readonly<Record<string, number>>> => {
  const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
  const found = response.json().data.find((one: Loose) => one.credentialId === credentialId)
  return Object.fromEntries(found.resources.map(({ topic, records }: Loose) => [topic, records]))
}

/** One record, which may be deleted in the app; undefined if it is not stored. */
const find = async (topic: string, remoteId: string): Promise<Loose> => {
  const path = `/commerce/${topic}/${encodeURIComponent(remoteId)}?credentialId=${credentialId}`
  const response = await service.rest(tenant.key, path)
  return response.statusCode === 200 ? response.json()[topic.slice(0, -1)] : undefined
}

const write = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const url = `/2024-03/one/commerce/${path}?credentialId=${credentialId}`
  const response = await service.send(tenant.key, method, url, body)
  return { status: response.statusCode, body: response.json() as Loose }
}

const money = (amount: string, currencyCode = 'USD') => ({ amount, currencyCode })
const price = (amount: string) => ({ shopMoney: money(amount) })

const SIZES = Array.from({ length: 13 }, (_, at) => `Size ${at + 1}`)

const SET_PRODUCT = `mutation ($input: ProductSetInput!) { productSet(input: $input) {
  product { id variants(first: 20) { nodes { id } } } userErrors { field message } } }`

/** A draft with more variants than a page of them, weights and an image. @returns the ids of product and variants */
const createLamp = async (): Promise<Loose> => {
  const input = {
    title: 'Lamp',
    status: 'DRAFT',
    descriptionHtml: '<p>Bright</p>',
    vendor: 'Lux',
    productType: 'Lamps',
    tags: ['new', 'sale'],
    files: [{ originalSource: 'https://cdn.example/lamp.png', contentType: 'IMAGE' }],
    productOptions: [{ name: 'Size', values: SIZES.map((name) => ({ name })) }],
    variants: SIZES.map((name, at) => ({
      optionValues: [{ optionName: 'Size', name }],
      price: `${at}.10`,
      inventoryItem: {
        sku: `LAMP-${at}`,
        tracked: at > 0,
        measurement: { weight: { value: 1.5, unit: 'KILOGRAMS' } },
      },
    })),
  }
  return (await admin(SET_PRODUCT, { input })).productSet.product
}

const ADDRESS = {
  address1: 'Kai 1',
  address2: 'Hof',
  city: 'Berlin',
  countryCode: 'DE',
  zip: '10115',
  firstName: 'Zoë',
  lastName: 'Kern',
  phone: '+4930123456',
}

/** An order of twelve lines by a buyer who pays in euros, with tax, shipping and both addresses. */
const createLongOrder = (customerId: string, variantId: string): string => {
  const moneyBag = (amount: string, euros: string) => ({
    shopMoney: money(amount),
    presentmentMoney: money(euros, 'EUR'),
  })
  return shop.createOrder({
    customerId,
    presentmentCurrency: 'EUR',
    email: 'zoe@example.com',
    phone: '+4930123456',
    shippingAddress: ADDRESS,
    billingAddress: { ...ADDRESS, city: 'Hamburg' },
    lineItems: [
      { variantId, quantity: 2, priceSet: moneyBag('19.99', '17.49') },
      ...Array.from({ length: 11 }, (_, at) => ({
        title: `Nail ${at}`,
        quantity: 3,
        priceSet: moneyBag('0.10', '0.09'),
      })),
    ],
    shippingLines: [{ title: 'Post', priceSet: moneyBag('4.95', '4.35') }],
    taxLines: [{ title: 'VAT', rate: '0.19', priceSet: moneyBag('8.22', '7.23') }],
  })
}

let lamp: Loose
let longOrder: string
let zoe: string

/** What a shop has that is not usual. */
const fillShop = async (): Promise<void> => {
  shop.addSamples(5)
  zoe = shop.createCustomer({ firstName: 'Zoë', lastName: 'Kern', phone: '+4930123456' })
  shop.createCustomer({ email: 'nameless@example.com' })
  lamp = await createLamp()
  longOrder = createLongOrder(zoe, lamp.variants.nodes[1].id)
  const lines = [{ title: 'Nail', quantity: 1, priceSet: price('0.10') }]
  shop.createOrder({ lineItems: lines, closedAt: '2026-11-01T00:00:00Z', currency: 'USD' })
  const cancelled = shop.createOrder({ lineItems: lines })
  shop.cancelOrder({ orderId: cancelled, reason: 'CUSTOMER', restock: true })
  app.clock.advance(2000)
  const shipped = shop.createOrder({ lineItems: lines })
  shop.cancelFulfillment(shop.fulfill(shipped, { company: 'DHL', number: '1' }))
}

beforeAll(async () => {
  publicUrl = `http://127.0.0.1:${await freePort()}`
  const clients = [client, staff].map((one) => ({
    ...one,
    redirectUris: [`${publicUrl}/oauth/callback`],
  }))
  // An enterprise shop: the points of a Standard one take minutes.
  app = await start({ clients, restoreRate: 2000 })
  shop = app.addShop(SHOP, 'Harbour Light')
  await fillShop()
  const connectors = new Map([['shopify', connectorAt(connector, app.url)]])
  service = await startService({ connectors, allowPrivateAddresses: true, publicUrl })
  tenant = await service.createTenant('development', [])
  await callOver(service, 'REST')(tenant.key, 'setOAuthClient', { app: 'shopify', ...client })
  credentialId = await connect('https://Harbour-Light.myshopify.com/')
  openSync = () =>
    createSync({
      database: service.database,
      connectors,
      vault: testVault,
      appClient: service.runtime.appClient,
      log: pino({ level: 'silent' }),
    })
  sync = openSync()
  await synced()
})
afterAll(async () => {
  await worker?.stop()
  await sync?.stop()
  await service?.stop()
  await app?.stop()
})

test('the credential has the name of its shop', async () => {
  const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
  expect(JSON.stringify(response.json())).toContain('Harbour Light')
})

const idOf = (topic: string, remoteId: string | undefined): string | null =>
  remoteId === undefined ? null : recordId(credentialId, `commerce/${topic}`, remoteId)

const common = (topic: string, { id, createdAt, updatedAt }: Loose) => ({
  id: idOf(topic, id),
  remoteId: id,
  remoteDeleted: false,
  remoteCreatedAt: new Date(createdAt).toISOString(),
  remoteUpdatedAt: new Date(updatedAt).toISOString(),
})

const addressOf = (remote: Loose) =>
  remote && {
    address1: remote.address1,
    address2: remote.address2,
    city: remote.city,
    countryCode: remote.countryCodeV2,
    firstName: remote.firstName,
    lastName: remote.lastName,
    phone: remote.phone,
    postalCode: remote.zip,
    region: remote.provinceCode ?? remote.province,
  }

/** The other words of the samples are those of the unified model. */
const paymentStates: Readonly<Record<string, string>> = { PENDING: 'UNPAID', VOIDED: 'VOID' }

const ADDRESS_FIELDS =
  'address1 address2 city countryCodeV2 firstName lastName phone zip province provinceCode'
const LINES = `id name sku quantity product { id } variant { id }
  originalUnitPriceSet { shopMoney { amount } }`

/** What the API shows for the records that the shop has, by documents that are not those of the connector. */
const expected: Readonly<Record<string, { document: string; of: (remote: Loose) => object }>> = {
  customers: {
    document: `customers(first: 50, after: $after) { nodes { id createdAt updatedAt firstName lastName
      defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber } } }`,
    of: (remote) => ({
      ...common('customers', remote),
      firstName: remote.firstName,
      lastName: remote.lastName,
      email: remote.defaultEmailAddress?.emailAddress ?? null,
      phone: remote.defaultPhoneNumber?.phoneNumber ?? null,
    }),
  },
  products: {
    document: `products(first: 10, after: $after) { nodes { id createdAt updatedAt title descriptionHtml productType
      status tags vendor onlineStoreUrl media(first: 3) { nodes { ... on MediaImage { image { url } } } }
      variants(first: 15) { nodes { id title price sku inventoryQuantity selectedOptions { name value }
        inventoryItem { tracked measurement { weight { value unit } } } } } } }`,
    of: (remote) => ({
      ...common('products', remote),
      productName: remote.title,
      description: remote.descriptionHtml || null,
      productType: remote.productType || null,
      productStatus: remote.status,
      images: remote.media.nodes.map(({ image }: Loose) => image.url),
      tags: remote.tags,
      vendor: remote.vendor || null,
      productUrl: remote.onlineStoreUrl,
      variants: remote.variants.nodes.map((variant: Loose) => ({
        id: idOf('products.variants', variant.id),
        remoteId: variant.id,
        title: variant.title,
        price: variant.price,
        sku: variant.sku,
        optionValues: variant.selectedOptions.filter(({ name }: Loose) => name !== 'Title'),
        inventory: variant.inventoryItem.tracked ? { totalCount: variant.inventoryQuantity } : null,
        weight: variant.inventoryItem.measurement.weight,
      })),
    }),
  },
  orders: {
    document: `orders(first: 10, after: $after) { nodes { id createdAt updatedAt name cancelledAt closed currencyCode
      displayFulfillmentStatus displayFinancialStatus email phone customer { id firstName lastName }
      totalPriceSet { shopMoney { amount } } totalDiscountsSet { shopMoney { amount } }
      totalShippingPriceSet { shopMoney { amount } } totalTaxSet { shopMoney { amount } }
      billingAddress { ${ADDRESS_FIELDS} } shippingAddress { ${ADDRESS_FIELDS} }
      lineItems(first: 12) { nodes { ${LINES} } } } }`,
    of: (remote) => ({
      ...common('orders', remote),
      orderNumber: remote.name,
      orderStatus: remote.cancelledAt ? 'cancelled' : remote.closed ? 'closed' : 'open',
      orderState: remote.cancelledAt ? 'CANCELLED' : remote.closed ? 'COMPLETED' : 'OPEN',
      fulfillmentState: remote.displayFulfillmentStatus,
      paymentState: paymentStates[remote.displayFinancialStatus] ?? remote.displayFinancialStatus,
      fulfillmentStatus: remote.displayFulfillmentStatus,
      paymentStatus: remote.displayFinancialStatus,
      currency: remote.currencyCode,
      totalPrice: remote.totalPriceSet.shopMoney.amount,
      totalDiscount: remote.totalDiscountsSet.shopMoney.amount,
      totalShipping: remote.totalShippingPriceSet.shopMoney.amount,
      totalTax: remote.totalTaxSet.shopMoney.amount,
      lineItems: remote.lineItems.nodes.map((line: Loose) => ({
        productId: idOf('products', line.product?.id),
        variantId: idOf('products.variants', line.variant?.id),
        title: line.name,
        price: line.originalUnitPriceSet.shopMoney.amount,
        unitCost: null,
        currency: remote.currencyCode,
        sku: line.sku,
        quantity: line.quantity,
      })),
      billingAddress: addressOf(remote.billingAddress),
      shippingAddress: addressOf(remote.shippingAddress),
      customer: {
        customerId: idOf('customers', remote.customer?.id),
        firstName: remote.customer?.firstName ?? null,
        lastName: remote.customer?.lastName ?? null,
        email: remote.email,
        phone: remote.phone,
      },
    }),
  },
  fulfillments: {
    document: `orders(first: 20, after: $after) { nodes { fulfillments(first: 5) { id status displayStatus createdAt updatedAt order { id }
      trackingInfo { company number url }
      fulfillmentLineItems(first: 4) { nodes { quantity lineItem { ${LINES} } } } } } }`,
    of: (remote) => ({
      ...common('fulfillments', remote),
      orderId: idOf('orders', remote.order.id),
      service: null,
      shipmentState: remote.displayStatus === 'CANCELED' ? 'CANCELLED' : 'SHIPPED',
      carrier: remote.trackingInfo[0]?.company ?? null,
      trackingNumbers: remote.trackingInfo.map(({ number }: Loose) => number),
      trackingUrls: remote.trackingInfo.flatMap(({ url }: Loose) => url ?? []),
      lineItems: remote.fulfillmentLineItems.nodes.map(({ quantity, lineItem: line }: Loose) => ({
        lineItemId: line.id,
        productId: idOf('products', line.product?.id),
        variantId: idOf('products.variants', line.variant?.id),
        title: line.name,
        price: line.originalUnitPriceSet.shopMoney.amount,
        sku: line.sku,
        quantity,
      })),
    }),
  },
}

const byRemoteId = (records: readonly Loose[]) =>
  records.toSorted((a, b) => (a.remoteId < b.remoteId ? -1 : 1))

/** The nodes of a root connection of the shop, which `document` selects at the cursor `$after`. */
const nodesIn = async (document: string): Promise<readonly Loose[]> => {
  const query = `query ($after: String) { ${document.replace(/\}$/, 'pageInfo { hasNextPage endCursor } }')} }`
  const found: Loose[] = []
  for (let after: string | null = null; ; ) {
    const [{ nodes, pageInfo }]: Loose[] = Object.values(await admin(query, { after }))
    found.push(...nodes)
    if (!pageInfo.hasNextPage) return found
    after = pageInfo.endCursor
  }
}

const expectEqual = async (topic: string): Promise<void> => {
  const { document, of } = expected[topic] ?? { document: '', of: () => ({}) }
  const nodes = await nodesIn(document)
  const remote =
    topic === 'fulfillments' ? nodes.flatMap(({ fulfillments }) => fulfillments) : nodes
  const stored = (await list(topic)).map(
    ({ remoteFields: _, createdAt: __, updatedAt: ___, ...fields }) => fields,
  )
  expect(remote.length).toBeGreaterThan(0)
  expect(byRemoteId(stored)).toEqual(
    byRemoteId(remote.filter(({ status }: Loose) => status !== 'CANCELLED').map(of)),
  )
}

test.each(Object.keys(expected))('the first sync stores all %s in every field', expectEqual)

const TOPICS = Object.keys(expected)

const expectAllEqual = async (): Promise<void> => {
  for (const topic of TOPICS) await expectEqual(topic)
}

test('amounts are those of the shop, and remote fields have those of the buyer', async () => {
  const order = await find('orders', longOrder)
  // 2 × 19.99 + 11 × 3 × 0.10 + 4.95 + 8.22
  expect(order).toMatchObject({ currency: 'USD', totalPrice: '56.45' })
  expect(order.remoteFields).toMatchObject({
    presentmentCurrencyCode: 'EUR',
    totalPriceSet: { presentmentMoney: { amount: '49.53', currencyCode: 'EUR' } },
  })
})

test('a sync finds the changes and deletions of every resource', async () => {
  const [order, product, customer] = await Promise.all(
    ['orders', 'products', 'customers'].map(list),
  )
  const [shipped] = await list('fulfillments')
  app.clock.advance(1000)
  const deletedRecord = shop.createCustomer({ firstName: 'Gone' })
  await synced()
  expect(await find('customers', deletedRecord)).toMatchObject({
    firstName: 'Gone',
    remoteDeleted: false,
  })
  app.clock.advance(1000)
  const removed = product?.find(({ productName }) => productName === 'Shirt 5')
  const deletedOrder = order?.find(({ orderNumber }) => orderNumber === '#1001')
  const changed = customer?.find(({ lastName }) => lastName === 'Lee 3')
  shop.deleteCustomer(deletedRecord)
  shop.deleteProduct(removed.remoteId)
  shop.deleteOrder(deletedOrder.remoteId)
  shop.updateCustomer({ id: changed.remoteId, lastName: 'Feed' })
  shop.updateProduct({ id: lamp.id, status: 'ACTIVE', title: 'Lamp of the feed' })
  shop.cancelFulfillment(shipped.remoteId)
  const open = order?.find(({ orderNumber }) => orderNumber === '#1003')
  const fulfillment = shop.fulfill(open.remoteId, { company: 'UPS', number: '1Z' })
  await synced()
  for (const [topic, id] of [
    ['customers', deletedRecord],
    ['products', removed.remoteId],
    ['orders', deletedOrder.remoteId],
    ['fulfillments', shipped.remoteId],
  ] as const)
    expect([topic, (await find(topic, id)).remoteDeleted]).toEqual([topic, true])
  expect(await find('fulfillments', fulfillment)).toMatchObject({ carrier: 'UPS' })
  await expectAllEqual()
})

test('a customer is created, updated and deleted', async () => {
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
  expect(await admin('query ($id: ID!) { customer(id: $id) { id } }', { id: remoteId })).toEqual({
    customer: null,
  })
})

test('a product is created with variants, updated, and deleted', async () => {
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
  expect(await admin('query ($id: ID!) { product(id: $id) { id } }', { id: remoteId })).toEqual({
    product: null,
  })
})

test('an order is created with exact amounts, shipped in parts, changed and deleted', async () => {
  const [variant] = (await find('products', lamp.id)).variants
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
    customer: { customerId: idOf('customers', zoe), email: 'zoe@example.org' },
  })
  expect(created.body).toMatchObject({
    order: {
      // 3 × 0.10 + 2 × 19.99
      totalPrice: '40.28',
      currency: 'USD',
      paymentStatus: 'PENDING',
      customer: { customerId: idOf('customers', zoe), firstName: 'Zoë', email: 'zoe@example.org' },
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
      customer: { customerId: idOf('customers', zoe), email: 'z@example.org' },
    },
  })
  const [buyer] = (await list('customers')).filter(({ lastName }) => lastName === 'Lee 2')
  const moved = await write('PATCH', `orders/${id}`, { customer: { customerId: buyer.id } })
  expect(moved.body).toMatchObject({ order: { customer: { customerId: buyer.id } } })

  const { nodes } = (
    await admin('query ($id: ID!) { order(id: $id) { lineItems(first: 5) { nodes { id } } } }', {
      id: remoteId,
    })
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
  const refused = await write('POST', topic, input)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining(`"field":"${field}"`),
  ])
})

test('a customer is created once, although the response is lost', async () => {
  app.faults.add({ kind: 'lost-response' }, { method: 'POST', url: 'graphql.json' })
  await write('POST', 'customers', { firstName: 'Lost', email: 'lost@example.org' })
  await synced()
  const found = (await list('customers')).filter(({ email }) => email === 'lost@example.org')
  expect(found).toHaveLength(1)
  await expectEqual('customers')
})

test('a stale update is a conflict', async () => {
  const { id } = await find('customers', zoe)
  shop.updateCustomer({ id: zoe, note: 'changed by the shop' })
  expect((await write('PATCH', `customers/${id}`, { lastName: 'Stale' })).status).toBe(409)
  await synced()
  expect(await find('customers', zoe)).toMatchObject({ lastName: 'Kern' })
})

test('a token that the shop rejects is refreshed once', async () => {
  app.clock.advance(1000)
  app.oauth.expireAccessTokens()
  shop.updateCustomer({ id: zoe, lastName: 'Refreshed' })
  app.journal.clear()
  await synced()
  expect(await find('customers', zoe)).toMatchObject({ lastName: 'Refreshed' })
  expect(app.journal.find({ url: 'access_token' }).map(({ status }) => status)).toEqual([200])
})

test('a throttled sync waits for the points, and the ledger has those of the shop', async () => {
  const points = app.limits.of('points')
  points.take(`${SHOP} ${client.clientId}`, 40_000)
  shop.updateCustomer({ id: zoe, lastName: 'Throttled' })
  await synced()
  expect(await find('customers', zoe)).toMatchObject({ lastName: 'Throttled' })
  const path = `/2024-03/users/${tenant.userId}/credentials/${credentialId}/budget`
  const { budget } = (await service.send(tenant.key, 'GET', path)).json()
  const { max, spent, spentOn } = budget.limits[0]
  // Never less than the shop has counted, including the other program.
  expect(max).toBe(40_000)
  expect(spent).toBeGreaterThanOrEqual(points.state(`${SHOP} ${client.clientId}`).used)
  expect(spentOn.other).toBeGreaterThan(0)
})

test('webhooks report changes and deletions', async () => {
  const { port } = new URL(publicUrl)
  await service.server.listen({ port: Number(port), host: '127.0.0.1' })
  worker = createInboundWorker({ ...service.runtime, publicUrl })
  await worker.start()
  const subscribed = async (): Promise<Loose> => {
    const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shopify')
    return response.json().data[0].webhooks.active
  }
  await expect.poll(subscribed).toBe(true)
  const order = shop.createOrder({
    lineItems: [{ title: 'Hook', quantity: 1, priceSet: price('1.00') }],
  })
  shop.updateCustomer({ id: zoe, lastName: 'Hook' })
  const deletedRecord = shop.createProduct({ title: 'Short' })
  const fulfillment = shop.fulfill(order)
  shop.deleteProduct(lamp.id)
  const sent = await app.webhooks.deliver()
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200))
  expect(sent.length).toBeGreaterThanOrEqual(6)
  await expect.poll(() => find('orders', order)).toMatchObject({ lineItems: [{ title: 'Hook' }] })
  await expect
    .poll(() => find('fulfillments', fulfillment))
    .toMatchObject({ orderId: expect.any(String) })
  await expect.poll(() => find('customers', zoe)).toMatchObject({ lastName: 'Hook' })
  await expect.poll(() => find('products', deletedRecord)).toMatchObject({ productName: 'Short' })
  await expect.poll(() => find('products', lamp.id)).toMatchObject({ remoteDeleted: true })
  const [delivery] = sent
  const forged = await fetch(delivery?.url ?? '', {
    method: 'POST',
    body: delivery?.message.body ?? '',
    headers: { ...delivery?.message.headers, 'x-shopify-hmac-sha256': 'AAAA' },
  })
  expect(forged.status).toBe(401)
})

test('a large shop is listed by a bulk operation, which another process continues', async () => {
  const large = app.addShop('large.myshopify.com', 'Large')
  large.addSamples(251)
  const own = credentialId
  credentialId = await connect('large')
  try {
    await synced()
    expect(await list('orders')).toHaveLength(0)
    app.clock.advance(2000)
    await sync.stop()
    sync = openSync()
    app.journal.clear()
    await expect
      .poll(async () => {
        await synced()
        return countAll()
      })
      .toEqual({
        'commerce/customers': 251,
        'commerce/fulfillments': 125,
        'commerce/orders': 251,
        'commerce/products': 251,
      })
    expect(app.journal.find({ url: 'bulk-results' }).length).toBeGreaterThanOrEqual(3)
    expect(JSON.stringify(app.journal.find({}))).not.toContain('bulkOperationRunQuery')
    const [product] = await list('products')
    expect(product.variants).toHaveLength(1)
    // A listing of changes has the same records in the same form.
    const { updatedAt } = product
    large.updateCustomer({ id: (await list('customers'))[0].remoteId, note: 'changed' })
    await synced()
    expect((await find('products', product.remoteId)).updatedAt).toBe(updatedAt)
  } finally {
    credentialId = own
  }
})

fidelityTest('shopify', 'contract', () => service)
