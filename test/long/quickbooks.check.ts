/**
 * QuickBooks by a simulator that was made from its contract by another hand: connected through the consent page,
 * listed, changed, written in conflict, deleted, and reported by webhooks.
 */
import { setTimeout } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import type { OAuthMethod } from '../../src/definition/auth.ts'
import type { Connector } from '../../src/definition/connector.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { start } from '../simulators/quickbooks/start.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { callOver } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

const PUBLIC_URL = 'https://api.example.com'
const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }
const REALM = '4620816365'

/** The connector with all its addresses on a simulator. */
const connectorAt = (url: string): Connector => {
  // Safe: the manifest declares it so.
  const method = connector.auth.oauth as OAuthMethod
  const at = (address: string): string => url + address.slice(new URL(address).origin.length)
  return {
    ...connector,
    auth: {
      oauth: {
        ...method,
        authorizationUrl: at(method.authorizationUrl),
        tokenUrl: at(method.tokenUrl),
        revocationUrl: at(method.revocationUrl ?? ''),
        baseUrl: at(method.baseUrl),
      },
    },
  }
}

let app: Awaited<ReturnType<typeof start>>
let company: ReturnType<typeof app.addCompany>
let service: TestService
let tenant: Tenant
let sync: Sync
let worker: InboundWorker
let credentialId: string

/** Runs everything until the budget has allowed all of it. */
const synced = async (): Promise<void> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await sync.syncNow(credentialId)
    } catch (error) {
      if (tries >= 30) throw error
      await setTimeout(1000)
    }
}

/** Allows an authorization on the consent page. @returns the credential */
const connect = async (account: string): Promise<string> => {
  const call = callOver(service, 'REST')
  const { userId } = tenant
  const { result } = await call(tenant.key, 'createAuthorization', { userId, app: 'quickbooks' })
  const browser = openBrowser(service)
  const page = await browser.open(result.url)
  const response = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams([...page.searchParams, ['account', account], ['decision', 'allow']]),
  })
  const callback = response.headers.get('location') ?? `${response.status} ${await response.text()}`
  expect(callback).toContain(`${PUBLIC_URL}/oauth/callback`)
  expect((await browser.get(callback)).body).toContain('Connected')
  const credentials = (await call(tenant.key, 'userCredentials', { userId })).result
  return credentials.at(-1).credentialId
}

const list = async (topic: string): Promise<Loose[]> => {
  const name = topic.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
  const path = `/accounting/${name}?credentialId=${credentialId}&pageSize=100`
  const response = await service.rest(tenant.key, path)
  expect(response.statusCode).toBe(200)
  return response.json()[topic]
}

const find = async (topic: string, remoteId: string): Promise<Loose> =>
  (await list(topic)).find((record) => record.remoteId === remoteId)

const write = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const url = `/2024-03/one/accounting/${path}?credentialId=${credentialId}`
  const response = await service.send(tenant.key, method, url, body)
  return { status: response.statusCode, body: response.json() as Loose }
}

const idOf = (entity: string, index = 0): string => String(company.list(entity)[index]?.Id)

beforeAll(async () => {
  const redirectUris = [`${PUBLIC_URL}/oauth/callback`]
  app = await start({ clients: [{ ...client, redirectUris }] })
  company = app.addCompany(REALM, 'Acme Lamps')
  company.addSamples(5)
  const connectors = new Map([['quickbooks', connectorAt(app.url)]])
  service = await startService({ connectors, allowPrivateAddresses: true, publicUrl: PUBLIC_URL })
  tenant = await service.createTenant('development', [])
  await callOver(service, 'REST')(tenant.key, 'setOAuthClient', { app: 'quickbooks', ...client })
  credentialId = await connect(REALM)
  const { database, runtime } = service
  sync = createSync({
    ...{ database, connectors, vault: testVault, appClient: runtime.appClient },
    log: pino({ level: 'silent' }),
  })
  await synced()
})
afterAll(async () => {
  await worker?.stop()
  await sync?.stop()
  await service?.stop()
  await app?.stop()
})

test('the credential has the name of its company', async () => {
  const response = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=quickbooks')
  expect(JSON.stringify(response.json())).toContain('Acme Lamps')
})

test.each([
  ['accounts', ['Account']],
  ['bills', ['Bill']],
  ['companyInfo', ['CompanyInfo']],
  ['customers', ['Customer']],
  ['invoices', ['Invoice']],
  ['items', ['Item']],
  ['payments', ['Payment', 'BillPayment']],
  ['purchaseOrders', ['PurchaseOrder']],
  ['taxRates', ['TaxRate']],
  ['trackingCategories', ['Class', 'Department']],
  ['vendors', ['Vendor']],
])('the first sync stores all %s', async (topic, entities) => {
  const expected = entities.flatMap((entity) =>
    company
      .list(entity)
      .filter(({ Type }) => Type !== 'Category')
      .map(({ Id }) => (entities.length > 1 ? `${entity}-${Id}` : String(Id))),
  )
  const stored = (await list(topic)).map(({ remoteId }) => remoteId)
  expect(stored.sort()).toEqual(expected.sort())
})

