/**
 * The QuickBooks connector against a simulator that was written from the vendor's contract alone: a company is
 * connected through the consent page, listed, changed, written to (with conflicts), deleted from, and reported by
 * webhooks, while tokens expire and limits are reached.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import type { Connector } from '../../src/definition/connector.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { silentLog } from '../../src/log.ts'
import type { AppClient } from '../../src/outbound/http.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { createWindow } from '../simulators/engine/limits.ts'
import { start } from '../simulators/quickbooks/start.ts'
import { connectorAt } from '../support/at-simulator.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { callOver } from '../support/operations.ts'
import {
  openServer,
  type ServerOptions,
  startService,
  type Tenant,
  type TestService,
} from '../support/service.ts'
import { testVault } from '../support/vault.ts'
import { connectByConsent } from './consent.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

const PUBLIC_URL = 'https://api.example.com'
const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }
/** The verifier token of the developer portal. */
const VERIFIER = 'verifier-token-0123456789'
const REALM = '4620816365'
const LARGE_REALM = '4620816366'
const TOKEN_PATH = '/oauth2/v1/tokens/bearer'

let app: Awaited<ReturnType<typeof start>>
let company: ReturnType<typeof app.addCompany>
let service: TestService
let tenant: Tenant
let sync: Sync
let worker: InboundWorker
let credentialId: string
let connectors: ReadonlyMap<string, Connector>
let settings: ServerOptions
const processes: { stop(): Promise<void> }[] = []

const syncNow = (): Promise<void> => sync.syncNow(credentialId)

/** The client of another process on the same database. */
const openProcess = async (): Promise<AppClient> => {
  const process = await openServer(service.url, settings)
  processes.push(process)
  return process.runtime.appClient
}

const syncWith = (appClient: AppClient): Sync =>
  createSync({
    database: service.database,
    connectors,
    vault: testVault,
    appClient,
    log: silentLog,
  })

/** Connects a company through the consent page. @returns the credential */
const connect = (account: string): Promise<string> =>
  connectByConsent(service, tenant, { app: 'quickbooks', account, publicUrl: PUBLIC_URL })

const readAny = async (topic: string, id = ''): Promise<Loose> => {
  const name = topic.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
  const path = `/accounting/${name}${id}?credentialId=${credentialId}`
  const response = await service.rest(tenant.key, id === '' ? `${path}&pageSize=100` : path)
  expect(response.statusCode).toBe(200)
  return Object.values(response.json())[0]
}

const list = (topic: string): Promise<Loose[]> => readAny(topic)

const find = async (topic: string, remoteId: string): Promise<Loose> =>
  (await list(topic)).find((record) => record.remoteId === remoteId)

const write = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const url = `/2024-03/one/accounting/${path}?credentialId=${credentialId}`
  const response = await service.send(tenant.key, method, url, body)
  const { statusCode: status, headers } = response
  return { status, headers, body: response.json() as Loose }
}

const listCredentials = async (): Promise<Loose[]> =>
  (await service.send(tenant.key, 'GET', '/2024-03/credentials?app=quickbooks')).json().data

const idOf = (entity: string, index = 0): string => String(company.list(entity)[index]?.Id)

beforeAll(async () => {
  const redirectUris = [`${PUBLIC_URL}/oauth/callback`]
  app = await start({ clients: [{ ...client, redirectUris }] })
  // A wider limit than the vendor's: on a busy machine, the requests of several seconds can arrive in one.
  app.limits.set('requests per second', createWindow(app.clock, { max: 40, periodMs: 1000 }))
  company = app.addCompany(REALM, 'Acme Lamps')
  company.addSamples(5)
  company.create('Class', { Name: 'North' })
  company.create('Department', { Name: 'Shop' })
  company.create('PurchaseOrder', {
    VendorRef: { value: idOf('Vendor') },
    Line: company.list('Bill')[0]?.Line ?? [],
  })
  connectors = new Map([['quickbooks', connectorAt(connector, app.url)]])
  settings = { connectors, allowPrivateAddresses: true, publicUrl: PUBLIC_URL }
  service = await startService(settings)
  tenant = await service.createTenant('development', [])
  const call = callOver(service, 'REST')
  const set = { app: 'quickbooks', ...client, webhookSecret: VERIFIER }
  await call(tenant.key, 'setOAuthClient', set)
  credentialId = await connect(REALM)
  sync = syncWith(service.runtime.appClient)
  await syncNow()
})
afterAll(async () => {
  await worker?.stop()
  await sync?.stop()
  for (const process of processes) await process.stop()
  await service?.stop()
  await app?.stop()
})

