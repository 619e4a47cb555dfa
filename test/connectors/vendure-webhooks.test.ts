/** Webhooks of a real shop with the plugin of test/apps/vendure/webhook-plugin.mjs. No sync runs: polling is off. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { placeOrder } from '../apps/vendure/checkout.ts'
import { fulfillOrder } from '../apps/vendure/orders.ts'
import {
  createCustomer,
  createProduct,
  deleteProduct,
  updateCustomer,
  updateVariant,
} from '../apps/vendure/shop.ts'
import { startVendure, type Vendure } from '../apps/vendure/start.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { findUnusedAddress } from '../support/unused-address.ts'
import { testVault } from '../support/vault.ts'
import { missing } from './vendure/harness.ts'
import { createKey, READING } from './vendure/key.ts'

describe.skipIf(missing)('webhooks of a shop', () => {
  let vendure: Vendure
  let service: TestService
  let worker: InboundWorker
  let tenant: Tenant
  let credentialId: string

  beforeAll(async () => {
    const publicUrl = await findUnusedAddress()
    ;[vendure, service] = await Promise.all([
      startVendure(),
      startService({ allowPrivateAddresses: true, publicUrl }),
    ])
    await service.server.listen({ port: Number(new URL(publicUrl).port), host: '127.0.0.1' })
    tenant = await service.createTenant('development', [])
    const { environmentId, userId } = tenant
    const { apiKey } = await createKey(vendure, [...READING, 'ManageWebhooks'])
    const values = { url: vendure.url, apiKey, channelToken: '' }
    const credential = { environmentId, userId, connector, values }
    credentialId = await createCredential(service.database, testVault, credential)
    worker = createInboundWorker({ ...service.runtime, publicUrl })
    await worker.start()
  }, 90_000)
  afterAll(async () => {
    await worker?.stop()
    await service?.stop()
    await vendure?.stop()
  })

  const listSubscriptions = async (): Promise<readonly { id: string; url: string }[]> =>
    (await vendure.admin<{ webhooks: { id: string; url: string }[] }>('{ webhooks { id url } }'))
      .webhooks

  const readStored = async (topic: string, remoteId: string) => {
    const response = await service.rest(
      tenant.key,
      `/commerce/${topic}s/${remoteId}?credentialId=${credentialId}`,
    )
    return response.statusCode === 200 ? response.json()[topic] : undefined
  }

  const logOf = async (remoteId: string, topic: string): Promise<readonly string[]> => {
    const rows = await service.database.prisma.$queryRaw<{ kind: string }[]>`
      SELECT kind FROM change_log.changes WHERE credential_id = ${credentialId}::uuid
        AND topic = ${`commerce/${topic}s`} AND record->>'remoteId' = ${remoteId} ORDER BY sequence`
    return rows.map(({ kind }) => kind)
  }

  /** Waits until the record is stored in this form, within the 2 s that are promised. */
  const expectStored = (topic: string, remoteId: string, expected: object) =>
    expect
      .poll(() => readStored(topic, remoteId), { timeout: 2000, interval: 20 })
      .toMatchObject(expected)

  test('the shop has one subscription, with the address of the credential', async () => {
    await expect.poll(listSubscriptions, { interval: 50 }).toHaveLength(1)
    expect((await listSubscriptions())[0]?.url).toMatch(/\/webhooks\/vendure\/[\da-f-]{36}$/)
  })

  test('a change in the shop is in the store and in the change log within 2 s', async () => {
    const { id, variants } = await createProduct(vendure, {
      name: 'Lamp',
      variants: [{ sku: 'L', price: 1000 }],
    })
    await expectStored('product', id, { productName: 'Lamp', variants: [{ price: '10.00' }] })
    await updateVariant(vendure, variants[0]?.id ?? '', { price: 1250 })
    await expectStored('product', id, { variants: [{ price: '12.50' }] })
    expect((await logOf(id, 'product')).at(0)).toBe('created')
    expect((await logOf(id, 'product')).at(-1)).toBe('updated')

    const customer = { firstName: 'Emmy', lastName: 'Noether', emailAddress: 'emmy@example.org' }
    const { id: customerId } = await createCustomer(vendure, customer)
    await updateCustomer(vendure, customerId, { lastName: 'N.' })
    await expectStored('customer', customerId, { firstName: 'Emmy', lastName: 'N.' })

    const lines = [{ variantId: variants[0]?.id ?? '', quantity: 2 }]
    const order = await placeOrder(vendure, { customer, lines })
    await expectStored('order', order.id, { orderStatus: 'PaymentSettled' })
    const fulfillment = await fulfillOrder(vendure, order, { trackingCode: 'T-1', method: 'DHL' })
    await expectStored('fulfillment', fulfillment.id, { carrier: 'DHL' })
    await expectStored('order', order.id, { orderStatus: 'Shipped' })
    await expectStored('product', id, { variants: [{ inventory: { totalCount: 98 } }] })
  })

  test('a deleted record is marked as deleted, and its fields stay', async () => {
    const { id } = await createProduct(vendure, {
      name: 'Sofa',
      variants: [{ sku: 'S', price: 90000 }],
    })
    await expectStored('product', id, { variants: [{ price: '900.00' }], remoteDeleted: false })
    await deleteProduct(vendure, id)
    await expectStored('product', id, {
      productName: 'Sofa',
      variants: [{ price: '900.00' }],
      remoteDeleted: true,
    })
    expect((await logOf(id, 'product')).at(-1)).toBe('deleted')
  })

  test('a lost subscription is created again, and the credential shows that webhooks are active', async () => {
    const [lost] = await listSubscriptions()
    await vendure.admin('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id: lost?.id })
    expect(await listSubscriptions()).toEqual([])
    // The next check of the subscription, which is due once a day.
    await service.database.prisma.inboundSubscription.updateMany({
      where: { credentialId },
      data: { checkAt: new Date(0), dueAt: new Date(0) },
    })
    await expect.poll(listSubscriptions, { interval: 50 }).toMatchObject([{ url: lost?.url }])
    const path = `/2024-03/users/${tenant.userId}/credentials`
    const [credential] = (await service.send(tenant.key, 'GET', path)).json().data
    expect(credential.webhooks).toMatchObject({ active: true, reason: null })
    expect(lost?.url).toMatch(new RegExp(`${credential.webhooks.path}$`))
    expect(Date.parse(credential.webhooks.lastReceivedAt)).toBeGreaterThan(Date.now() - 60_000)
    await createCustomer(vendure, { firstName: 'A', lastName: 'B', emailAddress: 'a@example.org' })
    await expect.poll(() => listAll('customer'), { timeout: 2000 }).toContain('a@example.org')
  })

  const listAll = async (topic: string): Promise<string> =>
    (await service.rest(tenant.key, `/commerce/${topic}s?credentialId=${credentialId}`)).body

  test('a deleted credential leaves no subscription in the shop, and its address is gone', async () => {
    const [{ url } = { url: '' }] = await listSubscriptions()
    const path = `/2024-03/users/${tenant.userId}/credentials/${credentialId}`
    expect((await service.send(tenant.key, 'DELETE', path)).statusCode).toBe(200)
    await expect.poll(listSubscriptions, { interval: 50 }).toEqual([])
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(410)
  })

  addFidelityTest('vendure', 'live', () => service)
})