test('an invoice has the amounts, days and references of the app', async () => {
  const remote: Loose = company.list('Invoice')[0]
  const record = await find('invoices', remote.Id)
  expect(record).toMatchObject({
    totalAmount: remote.TotalAmt,
    balance: remote.Balance,
    issueDate: `${remote.TxnDate}T00:00:00.000Z`,
    customerId: (await find('customers', remote.CustomerRef.value)).id,
  })
  expect(record.lineItems[0].totalAmount).toBe(remote.Line[0].Amount)
})

test('one request of the feed finds changes and deletions of all resources', async () => {
  const [customer, bill] = [idOf('Customer'), idOf('Bill')]
  app.clock.advance(1000)
  company.update('Customer', customer, { DisplayName: 'Amy of the feed' })
  company.update('Vendor', idOf('Vendor'), { Active: false })
  company.delete('Bill', bill)
  app.journal.clear()
  await synced()
  const statuses = new Set(app.journal.find({ url: '/cdc' }).map(({ status }) => status))
  expect([...statuses]).toEqual([200])
  expect(await find('customers', customer)).toMatchObject({ customerName: 'Amy of the feed' })
  expect(await find('vendors', idOf('Vendor'))).toMatchObject({ vendorStatus: 'ARCHIVED' })
  // A list leaves out deleted records.
  expect(await find('bills', bill)).toBeUndefined()
})

test('a vendor is created once, although the response is lost', async () => {
  app.faults.add({ kind: 'lost-response' }, { method: 'POST', url: '/vendor' })
  await write('POST', 'vendors', { vendorName: 'Lost & Found' })
  await synced()
  const named = company.list('Vendor').filter(({ DisplayName }) => DisplayName === 'Lost & Found')
  expect(named).toHaveLength(1)
})

test('an update changes what it names, and a stale one is a conflict', async () => {
  const id = idOf('Customer', 1)
  const { id: recordId } = await find('customers', id)
  const changes = {
    email: 'amy@example.com',
    phoneNumbers: [{ phoneNumberType: 'MOBILE', phoneNumber: '555' }],
  }
  const updated = await write('PATCH', `customers/${recordId}`, changes)
  expect(updated).toMatchObject({ status: 200 })
  expect(company.find('Customer', id)).toMatchObject({
    PrimaryEmailAddr: { Address: 'amy@example.com' },
    Mobile: { FreeFormNumber: '555' },
  })
  company.update('Customer', id, { Notes: 'changed by the company' })
  const stale = await write('PATCH', `customers/${recordId}`, { email: 'b@example.com' })
  expect(stale.status).toBe(409)
  expect(company.find('Customer', id)).toMatchObject({
    PrimaryEmailAddr: { Address: 'amy@example.com' },
  })
})

test('an invoice is created with its lines, changed and deleted', async () => {
  const customer = (await find('customers', idOf('Customer'))).id
  const sold = company.list('Item').find(({ Type }) => Type === 'Service')
  const item = (await find('items', String(sold?.Id))).id
  const created = await write('POST', 'invoices', {
    customerId: customer,
    issueDate: '2026-03-01',
    lineItems: [{ accountingItemId: item, description: 'Nails', unitPrice: 0.1, quantity: 3 }],
  })
  expect(created.body).toMatchObject({ invoice: { totalAmount: 0.3, balance: 0.3 } })
  const { id, remoteId } = created.body.invoice
  const lineItems = [{ accountingItemId: item, description: 'Nails', quantity: 5 }]
  expect((await write('PATCH', `invoices/${id}`, { lineItems })).body).toMatchObject({
    invoice: { totalAmount: 0.5, lineItems: [{ unitPrice: 0.1, quantity: 5 }] },
  })
  expect((await write('DELETE', `invoices/${id}`)).status).toBeLessThan(300)
  expect(company.find('Invoice', remoteId)).toBeUndefined()
})

test('a deleted vendor is inactive in the app', async () => {
  const id = idOf('Vendor', 1)
  expect((await write('DELETE', `vendors/${(await find('vendors', id)).id}`)).status).toBeLessThan(
    300,
  )
  expect(company.find('Vendor', id)).toMatchObject({ Active: false })
})

test('a refused value is located at its field', async () => {
  const taken = company.list('Customer')[0]?.DisplayName
  const refused = await write('POST', 'customers', { customerName: taken })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('customerName')
})

// Signed with the secret of the OAuth client: NOTES "webhooks" says what a real app needs in addition.
test('a webhook names a record, which is fetched', async () => {
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  worker = createInboundWorker({ ...service.runtime, publicUrl: PUBLIC_URL })
  await worker.start()
  const listed = async (): Promise<Loose> =>
    (await service.send(tenant.key, 'GET', '/2024-03/credentials?app=quickbooks')).json().data[0]
  await expect.poll(async () => (await listed()).webhooks?.path).toContain('/webhooks/quickbooks/')
  const { path } = (await listed()).webhooks
  app.webhooks.subscribe({ id: 'app', url: address + path, secret: client.clientSecret })
  const id = idOf('Customer', 3)
  company.update('Customer', id, { DisplayName: 'Amy of the webhook' })
  app.clock.advance(10 * 60_000)
  const statuses = (await app.webhooks.deliver()).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 200))
  expect(statuses.length).toBeGreaterThan(0)
  await expect
    .poll(async () => (await find('customers', id)).customerName)
    .toBe('Amy of the webhook')
})
