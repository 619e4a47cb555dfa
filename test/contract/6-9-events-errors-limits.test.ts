/** Sections 6 to 9 of the contract: topics, errors, limits and versions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { callOver, transports } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const LISTS = ['crm/accounts', 'crm/leads', 'accounting/payments']

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  for (const topic of LISTS) {
    const resource = catalogue.get(topic)
    const rows: RecordRow[] = []
    for (let n = 1; n <= 101; n++) rows.push(sampleRecord(CREDENTIAL, resource, n))
    await service.save(tenant, CREDENTIAL, resource, rows)
  }
})
afterAll(() => service.stop())

const send = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) =>
  service.send(tenant.key, method, url, body)

const topics = [
  'connection/created',
  'connection/deleted',
  'connection/authentication_failure',
  'commerce/customers',
  'commerce/orders',
  'commerce/products',
  'accounting/companyInfo',
  'accounting/accounts',
  'accounting/customers',
  'accounting/taxRates',
  'accounting/trackingCategories',
  'accounting/vendors',
  'accounting/items',
  'accounting/payments',
  'accounting/purchaseOrders',
  'accounting/bills',
  'accounting/invoices',
  'crm/accounts',
  'crm/contacts',
  'crm/leads',
  'crm/notes',
  'crm/opportunities',
  'crm/stages',
  'crm/tasks',
  'crm/users',
  'sync/started',
  'sync/completed',
  'sync/failed',
]

describe.each(transports)('6 over %s', (transport) => {
  const address = 'https://hooks.example.com/events'

  test.each(topics)('6 the topic %s can be subscribed to', async (topic) => {
    const call = callOver(service, transport)
    const created = await call(tenant.key, 'createWebhook', { address, topic: [topic] })
    expect(created).toMatchObject({ status: 200, result: { topic: [topic], isEnabled: true } })
  })

  test('6 an unknown topic is rejected', async () => {
    const call = callOver(service, transport)
    for (const topic of ['crm/account', 'CRM/accounts', 'sync', '']) {
      const refused = await call(tenant.key, 'createWebhook', { address, topic: [topic] })
      expect(refused).toMatchObject({ status: 400, fields: ['topic[0]'] })
    }
  })

  test('6 rule 1: a subscription that is not enabled is listed as disabled', async () => {
    const call = callOver(service, transport)
    const { key } = await service.createTenant('development', [], `Disabled ${transport}`)
    const topic = ['crm/leads']
    const { result: created } = await call(key, 'createWebhook', { address, topic })
    const { subscriptionId } = created
    await call(key, 'updateWebhook', { subscriptionId, isEnabled: false })
    expect((await call(key, 'webhooks')).result).toEqual([{ ...created, isEnabled: false }])
  })

  test('6 rule 2: only existing registrations are listed', async () => {
    const call = callOver(service, transport)
    const { key } = await service.createTenant('development', [], `Registered ${transport}`)
    expect((await call(key, 'webhooks')).result).toEqual([])
    const { result: created } = await call(key, 'createWebhook', { address, topic: topics })
    expect((await call(key, 'webhooks')).result).toEqual([created])
    await call(key, 'deleteWebhook', { subscriptionId: created.subscriptionId })
    expect((await call(key, 'webhooks')).result).toEqual([])
  })
})

describe('7', () => {
  const query = `?credentialId=${CREDENTIAL}`

  test.each([
    ['GET', `/2024-03/one/crm/accounts${query}&pageSize=0`],
    ['GET', `/2024-03/one/crm/leads${query}&createdAtMin=yesterday`],
    ['GET', `/2024-03/one/accounting/payments${query}&totalAmountMin=much`],
    ['PUT', `/2024-03/one/accounting/vendors/1${query}`],
    ['PUT', `/2024-03/one/commerce/orders/1${query}`],
    ['PUT', `/2024-03/one/commerce/orders/1/fulfillments/1${query}`],
    ['POST', `/2024-03/one/crm/contacts${query}`],
  ] as const)('7.1 and 7.2 %s %s fails with 400 and a JSON object', async (method, url) => {
    const response = await send(method, url, method === 'GET' ? undefined : { nonsense: 1 })
    expect(response.statusCode, response.body).toBe(400)
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(response.json()).toEqual({
      error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
    })
  })

  test('7.1 a list that succeeds is a 200', async () => {
    for (const topic of LISTS)
      expect((await send('GET', `/2024-03/one/${topic}${query}`)).statusCode).toBe(200)
  })

  test('7.3 a missing credentialId, a missing field and a taken username are 400', async () => {
    const missing = await send('POST', '/2024-03/one/crm/contacts', { lastName: 'x' })
    const field = await send('POST', `/2024-03/one/crm/contacts${query}`, { firstName: 'x' })
    await send('POST', '/2023-12/users', { username: 'twice' })
    const duplicate = await send('POST', '/2023-12/users', { username: 'twice' })
    for (const [response, name] of [
      [missing, 'credentialId'],
      [field, 'lastName'],
      [duplicate, 'username'],
    ] as const)
      expect([response.statusCode, response.json().error.details[0].field]).toEqual([400, name])
  })
})

describe.each(LISTS)('8 the list of %s', (topic) => {
  const { plural } = catalogue.get(topic)
  const page = async (parameters: string) => {
    const response = await send(
      'GET',
      `/2024-03/one/${topic}?credentialId=${CREDENTIAL}${parameters}`,
    )
    const { [plural]: records = [], error } = response.json()
    const ids = records.map(({ id }: { id: string }) => id)
    return { status: response.statusCode, ids, field: error?.details[0].field }
  }

  test('8 pageNumber defaults to 1', async () => {
    expect(await page('')).toEqual(await page('&pageNumber=1'))
    expect((await page('&pageNumber=2')).ids).not.toEqual((await page('')).ids)
  })

  test('8 pageSize defaults to 50', async () => {
    expect((await page('')).ids).toHaveLength(50)
    expect((await page('&pageNumber=3')).ids).toHaveLength(1)
  })

  test('8 pageSize is at most 100', async () => {
    expect((await page('&pageSize=100')).ids).toHaveLength(100)
    expect(await page('&pageSize=101')).toMatchObject({ status: 400, field: 'pageSize' })
  })
})

test('8 a username is unique to its integrator, and free for others', async () => {
  const other = await service.createTenant('development', [], 'Another integrator')
  const body = { username: 'shared' }
  for (const { key } of [tenant, other]) {
    expect((await service.send(key, 'POST', '/2023-12/users', body)).statusCode).toBe(200)
    expect((await service.send(key, 'POST', '/2023-12/users', body)).statusCode).toBe(400)
  }
})

describe('9', () => {
  test('9.1 the version comes first in the path, and there are two', async () => {
    for (const version of ['2023-12', '2024-03', '2025-01', 'v1']) {
      const user = await send('POST', `/${version}/users`, { username: `v-${version}` })
      expect([version, user.statusCode]).toEqual([version, version === '2023-12' ? 200 : 404])
      const users = await send('GET', `/${version}/one/users`)
      expect([version, users.statusCode]).toEqual([version, version === '2024-03' ? 200 : 404])
    }
  })

  test('9.2 the unified API is below /one', async () => {
    for (const topic of LISTS) {
      const query = `?credentialId=${CREDENTIAL}`
      expect((await send('GET', `/2024-03/one/${topic}${query}`)).statusCode).toBe(200)
      expect((await send('GET', `/2024-03/${topic}${query}`)).statusCode).toBe(404)
    }
  })

  test('9.4 a key selects the environment, not the version', async () => {
    const production = await service.createTenant('production', [])
    for (const { key } of [tenant, production]) {
      const created = await service.send(key, 'POST', '/2023-12/users', { username: 'either' })
      expect(created.statusCode).toBe(200)
      expect((await service.send(key, 'GET', '/2024-03/one/users')).statusCode).toBe(200)
    }
  })
})