test('the credential has the name of its company', async () => {
  expect(JSON.stringify(await listCredentials())).toContain('Acme Lamps')
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
  const stored = await list(topic)
  expect(stored.map(({ remoteId }) => remoteId).sort()).toEqual(expected.sort())
  expect(await readAny(topic, `/${stored[0].id}`)).toEqual(stored[0])
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
  company.update('Invoice', idOf('Invoice'), { PrivateNote: 'of the feed' })
  company.update('PurchaseOrder', idOf('PurchaseOrder'), { PrivateNote: 'of the feed' })
  company.update('Class', idOf('Class'), { Name: 'South' })
  app.journal.clear()
  await syncNow()
  const statuses = new Set(app.journal.find({ url: '/cdc' }).map(({ status }) => status))
  expect([...statuses]).toEqual([200])
  expect(await find('customers', customer)).toMatchObject({ customerName: 'Amy of the feed' })
  expect(await find('vendors', idOf('Vendor'))).toMatchObject({ vendorStatus: 'ARCHIVED' })
  expect(await find('invoices', idOf('Invoice'))).toMatchObject({ memo: 'of the feed' })
  expect(await find('purchaseOrders', idOf('PurchaseOrder'))).toMatchObject({ memo: 'of the feed' })
  expect(await find('trackingCategories', `Class-${idOf('Class')}`)).toMatchObject({
    trackingCategoryName: 'South',
  })
  // A list leaves out deleted records.
  expect(await find('bills', bill)).toBeUndefined()
})

