/** The maximum age of records, and reconciliations, over both transports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAppClient } from '../../src/outbound/http.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { defineFakeConnector, type FakeApp, startFakeApp } from '../support/fake-app.ts'
import { callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const connector = defineFakeConnector()
const connectors = new Map([['fake', connector]])
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

let app: FakeApp
let service: TestService
let tenant: Tenant
let credentialId: string
let engine: Sync
let client: ReturnType<typeof createAppClient>

beforeAll(async () => {
  app = await startFakeApp()
  app.fill(3)
  service = await startService({ connectors, allowPrivateAddresses: true })
  tenant = await service.createTenant('development', [])
  const { environmentId, userId } = tenant
  const values = { url: app.url, token: app.settings.token }
  const credential = { environmentId, userId, connector, values }
  credentialId = await createCredential(service.database, testVault, credential)
  client = createAppClient({ allowPrivateAddresses: true })
  engine = createSync({
    database: service.database,
    vault: testVault,
    connectors,
    appClient: client,
    log,
    intervalMs: 600_000,
  })
  await engine.syncNow(credentialId)
})
afterAll(async () => {
  await engine.stop()
  await client.stop()
  await service.stop()
  await app.stop()
})

/** The result of a request that waits for a run, which is run as soon as it is due. */
const runUntilResponse = async <Result>(request: Promise<Result>): Promise<Result> => {
  const countDue = () =>
    service.database.prisma.syncState.count({ where: { dueAt: { lte: new Date() } } })
  await expect.poll(countDue, { interval: 20 }).toBe(1)
  await engine.syncNow(credentialId)
  return request
}

let renames = 0
const rename = (): string => {
  const name = `Renamed ${++renames}`
  app.put('2', { name })
  return name
}

interface Account {
  readonly remoteId: string
  readonly accountName: string
}

/** The name of the account that is renamed. */
const nameIn = (accounts: readonly Account[]) =>
  accounts.find(({ remoteId }) => remoteId === '2')?.accountName

test('over REST: lists, counts and gets are as current as required, with their age', async () => {
  const { key } = tenant
  const path = (rest: string, seconds: number) =>
    `/crm/accounts${rest}?credentialId=${credentialId}&maxStalenessSeconds=${seconds}`
  const before = await service.rest(key, path('', 600))
  const first = Date.parse(String(before.headers['synced-at']))
  expect(Date.now() - first).toBeLessThan(600_000)

  const name = rename()
  const list = await runUntilResponse(service.rest(key, path('', 0)))
  expect(nameIn(list.json().accounts)).toBe(name)
  const listed = Date.parse(String(list.headers['synced-at']))
  expect(listed).toBeGreaterThan(first)

  const get = await service.rest(key, path('/2', 600))
  expect(get.json().account.accountName).toBe(name)
  expect(Date.parse(String(get.headers['synced-at']))).toBe(listed)
  const count = await service.rest(key, path('/count', 600))
  expect([count.json(), count.headers['synced-at']]).toEqual([
    { count: 3 },
    new Date(listed).toISOString(),
  ])

  const plain = await service.rest(key, `/crm/accounts?credentialId=${credentialId}`)
  expect(plain.headers).not.toHaveProperty('synced-at')
})

test('in GraphQL: lists and gets are as current as required, and pages have their age', async () => {
  const { key } = tenant
  const list = (seconds: number) =>
    service.graphql(
      key,
      `{ crmAccounts(credentialId: "${credentialId}", maxStalenessSeconds: ${seconds}) { syncedAt totalCount nodes { remoteId accountName } } }`,
    )
  const before = (await list(600)).data.crmAccounts
  const name = rename()
  const { data, errors } = await runUntilResponse(list(0))
  expect(errors).toEqual([])
  expect(data.crmAccounts.totalCount).toBe(3)
  expect(nameIn(data.crmAccounts.nodes)).toBe(name)
  expect(Date.parse(data.crmAccounts.syncedAt)).toBeGreaterThan(Date.parse(before.syncedAt))

  const later = rename()
  const query = `query ($id: ID!) {
    stored: crmAccount(credentialId: $id, id: "2") { remoteId }
    current: crmAccount(credentialId: $id, id: "2", maxStalenessSeconds: 0) { accountName }
  }`
  const get = await runUntilResponse(service.graphql(key, query, { id: credentialId }))
  expect(get.data.current.accountName).toBe(later)

  service.takeStatements()
  const plain = await service.graphql(
    key,
    `{ crmAccounts(credentialId: "${credentialId}") { syncedAt nodes { id } } }`,
  )
  expect(plain.data.crmAccounts.syncedAt).toBeNull()
  expect(service.takeStatements()).toHaveLength(1)
})

test.each(['-1', '1.5', '86401', 'x', ''])('rejects the age %j', async (seconds) => {
  const { key } = tenant
  for (const rest of ['', '/count', '/2']) {
    const path = `/crm/accounts${rest}?credentialId=${credentialId}&maxStalenessSeconds=${seconds}`
    const { error } = (await service.rest(key, path)).json()
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER' })
    expect(error.details).toMatchObject([{ field: 'maxStalenessSeconds' }])
  }
})

test('rejects an age of more than a day in GraphQL', async () => {
  const { errors } = await service.graphql(
    tenant.key,
    `{ crmAccounts(credentialId: "${credentialId}", maxStalenessSeconds: 86401) { totalCount } }`,
  )
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETER' } }])
})

describe.each(transports)('over %s', (transport) => {
  const call = (name: string, input: object, key = tenant.key) =>
    callOver(service, transport)(key, name, { userId: tenant.userId, credentialId, ...input })

  test('a reconciliation reports what differed', async () => {
    const started = await call('startReconciliation', { resource: 'crm/accounts' })
    expect(started, started.message).toMatchObject({ status: 200 })
    const { reconciliationId } = started.result
    await engine.syncNow(credentialId)
    await expect
      .poll(async () => (await call('reconciliation', { reconciliationId })).result)
      .toMatchObject({ state: 'completed', reason: null, storedRecords: 3, appRecords: 3 })
    const { result } = await call('reconciliations', { resource: 'crm/accounts' })
    expect(result[0]).toMatchObject({ reconciliationId, resource: 'crm/accounts', unlisted: 0 })
    expect((await call('reconciliations', { resource: 'crm/notes' })).result).toEqual([])
    const { resources } = (await call('credential', {})).result
    expect(Date.parse(resources[0].syncedAt)).toBeGreaterThan(Date.parse(result[0].requestedAt))
  })

  test('rejects unknown resources, ids and other environments', async () => {
    const unknown = await call('startReconciliation', { resource: 'crm/leads' })
    expect(unknown).toMatchObject({ code: 'INVALID_PARAMETER', fields: ['resource'] })
    for (const reconciliationId of ['x', '00000000-0000-4000-8000-000000000000'])
      expect(await call('reconciliation', { reconciliationId })).toMatchObject({
        code: 'NOT_FOUND',
      })
    const other = await service.createTenant('development', [], transport)
    for (const name of ['startReconciliation', 'reconciliations'])
      expect(await call(name, { resource: 'crm/accounts' }, other.key)).toMatchObject({
        code: 'USER_NOT_FOUND',
      })
  })
})
