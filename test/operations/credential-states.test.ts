/** The state of a credential: derived from its syncs, its check and its pause, over both transports. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineMapping } from '../../src/definition/mapping.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { note } from '../../src/resources/crm/note.ts'
import { addMissingStates } from '../../src/store/sync/state-rows.ts'
import type { SyncOptions } from '../../src/sync/schedule.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { defineFakeConnector, type FakeApp, startFakeApp } from '../support/fake-app.ts'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { findUnusedAddress } from '../support/unused-address.ts'
import { testVault } from '../support/vault.ts'

let accountName = ' Acme Ltd '
let nameReads = 0
const fake = defineFakeConnector()
const accounts = fake.resources['crm/accounts']
if (!accounts) throw new Error('The fake connector has no accounts.')
const notes = defineMapping(note, {
  remoteId: 'id',
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: 'deleted',
  noteTitle: 'name',
  noteOwner: null,
  noteContent: null,
  noteContact: null,
  noteAccount: null,
  noteOpportunity: null,
})
const connector = {
  ...fake,
  resources: { ...fake.resources, 'crm/notes': { ...accounts, mapping: notes } },
  readAccountName: () => {
    nameReads++
    return accountName
  },
}
const connectors = new Map([['fake', connector]])
const NEVER = '99999999-0000-4000-8000-000000000009'

let app: FakeApp
let service: TestService
let tenant: Tenant

beforeAll(async () => {
  app = await startFakeApp()
  service = await startService({ connectors, allowPrivateAddresses: true })
  tenant = await service.createTenant('development', [])
})
afterAll(async () => {
  await service.stop()
  await app.stop()
})

const withEngine = async (
  work: (engine: Sync) => Promise<void>,
  options: Partial<SyncOptions> = {},
): Promise<void> => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const appClient = createAppClient({
    allowPrivateAddresses: true,
    maxRetries: 0,
    deadlineMs: 5_000,
  })
  const { database } = service
  const engine = createSync({ database, vault: testVault, connectors, appClient, log, ...options })
  try {
    await work(engine)
  } finally {
    await engine.stop()
    await appClient.stop()
  }
}

const sync = (credentialId: string, options: Partial<SyncOptions> = {}): Promise<void> =>
  withEngine((engine) => engine.syncNow(credentialId).catch(() => {}), options)

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let userId: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    app.rows.clear()
    app.fill(3)
    app.settings.token = 'the-token'
    app.requests.length = 0
    const user = await call(tenant.key, 'createUser', { username: `${transport} ${++round}` })
    userId = user.result.userId
  })

  const connect = async (values: object = {}): Promise<string> => {
    const credential = { url: app.url, token: 'the-token', ...values }
    const created = await call(tenant.key, 'createCredential', { userId, app: 'fake', credential })
    expect(created).toMatchObject({ status: 200 })
    return created.result.credentialId
  }
  const send = async (name: string, credentialId: string, input: object = {}) => {
    const outcome = await call(tenant.key, name, { userId, credentialId, ...input })
    expect(outcome, outcome.message).toMatchObject({ status: 200 })
    return outcome.result
  }

  test('a new credential changes from its first sync to connected, with counts and the name of the account', async () => {
    const credentialId = await connect()
    const first = await send('credential', credentialId)
    expect(first).toMatchObject({ label: 'Acme Ltd', state: 'syncing', lastCompletedAt: null })
    expect(first.since).toBe(first.createdAt)
    await sync(credentialId)
    const after = await send('credential', credentialId)
    expect(after).toMatchObject({ state: 'connected', since: null, reason: null, action: null })
    expect(after.counts).toEqual({
      records: 3 * after.resources.length,
      resources: after.resources.length,
      resourcesCompleted: after.resources.length,
    })
    expect(after.resources[0]).toMatchObject({ state: 'connected', records: 3 })
    expect(Date.parse(after.nextSyncAt)).toBeGreaterThan(Date.parse(after.lastCompletedAt))
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual([after])
  })

  test('an app at whose address nothing listens is failing with the cause, before and after the first run', async () => {
    const credentialId = await connect({ url: await findUnusedAddress() })
    const failing = {
      state: 'failing',
      reason: expect.stringMatching(/^nothing answers at .+: connection refused \(ECONNREFUSED\)/),
      action: expect.stringContaining('address is correct'),
    }
    expect(await send('credential', credentialId)).toMatchObject({ ...failing, label: null })
    await sync(credentialId)
    const { since } = await send('credential', credentialId)
    await sync(credentialId)
    const later = await send('credential', credentialId)
    expect(later).toMatchObject({ ...failing, since })
    expect(Date.parse(since)).toBeGreaterThan(Date.parse(later.createdAt))
  })

  test('with requireResponse, such an app is not connected, and the error names the cause', async () => {
    const url = await findUnusedAddress()
    const credential = { url: `${url}/`, token: 'the-token' }
    const input = { userId, app: 'fake', credential, requireResponse: true }
    const refused = await call(tenant.key, 'createCredential', input)
    expect(refused).toMatchObject({ status: 502, code: 'APP_UNAVAILABLE' })
    expect(refused.message).toContain(
      `nothing answers at ${url}: connection refused (ECONNREFUSED)`,
    )
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual([])
  })

  test('a rejected credential needs a reconnect and a storage limit is a failure, until either is resolved', async () => {
    const credentialId = await connect()
    app.settings.token = 'another'
    await sync(credentialId)
    expect(await send('credential', credentialId)).toMatchObject({
      state: 'needs_reconnect',
      since: expect.any(String),
      action: expect.stringContaining('Reconnect the app'),
    })
    app.settings.token = 'the-token'
    await sync(credentialId, { limits: { maxRecords: 1, maxBytes: Infinity } })
    expect(await send('credential', credentialId)).toMatchObject({
      state: 'failing',
      reason: expect.stringContaining('MAX_RECORDS_PER_CREDENTIAL'),
      action: expect.stringContaining('Raise the limit'),
    })
    await sync(credentialId)
    expect(await send('credential', credentialId)).toMatchObject({ state: 'connected' })
  })

  test('a resync lists all records of the resource again', async () => {
    const credentialId = await connect()
    await sync(credentialId)
    const { resources } = await send('credential', credentialId)
    const [{ topic }] = resources
    app.requests.length = 0
    const before = await send('resyncCredential', credentialId, { topic })
    expect(Date.parse(before.nextSyncAt)).toBeLessThanOrEqual(Date.now())
    await sync(credentialId)
    const isFull = app.requests.filter(({ since }) => since === null)
    expect(isFull).toHaveLength(1)
    app.requests.length = 0
    await send('resyncCredential', credentialId)
    await sync(credentialId)
    expect(app.requests.filter(({ since }) => since === null)).toHaveLength(resources.length)
    const input = { userId, credentialId, topic: 'crm/none' }
    expect(await call(tenant.key, 'resyncCredential', input)).toMatchObject({
      code: 'INVALID_PARAMETER',
      fields: ['topic'],
    })
  })

  test('a reconnection lists all records again if the account may be another one', async () => {
    const credentialId = await connect()
    const { resources } = await send('credential', credentialId)
    const countFullListingsAfter = async (credential: object): Promise<number> => {
      await sync(credentialId)
      await send('updateCredential', credentialId, { credential })
      app.requests.length = 0
      await sync(credentialId)
      return app.requests.filter(({ since }) => since === null).length
    }
    const values = { url: app.url, token: 'the-token' }
    expect(await countFullListingsAfter(values)).toBe(0)
    const elsewhere = { ...values, url: app.url.replace('127.0.0.1', 'localhost') }
    expect(await countFullListingsAfter(elsewhere)).toBe(resources.length)
    accountName = 'Harbour Ltd'
    expect(await countFullListingsAfter(elsewhere)).toBe(resources.length)
    expect(await countFullListingsAfter(elsewhere)).toBe(0)
    accountName = ' Acme Ltd '
  })

  test('a paused credential is not due until it is resumed, and a run in progress stores no more', async () => {
    const credentialId = await connect()
    app.settings.pageSize = 1
    let paused: Promise<unknown> | undefined
    app.settings.onPage = ({ cursor }) => {
      if (cursor === null) return
      paused ??= send('pauseCredential', credentialId)
      return paused
    }
    const appClient = createAppClient({ allowPrivateAddresses: true })
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
    const { database } = service
    const engine = createSync({ database, vault: testVault, connectors, appClient, log })
    await engine.start()
    await expect.poll(() => paused, { timeout: 20_000 }).toBeDefined()
    const state = await paused
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await send('pauseCredential', credentialId)).toEqual(
      await send('credential', credentialId),
    )
    const held = await send('credential', credentialId)
    expect(held).toMatchObject({ state: 'paused', nextSyncAt: null, lastCompletedAt: null })
    expect(held.since).toBe((state as { since: string }).since)
    expect(held.counts.records).toBeLessThan(3 * held.resources.length)
    app.settings.onPage = undefined
    app.settings.pageSize = 100
    expect(await send('resyncCredential', credentialId)).toMatchObject({ nextSyncAt: null })
    expect(await send('resumeCredential', credentialId)).not.toMatchObject({ state: 'paused' })
    await expect
      .poll(async () => (await send('credential', credentialId)).state, { timeout: 20_000 })
      .toBe('connected')
    const again = await send('resumeCredential', credentialId)
    expect(again).toMatchObject({ state: 'connected' })
    await engine.stop()
    await appClient.stop()
  })

  test('a paused resource is not synced while the others are, until it is resumed', async () => {
    const credentialId = await connect()
    const [first] = (await send('credential', credentialId)).resources
    const { topic } = first
    const resourceOf = (result: { resources: { topic: string }[] }) =>
      result.resources.find((resource) => resource.topic === topic)
    const held = {
      topic,
      state: 'paused',
      nextSyncAt: null,
      reason: null,
      action: 'Resume the sync.',
    }
    const paused = await send('pauseCredential', credentialId, { topic })
    expect(resourceOf(paused)).toMatchObject({ ...held, since: expect.any(String) })
    expect(paused).toMatchObject({ state: 'syncing', nextSyncAt: expect.any(String) })
    await withEngine(async (engine) => {
      await engine.start()
      await expect
        .poll(async () => (await send('credential', credentialId)).state, { timeout: 20_000 })
        .toBe('connected')
      expect(await send('resyncCredential', credentialId, { topic })).toMatchObject({
        state: 'connected',
      })
      // Long enough for the scheduler to start a run that is due.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const others = await send('credential', credentialId)
      expect(resourceOf(others)).toEqual(resourceOf(paused))
      expect(others.counts.resourcesCompleted).toBe(others.counts.resources - 1)
      expect(resourceOf(await send('resumeCredential', credentialId, { topic }))).toMatchObject({
        state: 'syncing',
        since: others.createdAt,
      })
      await expect
        .poll(async () => resourceOf(await send('credential', credentialId)), { timeout: 20_000 })
        .toMatchObject({ state: 'connected', records: 3 })
    })
    for (const name of ['pauseCredential', 'resumeCredential']) {
      const input = { userId, credentialId, topic: 'crm/none' }
      expect(await call(tenant.key, name, input)).toMatchObject({
        code: 'INVALID_PARAMETER',
        fields: ['topic'],
      })
    }
  })

  test('a credential is paused once its last resource is, and no longer once one is resumed', async () => {
    const credentialId = await connect()
    const { resources } = await send('credential', credentialId)
    const topics = resources.map(({ topic }: { topic: string }) => topic)
    expect(topics.length).toBeGreaterThan(1)
    let last: { state: string; since: string } | undefined
    for (const topic of topics) {
      expect(last?.state).not.toBe('paused')
      last = await send('pauseCredential', credentialId, { topic })
    }
    expect(last).toMatchObject({ state: 'paused', nextSyncAt: null })
    expect(await send('pauseCredential', credentialId)).toEqual(last)
    const [topic] = topics
    expect(await send('resumeCredential', credentialId, { topic })).toMatchObject({
      state: 'syncing',
    })
    const again = await send('pauseCredential', credentialId)
    expect(again).toMatchObject({ state: 'paused' })
    expect(Date.parse(again.since)).toBeGreaterThan(Date.parse(last?.since ?? ''))
    const resumed = await send('resumeCredential', credentialId)
    expect(resumed.resources.map(({ state }: { state: string }) => state)).toEqual(
      topics.map(() => 'syncing'),
    )
  })

  test('a resource that the connector gained is paused like all others of its credential', async () => {
    const [active, paused] = [await connect(), await connect()]
    await send('pauseCredential', paused)
    const [{ topic }] = (await send('credential', active)).resources
    const { syncState } = service.database.prisma
    await syncState.deleteMany({ where: { topic, credentialId: { in: [active, paused] } } })
    await addMissingStates(service.database, [{ app: 'fake', topic }])
    expect(await send('credential', paused)).toMatchObject({ state: 'paused' })
    expect((await send('credential', active)).resources[0]).toMatchObject({
      topic,
      state: 'syncing',
    })
  })

  test('an end user may start ten resyncs per minute, and a key any number', async () => {
    const credentialId = await connect()
    const { result: token } = await call(tenant.key, 'userToken', { userId })
    for (let round = 0; round < 10; round++)
      expect(await call(token, 'resyncCredential', { credentialId, userId })).toMatchObject({
        status: 200,
      })
    expect(await call(token, 'resyncCredential', { credentialId, userId })).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    })
    expect(await call(token, 'pauseCredential', { credentialId, userId })).toMatchObject({
      status: 200,
    })
    await send('resyncCredential', credentialId)
  })

  test('a credential without a label gets one after a sync, from at most one request a day', async () => {
    const credentialId = await connect()
    const { credential } = service.database.prisma
    const where = { id: credentialId }
    await credential.update({ where, data: { label: null } })
    const before = nameReads
    const readAt = async () =>
      (await credential.findUniqueOrThrow({ where })).labelReadAt?.getTime() ?? 0
    const syncUntilLabelled = () =>
      withEngine(async (engine) => {
        await engine.syncNow(credentialId)
        await expect
          .poll(async () => (await send('credential', credentialId)).label)
          .toBe('Acme Ltd')
      })
    await syncUntilLabelled()
    expect(nameReads).toBe(before + 1)
    const firstReadAt = await readAt()
    await credential.update({ where, data: { label: null } })
    await sync(credentialId)
    expect(await readAt()).toBe(firstReadAt)
    expect(nameReads).toBe(before + 1)
    await credential.update({ where, data: { labelReadAt: new Date(firstReadAt - 86_400_000) } })
    await syncUntilLabelled()
    expect(nameReads).toBe(before + 2)
  })

  test('a credential of another end user or environment responds like one that never existed', async () => {
    const credentialId = await connect()
    const other = (await call(tenant.key, 'createUser', { username: `${transport} other` })).result
    const otherTenant = await service.createTenant('production', [])
    const before = await send('credential', credentialId)
    for (const name of ['credential', 'resyncCredential', 'pauseCredential', 'resumeCredential']) {
      const missing = { status: 404, code: 'CREDENTIAL_NOT_FOUND' }
      for (const id of [credentialId, NEVER, 'no uuid']) {
        const input = { userId: other.userId, credentialId: id }
        expect(await call(tenant.key, name, input)).toMatchObject(missing)
      }
      expect(await call(otherTenant.key, name, { userId, credentialId })).toMatchObject({
        status: 404,
        code: 'USER_NOT_FOUND',
      })
    }
    expect(await send('credential', credentialId)).toEqual(before)
  })
})