test('a vendor is created once, although the response is lost', async () => {
  app.faults.add({ kind: 'lost-response' }, { method: 'POST', url: '/vendor' })
  await write('POST', 'vendors', { vendorName: 'Lost & Found' })
  await syncNow()
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

const findAccountId = async (type: string): Promise<string> => {
  const account = company.list('Account').find(({ AccountType }) => AccountType === type)
  return (await find('accounts', String(account?.Id))).id
}

const findCustomerId = async () => (await find('customers', idOf('Customer'))).id
const findVendorId = async () => (await find('vendors', idOf('Vendor', 3))).id
const expenseLineInput = async () => ({
  accountId: await findAccountId('Expense'),
  description: 'Trip',
})

test.each<[string, string, string, () => Promise<object>, object]>([
  [
    'accounts',
    'account',
    'Account',
    async () => ({ accountName: 'Travel', accountType: 'EXPENSE' }),
    { accountDescription: 'Trips' },
  ],
  [
    'customers',
    'customer',
    'Customer',
    async () => ({ customerName: 'Dana' }),
    { email: 'dana@example.com' },
  ],
  [
    'vendors',
    'vendor',
    'Vendor',
    async () => ({ vendorName: 'Timber' }),
    { email: 'timber@example.com' },
  ],
  [
    'items',
    'item',
    'Item',
    async () => ({
      itemName: 'Days',
      itemType: 'SERVICE',
      invoiceAccountId: await findAccountId('Income'),
    }),
    { unitPrice: 2.5 },
  ],
  [
    'bills',
    'bill',
    'Bill',
    async () => ({
      vendorId: await findVendorId(),
      issueDate: '2026-03-01',
      lineItems: [{ ...(await expenseLineInput()), totalAmount: 5.25 }],
    }),
    { memo: 'late' },
  ],
  [
    'purchase-orders',
    'purchaseOrder',
    'PurchaseOrder',
    async () => ({
      vendorId: await findVendorId(),
      lineItems: [{ ...(await expenseLineInput()), totalLineAmount: 5.25 }],
    }),
    { memo: 'urgent' },
  ],
  [
    'payments',
    'payment',
    'Payment',
    async () => ({ customerId: await findCustomerId(), totalAmount: 5.25 }),
    { totalAmount: 5.5 },
  ],
  [
    'payments',
    'payment',
    'BillPayment',
    async () => {
      const open: Loose = company.list('Bill').find(({ Balance }) => Number(Balance) > 1)
      const LinkedTxn = [{ TxnId: open.Id, TxnType: 'Bill' }]
      return {
        vendorId: (await find('vendors', open.VendorRef.value)).id,
        accountId: await findAccountId('Bank'),
        totalAmount: 1,
        remoteFields: { Line: [{ Amount: 1, LinkedTxn }] },
      }
    },
    { transactionDate: '2026-03-02T00:00:00.000Z' },
  ],
])(
  'a record of %s (%s, %s) is created, read, changed and deleted',
  async (path, name, entity, readInput, change) => {
    const input = await readInput()
    const created = await write('POST', path, input)
    expect(created).toMatchObject({ status: 200 })
    const { id, remoteId } = created.body[name]
    const readRemote = () => company.find(entity, remoteId.replace(`${entity}-`, ''))
    expect(readRemote()).toBeDefined()
    const changed = await write('PATCH', `${path}/${id}`, change)
    expect(changed).toMatchObject({ status: 200, body: { [name]: change } })
    const response = await service.rest(
      tenant.key,
      `/accounting/${path}/${id}?credentialId=${credentialId}`,
    )
    expect(response.json()).toMatchObject({ [name]: { ...change, remoteId } })
    expect((await write('DELETE', `${path}/${id}`)).status).toBeLessThan(300)
    // Entries of lists cannot be deleted, only made inactive.
    expect(readRemote()?.Active ?? 'deleted').toBe(readRemote() ? false : 'deleted')
  },
)

test('a rejected value is located at its field', async () => {
  const takenName = company.list('Customer')[0]?.DisplayName
  const refused = await write('POST', 'customers', { customerName: takenName })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('customerName')
})

/** Connects the address of the webhooks, as the developer portal does. */
const subscribe = async (): Promise<void> => {
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  worker = createInboundWorker({
    ...service.runtime,
    appClient: await openProcess(),
    publicUrl: PUBLIC_URL,
  })
  await worker.start()
  await expect
    .poll(async () => (await listCredentials())[0].webhooks?.path)
    .toContain('/webhooks/quickbooks/')
  const { path } = (await listCredentials())[0].webhooks
  app.webhooks.subscribe({ id: 'app', url: address + path, secret: VERIFIER })
}

/** Renames a customer in the app, and waits until the service shows it by its webhook. */
const renameByWebhook = async (name: string): Promise<void> => {
  const id = idOf('Customer', 3)
  company.update('Customer', id, { DisplayName: name })
  app.clock.advance(10 * 60_000)
  const statuses = (await app.webhooks.deliver()).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expect.poll(async () => (await find('customers', id)).customerName).toBe(name)
}

test('a webhook that is signed with the verifier token names a record, which is fetched', async () => {
  await subscribe()
  await renameByWebhook('Amy of the webhook')
})

test('webhooks report changes of the other entities', async () => {
  const changed: readonly (readonly [string, string, string, string])[] = [
    ['Account', 'Name', 'accounts', 'accountName'],
    ['Bill', 'PrivateNote', 'bills', 'memo'],
    ['Invoice', 'PrivateNote', 'invoices', 'memo'],
    ['Item', 'Name', 'items', 'itemName'],
    ['PurchaseOrder', 'PrivateNote', 'purchaseOrders', 'memo'],
    ['Class', 'Name', 'trackingCategories', 'trackingCategoryName'],
  ]
  const ids = changed.map(([entity]) => idOf(entity))
  for (const [index, [entity, field]] of changed.entries())
    company.update(entity, String(ids[index]), { [field]: `${entity} of the webhook` })
  const payment = idOf('Payment')
  company.update('Payment', payment, { TxnDate: '2026-03-03' })
  app.clock.advance(10 * 60_000)
  const statuses = (await app.webhooks.deliver()).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const [index, [entity, , topic, name]] of changed.entries()) {
    const remoteId = entity === 'Class' ? `Class-${ids[index]}` : String(ids[index])
    await expect
      .poll(async () => (await find(topic, remoteId))?.[name])
      .toBe(`${entity} of the webhook`)
  }
  await expect
    .poll(async () => (await find('payments', `Payment-${payment}`)).transactionDate)
    .toBe('2026-03-03T00:00:00.000Z')
})

test('a rate limit with Retry-After delays a sync, and a write reports it', async () => {
  const limited = { kind: 'status', status: 429, headers: { 'retry-after': '1' } } as const
  app.faults.add(limited, { url: '/cdc' })
  company.update('Customer', idOf('Customer'), { DisplayName: 'Amy after the limit' })
  await syncNow()
  expect(await find('customers', idOf('Customer'))).toMatchObject({
    customerName: 'Amy after the limit',
  })
  app.faults.add(limited, { method: 'POST', url: '/vendor' })
  const refused = await write('POST', 'vendors', { vendorName: 'Later' })
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  // The next write waits for the end of the rate limit.
  expect(await write('POST', 'vendors', { vendorName: 'Later' })).toMatchObject({ status: 200 })
})

/** The number of token renewals during `work`, which starts with expired access tokens. */
const renewalsOf = async (work: () => Promise<unknown>): Promise<number> => {
  app.oauth.expireAccessTokens(REALM)
  const before = app.journal.find({ url: TOKEN_PATH }).length
  await work()
  return app.journal.find({ url: TOKEN_PATH }).length - before
}

test('an expired access token is renewed once, in a sync, in a write and for a webhook', async () => {
  const other = syncWith(await openProcess())
  company.update('Vendor', idOf('Vendor', 2), { DisplayName: 'Timber & Sons' })
  expect(await renewalsOf(() => other.syncNow(credentialId))).toBe(1)
  await other.stop()
  expect(await find('vendors', idOf('Vendor', 2))).toMatchObject({ vendorName: 'Timber & Sons' })
  const renameCustomer = async () => {
    const { id } = await find('customers', idOf('Customer', 2))
    expect(await write('PATCH', `customers/${id}`, { customerName: 'Ann' })).toMatchObject({
      status: 200,
    })
  }
  expect(await renewalsOf(renameCustomer)).toBe(1)
  expect(await renewalsOf(() => renameByWebhook('Amy with a new token'))).toBe(1)
})

test('a first sync of 5,000 records stays within the limits', async () => {
  const large = app.addCompany(LARGE_REALM, 'Acme Large')
  large.addSamples(1000)
  const id = await connect(LARGE_REALM)
  app.journal.clear()
  await sync.syncNow(id)
  const query = `query Totals($id: ID!) {
    customers: accountingCustomers(credentialId: $id) { totalCount }
    vendors: accountingVendors(credentialId: $id) { totalCount }
    items: accountingItems(credentialId: $id) { totalCount }
    invoices: accountingInvoices(credentialId: $id) { totalCount }
    bills: accountingBills(credentialId: $id) { totalCount }
    payments: accountingPayments(credentialId: $id) { totalCount }
  }`
  const { data, errors } = await service.graphql(tenant.key, query, { id })
  expect(errors ?? []).toEqual([])
  const total = { totalCount: 1000 }
  expect(data).toEqual({
    customers: total,
    vendors: total,
    items: total,
    invoices: total,
    bills: total,
    payments: { totalCount: 500 + 334 },
  })
  const statuses = app.journal.find({ url: LARGE_REALM }).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(statuses.length).toBeLessThan(60)
})

test('a company that ends the connection needs to be reconnected, which is reported once', async () => {
  app.oauth.revokeGrants(REALM)
  const other = syncWith(await openProcess())
  await expect(other.syncNow(credentialId)).rejects.toThrow()
  await expect(other.syncNow(credentialId)).rejects.toThrow()
  await other.stop()
  const ended = (await listCredentials()).find(
    (credential) => credential.credentialId === credentialId,
  )
  expect(ended.state).toBe('needs_reconnect')
  const failures = await service.database.prisma.$queryRaw<object[]>`
    SELECT topic FROM change_log.changes WHERE credential_id = ${credentialId}::uuid
      AND topic = 'connection/authentication_failure'`
  expect(failures).toHaveLength(1)
})

addFidelityTest('quickbooks', 'contract', () => service)
