/** The real Vendure: what the service stores is compared with what Vendure's own API returns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import type { AppRequest, Json } from '../../src/definition/connector.ts'
import { recordId } from '../../src/definition/identity.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { act } from '../apps/vendure/act.ts'
import { placeOrder } from '../apps/vendure/checkout.ts'
import { fulfillOrder } from '../apps/vendure/orders.ts'
import {
  createCustomer,
  createProduct,
  deleteCustomer,
  deleteProduct,
  deleteVariant,
  updateCustomer,
} from '../apps/vendure/shop.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { type Harness, missing, openHarness, withoutOwnFields } from './vendure/harness.ts'
import { createKey } from './vendure/key.ts'

describe.skipIf(missing)(`the real Vendure${missing ? `: ${missing}` : ''}`, () => {
  let harness: Harness

  beforeAll(async () => {
    harness = await openHarness()
  }, 120_000)
  afterAll(() => harness?.shop.close())

  test('is listed completely, without carts', async () => {
    const { shop } = harness
    const startedMs = performance.now()
    await shop.sync()
    const tookMs = Math.round(performance.now() - startedMs)
    const counts = await harness.expectAllSame()
    expect(counts).toEqual({
      'commerce/customers': 2,
      'commerce/fulfillments': 1,
      'commerce/orders': 5,
      'commerce/products': 1,
    })
    const states = await shop.service.database.prisma.syncState.findMany()
    expect(states.map(({ failureCode }) => failureCode)).toEqual([null, null, null, null])
    console.log(`Vendure: ${JSON.stringify(counts)} in ${tookMs} ms`)
  })

  test('is not written again if nothing has changed', async () => {
    const { shop } = harness
    await shop.takeLog()
    await shop.sync()
    await shop.syncEverything()
    expect(await shop.takeLog()).toEqual([])
  })

  test('links an order with its fulfillments', async () => {
    const { shop, vendureState: truth, first } = harness
    await fulfillOrder(shop.vendure, first, { trackingCode: 'T-1', method: 'DHL' })
    await shop.sync()
    const expected = await truth.fulfillmentsOf(first.id)
    const orderId = recordId(shop.credentialId, 'commerce/orders', first.id)
    for (const id of [orderId, first.id]) {
      const path = `/commerce/orders/${id}/fulfillments?credentialId=${shop.credentialId}`
      const { fulfillments } = (await shop.service.rest(shop.tenant.key, path)).json()
      expect(fulfillments.map(withoutOwnFields)).toEqual(expected)
    }
    const { data, errors } = await shop.service.graphql(
      shop.tenant.key,
      `{ commerceOrder(credentialId: "${shop.credentialId}", id: "${first.id}") {
        orderNumber fulfillments { totalCount nodes { remoteId order { orderNumber } } }
      } }`,
    )
    expect(errors).toEqual([])
    expect(data.commerceOrder).toEqual({
      orderNumber: first.code,
      fulfillments: {
        totalCount: 1,
        nodes: [{ remoteId: expected[0]?.remoteId, order: { orderNumber: first.code } }],
      },
    })
  })

  test('marks deleted records after a full listing', async () => {
    const { shop, vendureState: truth } = harness
    const sofa = await createProduct(shop.vendure, {
      name: 'Sofa',
      variants: [{ sku: 'SOFA', price: 90_000 }],
    })
    const maria = { firstName: 'Maria', lastName: 'Agnesi', emailAddress: 'maria@example.org' }
    const { id: customerId } = await createCustomer(shop.vendure, maria)
    const lines = [{ variantId: sofa.variants[0]?.id ?? '', quantity: 1 }]
    const order = await placeOrder(shop.vendure, { customer: maria, lines })
    harness.setStatuses(order.id, 'Settled', 'Unfulfilled')
    await shop.sync()
    await shop.takeLog()

    await deleteProduct(shop.vendure, sofa.id)
    await deleteCustomer(shop.vendure, customerId)
    await shop.syncEverything()
    const loggedChanges = await harness.takeChanges()
    expect(loggedChanges.filter((change) => change.startsWith('deleted'))).toEqual([
      `deleted customers ${customerId}`,
      `deleted products ${sofa.id}`,
    ])
    const product = await shop.get('commerce/products', sofa.id)
    expect(product).toMatchObject({ productName: 'Sofa', remoteDeleted: true })
    const customer = await shop.get('commerce/customers', customerId)
    expect(customer).toMatchObject({ firstName: 'Maria', remoteDeleted: true })
    // The order still names both, as in Vendure.
    await harness.expectSame('commerce/orders', await truth.order(order.id))
  })

  test('finds changes without a new update time in a full listing', async () => {
    const { shop, lamp, first } = harness
    harness.setStatuses(first.id, 'Authorized', 'Shipped')
    await deleteVariant(shop.vendure, lamp.variants[0]?.id ?? '')
    await updateCustomer(shop.vendure, first.customer?.id ?? '', { firstName: 'Sonja' })
    await shop.syncEverything()
    expect((await shop.get('commerce/products', lamp.id)).variants).toHaveLength(1)
    const { customer } = await shop.get('commerce/orders', first.id)
    expect(customer).toMatchObject({ firstName: 'Sonja' })
    // Compares the stock of the shipped variants, too.
    await harness.expectAllSame()
  })

  test('skips no record when others are deleted between two pages', async () => {
    const { vendure } = harness.shop
    const orderIds: string[] = []
    for (let number = 1; number <= 9; number++) {
      const name = { firstName: 'Page', lastName: String(number) }
      const emailAddress = `page-${number}@example.org`
      orderIds.push((await createCustomer(vendure, { ...name, emailAddress })).id)
    }
    const customers = connector.resources['commerce/customers']
    if (!customers) throw new Error('the connector has no customers')
    const client = createAppClient({ allowPrivateAddresses: true })
    const values = { url: vendure.url, apiKey: vendure.apiKey }
    const credential = { method: null, values }
    const listed = new Set<string>()
    let pages = 0
    for (let cursor: Json | undefined; ; ) {
      const position = { since: undefined, cursor }
      const request = customers.listRequest(position)
      // Every request of the connector has such a body.
      const { query, variables } = request.body as { query: string; variables: { options: object } }
      const options = { ...variables.options, take: 4 }
      // Pages of four: the connector must use the size that it receives.
      const { method, path, read = true } = request
      const small = { method, path, read, body: { query, variables: { options } } } as AppRequest
      const response = await client.send(connector, credential, small)
      const { records, next } = customers.readList(response, position)
      for (const { id } of records as readonly { readonly id: string }[]) listed.add(id)
      pages += 1
      if (pages === 2) for (const id of orderIds.slice(0, 3)) await deleteCustomer(vendure, id)
      if (next === undefined) break
      cursor = next
    }
    await client.stop()
    expect(pages).toBeGreaterThan(2)
    expect([...listed]).toEqual(expect.arrayContaining(orderIds.slice(3)))
  })

  test('accepts a key with the required permissions only, and rejects invalid keys', async () => {
    const { shop } = harness
    const { service, tenant, vendure } = shop
    const { apiKey } = await createKey(vendure, ['Authenticated'])
    const connect = async (values: Readonly<Record<string, string>>) => {
      const credential = { url: vendure.url, apiKey, ...values }
      const body = { userId: tenant.userId, app: 'vendure', credential }
      const url = '/2024-03/headless/credentials'
      const rejection = await service.send(tenant.key, 'POST', url, body)
      const { credentialId, error } = rejection.json()
      return error?.code ?? typeof credentialId
    }
    expect(await connect({})).toBe('string')
    expect(await connect({ apiKey: `${apiKey.slice(0, -1)}x` })).toBe('APP_AUTHENTICATION')
    expect(await connect({ url: `${vendure.url}/elsewhere` })).toBe('APP_REFUSED')
  })

  test('reports a revoked key once and loses nothing', async () => {
    const { shop } = harness
    const before = await shop.list('commerce/orders')
    await shop.takeLog()
    await act(
      shop.vendure,
      'mutation ($ids: [ID!]!) { deleteApiKeys(ids: $ids) { result message } }',
      { ids: [shop.keyId] },
    )
    for (const round of [1, 2]) {
      const failure: unknown = await shop.sync().catch((error: unknown) => error)
      expect(failure, `round ${round}`).toMatchObject({
        errors: Array.from({ length: 4 }, () => ({
          code: 'APP_AUTHENTICATION',
          reason: expect.stringContaining('FORBIDDEN'),
        })),
      })
    }
    const log = await shop.takeLog()
    expect(log.filter(({ topic }) => topic === 'connection/authentication_failure')).toMatchObject([
      { facts: { credentialId: shop.credentialId, code: 'APP_AUTHENTICATION', app: 'vendure' } },
    ])
    expect(log.filter(({ topic }) => topic.startsWith('commerce/'))).toEqual([])
    const { credentialId } = shop
    const states = await shop.service.database.prisma.syncState.findMany({
      where: { credentialId },
    })
    for (const { failureCode, failure } of states) {
      expect(failureCode).toBe('APP_AUTHENTICATION')
      expect(failure).toMatch(/^FORBIDDEN/)
    }
    expect(await shop.list('commerce/orders')).toEqual(before)
  })

  addFidelityTest('vendure', 'live', () => harness.shop.service)
})
