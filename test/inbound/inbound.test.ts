/** Webhooks of a simulated app: received, stored, and their records fetched. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addInboundRoutes } from '../../src/api/http/inbound-webhooks.ts'
import { createReceiver, type DeliveryOutcome } from '../../src/inbound/receive.ts'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { type AppClient, createAppClient } from '../../src/outbound/http.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { createSync } from '../../src/sync/schedule.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import {
  CLIENT_SECRET,
  createSubscribedApp,
  ownConnector,
  type SubscribedApp,
  sharedConnector,
  signedHeaders,
} from '../support/subscribed-app.ts'
import { testVault } from '../support/vault.ts'

const PUBLIC_URL = 'https://api.example.com'
const connectors = new Map([
  ['own', ownConnector],
  ['shared', sharedConnector],
])

let service: TestService
let tenant: Tenant
let appClient: AppClient
let app: SubscribedApp
let other: SubscribedApp
let outcomes: DeliveryOutcome[] = []
let workers: InboundWorker[] = []

beforeAll(async () => {
  service = await startService({ connectors })
  const receive = createReceiver({
    ...service.runtime,
    publicUrl: PUBLIC_URL,
    readClientSecrets: async () => ['an older secret', CLIENT_SECRET],
    onDelivery: (_app, outcome) => outcomes.push(outcome),
  })
  addInboundRoutes(service.server, receive)
  tenant = await service.createTenant('development', [])
  const localApps = new Map([
    ['http://app.local', (request: Request) => app.handle(request)],
    ['http://other.local', (request: Request) => other.handle(request)],
  ])
  appClient = createAppClient({ localApps, allowPrivateAddresses: true, maxRetries: 0 })
})
afterAll(async () => {
  await appClient.stop()
  await service.stop()
})
beforeEach(() => {
  app = createSubscribedApp()
  other = createSubscribedApp()
  outcomes = []
  workers = []
})
afterEach(() => Promise.all(workers.map((worker) => worker.stop())))

const connect = (
  connector: typeof ownConnector,
  values: Record<string, string> = {},
): Promise<string> =>
  createCredential(service.database, testVault, {
    environmentId: tenant.environmentId,
    userId: tenant.userId,
    connector,
    values: { url: 'http://app.local', ...values },
  })

const startWorker = async (): Promise<void> => {
  const { runtime } = service
  const worker = createInboundWorker({
    ...runtime,
    appClient,
    publicUrl: PUBLIC_URL,
    tickMs: 20,
  })
  workers.push(worker)
  await worker.start()
}

const subscriptionOf = (credentialId: string) =>
  service.database.prisma.inboundSubscription.findUniqueOrThrow({ where: { credentialId } })

/** Makes the next check of a subscription due. */
const checkNow = async (credentialId: string): Promise<void> => {
  await service.database.prisma.inboundSubscription.update({
    where: { credentialId },
    data: { checkAt: new Date(0), dueAt: new Date(0) },
  })
}

/** A credential with a subscription, and its path. */
const connectSubscribed = async (values?: Record<string, string>) => {
  const credentialId = await connect(ownConnector, values)
  await expect
    .poll(async () => (await subscriptionOf(credentialId)).remoteIds, { interval: 10 })
    .toHaveLength(1)
  return { credentialId, path: `/webhooks/own/${(await subscriptionOf(credentialId)).id}` }
}

const deliver = async (path: string, list: unknown, headers: Record<string, string> = {}) => {
  const payload = JSON.stringify({ list })
  const name = path.startsWith('/webhooks/own') ? 'own' : 'shared'
  return service.server.inject({
    method: 'POST',
    url: path,
    payload,
    headers: { ...signedHeaders(name, payload), ...headers },
  })
}

const eventsOf = (credentialId: string) =>
  service.database.prisma.inboundEvent.findMany({ where: { credentialId } })

const waitForProcessedEvents = (credentialId: string) =>
  expect
    .poll(async () => (await eventsOf(credentialId)).every(({ processedAt }) => processedAt), {
      interval: 10,
    })
    .toBe(true)

const readStored = async (credentialId: string): Promise<Record<string, unknown>[]> =>
  (await service.rest(tenant.key, `/crm/accounts?credentialId=${credentialId}`)).json().accounts

const readStoredRecord = async (credentialId: string, remoteId: string): Promise<unknown> =>
  (await service.rest(tenant.key, `/crm/accounts/${remoteId}?credentialId=${credentialId}`)).json()
    .account

const listFetches = ({ requests }: SubscribedApp) =>
  requests.filter((request) => request.startsWith('GET /accounts'))

describe('a delivery', () => {
  test('is accepted only with the signature of its address', async () => {
    await startWorker()
    const { credentialId, path } = await connectSubscribed()
    const list = [{ remoteId: '1', kind: 'changed' }]
    const wrong = await deliver(path, list, { 'x-signature': 'sha256=00' })
    expect([wrong.statusCode, wrong.body]).toEqual([401, ''])
    const basic = { authorization: 'Basic eDp5', 'x-signature': '' }
    expect((await deliver(path, list, basic)).statusCode).toBe(401)
    const ids = ['0f0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85', 'not-an-id', '%00']
    for (const id of ids) expect((await deliver(`/webhooks/own/${id}`, list)).statusCode).toBe(410)
    const elsewhere = path.replace('/own/', '/shared/')
    expect((await deliver(elsewhere, list)).statusCode).toBe(410)
    const unreadable = await deliver(path, null)
    expect([unreadable.statusCode, unreadable.body]).toEqual([200, ''])
    expect(await eventsOf(credentialId)).toEqual([])
    expect(outcomes).toEqual(['rejected', 'rejected', 'unreadable'])
  })

  test('of more than 4 MiB is rejected, whatever its type', async () => {
    const payload = Buffer.alloc(4 * 1024 * 1024 + 1)
    const headers = { 'content-type': 'text/plain' }
    const url = '/webhooks/own/x'
    const response = await service.server.inject({ method: 'POST', url, payload, headers })
    expect(response.statusCode).toBe(413)
    expect(response.json().error.message).toBe('The body is larger than 4 MiB.')
  })

  test('that verifies the address is answered with its text', async () => {
    await startWorker()
    const { path } = await connectSubscribed()
    const url = `${path}?validationToken=a%20token%3Cb%3E`
    for (const method of ['GET', 'POST'] as const) {
      const response = await service.server.inject({ method, url })
      expect([response.statusCode, response.body]).toEqual([200, 'a token<b>'])
      expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
    expect(outcomes).toEqual(['handshake', 'handshake'])
  })

  test('that is repeated is processed once', async () => {
    await startWorker()
    const { credentialId, path } = await connectSubscribed()
    app.accounts.set('1', { id: '1', name: 'Acme' })
    const list = [{ remoteId: '1', kind: 'changed' }]
    for (const id of ['a', 'a', 'b']) await deliver(path, list, { 'x-delivery': id })
    await waitForProcessedEvents(credentialId)
    expect(await eventsOf(credentialId)).toHaveLength(2)
    expect(await readStored(credentialId)).toMatchObject([{ accountName: 'Acme' }])
  })
})

describe('the records of events', () => {
  test('are fetched once for a flood of events, in batches, and unknown ones are ignored', async () => {
    await startWorker()
    const { credentialId, path } = await connectSubscribed()
    await workers.pop()?.stop()
    app.accounts.set('1', { id: '1', name: 'Acme' })
    app.accounts.set('2', { id: '2', name: 'Bolt' })
    const flood = Array.from({ length: 500 }, () => ({ remoteId: '1', kind: 'changed' }))
    await deliver(path, flood)
    await deliver(path, [
      { remoteId: '2', kind: 'changed' },
      { remoteId: 'unknown', kind: 'changed' },
      { remoteId: 'gone', kind: 'deleted' },
      { remoteId: 'x\0y', kind: 'changed' },
      { remoteId: '3', kind: 'changed', topic: 'crm/leads' },
    ])
    await startWorker()
    await waitForProcessedEvents(credentialId)
    expect(await eventsOf(credentialId)).toHaveLength(503)
    expect(listFetches(app)).toEqual(['GET /accounts?ids=1,2,unknown'])
    expect((await readStored(credentialId)).map(({ remoteId }) => remoteId).sort()).toEqual([
      '1',
      '2',
    ])
  })

  test('are only marked if they were deleted, and exist again if the app has them again', async () => {
    await startWorker()
    const { credentialId, path } = await connectSubscribed()
    const change = (kind: 'changed' | 'deleted') => deliver(path, [{ remoteId: '1', kind }])
    const expectStored = (remoteDeleted: boolean) =>
      expect
        .poll(() => readStoredRecord(credentialId, '1'), { interval: 10 })
        .toMatchObject({ accountName: 'Acme', remoteDeleted })
    // Both lead to the same result: a reported deletion, and a changed record that the app no longer has.
    for (const kind of ['deleted', 'changed'] as const) {
      app.accounts.set('1', { id: '1', name: 'Acme' })
      await change('changed')
      await expectStored(false)
      app.accounts.delete('1')
      await change(kind)
      await expectStored(true)
    }
  })

  test('are fetched later if the app is down, and an app without answer does not delay others', async () => {
    await startWorker()
    const failing = await connectSubscribed()
    const working = await connectSubscribed({ url: 'http://other.local' })
    app.settings.fault = 503
    app.accounts.set('1', { id: '1', name: 'Acme' })
    await deliver(failing.path, [{ remoteId: '1', kind: 'changed' }])
    await expect
      .poll(async () => (await subscriptionOf(failing.credentialId)).fetchFailures, {
        interval: 10,
      })
      .toBeGreaterThan(0)
    app.settings.fault = 'silent'
    other.accounts.set('1', { id: '1', name: 'Bolt' })
    await deliver(working.path, [{ remoteId: '1', kind: 'changed' }])
    await expect
      .poll(() => readStored(working.credentialId), { interval: 10, timeout: 2000 })
      .toMatchObject([{ accountName: 'Bolt' }])
    expect(await readStored(failing.credentialId)).toEqual([])
    app.settings.fault = undefined
    // The worker ends its request to the silent app, and another one continues.
    await workers.pop()?.stop()
    await startWorker()
    await expect
      .poll(() => readStored(failing.credentialId), { interval: 10 })
      .toMatchObject([{ accountName: 'Acme' }])
  })

  test('are left to the next listing if the app rejects them, and to the end of a pause', async () => {
    const { prisma } = service.database
    await startWorker()
    const { credentialId, path } = await connectSubscribed()
    const key = { credentialId_topic: { credentialId, topic: 'crm/accounts' } }
    const dueAt = new Date(Date.now() + 3_600_000)
    await prisma.syncState.update({ where: key, data: { dueAt } })
    app.settings.fault = 400
    await deliver(path, [{ remoteId: '1', kind: 'changed' }])
    await waitForProcessedEvents(credentialId)
    await expect
      .poll(async () => (await prisma.syncState.findUniqueOrThrow({ where: key })).dueAt < dueAt)
      .toBe(true)
    app.settings.fault = undefined
    app.accounts.set('1', { id: '1', name: 'Acme' })
    await prisma.$executeRaw`
      UPDATE sync_states SET due_at = 'infinity' WHERE credential_id = ${credentialId}::uuid`
    const before = listFetches(app).length
    await deliver(path, [{ remoteId: '1', kind: 'changed' }])
    await expect.poll(async () => (await eventsOf(credentialId)).length).toBe(2)
    await waitForProcessedEvents(credentialId)
    expect(listFetches(app)).toHaveLength(before)
    expect(await readStored(credentialId)).toEqual([])
  })
})

describe('an address that all credentials share', () => {
  test('stores each event for the credentials of its company, and none for other companies', async () => {
    await startWorker()
    const first = await connect(sharedConnector, { realmId: 'r1' })
    const second = await connect(sharedConnector, { realmId: 'r2', url: 'http://other.local' })
    const third = await connect(sharedConnector, { realmId: 'r2' })
    for (const [id, realmId] of [
      [first, 'r1'],
      [second, 'r2'],
      [third, 'r2'],
    ] as const)
      await expect
        .poll(async () => (await subscriptionOf(id)).company, { interval: 10 })
        .toBe(realmId)
    const listed = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=shared')
    const paths = new Set<string>(
      listed.json().data.map(({ webhooks }: { webhooks: { path: string } }) => webhooks.path),
    )
    expect(paths.size).toBe(1)
    const [path = ''] = paths
    app.accounts.set('1', { id: '1', name: 'Acme' })
    other.accounts.set('1', { id: '1', name: 'Bolt' })
    const changeOf = (company: string | undefined) => ({ remoteId: '1', kind: 'changed', company })
    await deliver(path, [changeOf('r1'), changeOf('r2')])
    for (const [id, accountName] of [
      [first, 'Acme'],
      [second, 'Bolt'],
      [third, 'Acme'],
    ] as const)
      await expect.poll(() => readStored(id), { interval: 10 }).toMatchObject([{ accountName }])
    await deliver(path, [changeOf('r3'), changeOf(undefined), changeOf('')])
    expect(outcomes).toEqual(['accepted', 'foreign'])
    const all = await Promise.all([first, second, third].map(eventsOf))
    expect(all.map(({ length }) => length)).toEqual([1, 1, 1])
    const challenge = {
      payload: '{"challenge":"abc"}',
      headers: { 'content-type': 'application/json' },
    }
    const response = await service.server.inject({ method: 'POST', url: path, ...challenge })
    expect([response.statusCode, response.body]).toEqual([200, 'abc'])
  })
})

describe('a subscription', () => {
  test('is renewed before it expires, and created again if the app has lost it', async () => {
    await startWorker()
    const { credentialId } = await connectSubscribed()
    const { sealedSecret, expiresAt } = await subscriptionOf(credentialId)
    expect(Buffer.from(sealedSecret ?? []).includes('made by the app')).toBe(false)
    app.settings.lifeMs *= 2
    const check = async () => {
      await checkNow(credentialId)
      await expect
        .poll(
          async () => {
            const { checkAt, holder } = await subscriptionOf(credentialId)
            return checkAt.getTime() > 0 && holder === null
          },
          { interval: 10 },
        )
        .toBe(true)
    }
    await check()
    expect((await subscriptionOf(credentialId)).expiresAt).toEqual(expiresAt)
    const soon = new Date(Date.now() + 86_400_000)
    await service.database.prisma.inboundSubscription.update({
      where: { credentialId },
      data: { expiresAt: soon },
    })
    await check()
    expect((await subscriptionOf(credentialId)).expiresAt?.getTime()).toBeGreaterThan(
      soon.getTime() + 86_400_000,
    )
    expect(app.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
    const { remoteIds } = await subscriptionOf(credentialId)
    app.webhooks.clear()
    await check()
    expect((await subscriptionOf(credentialId)).remoteIds).toEqual([...app.webhooks.keys()])
    expect((await subscriptionOf(credentialId)).remoteIds).not.toEqual(remoteIds)
  })

  test('that the app rejects is tried again later, and the credential shows why', async () => {
    app.settings.fault = 403
    await startWorker()
    const credentialId = await connect(ownConnector)
    await expect
      .poll(async () => (await subscriptionOf(credentialId)).failure, { interval: 10 })
      .toBe('status 403')
    const listed = await service.send(tenant.key, 'GET', '/2024-03/credentials?app=own')
    const found = listed
      .json()
      .data.find((credential: { credentialId: string }) => credential.credentialId === credentialId)
    expect(found.webhooks).toMatchObject({
      active: false,
      reason: 'status 403',
      lastReceivedAt: null,
    })
    app.settings.fault = undefined
    // A subscription whose creation got no response is replaced, because its secret is unknown.
    const { id } = await subscriptionOf(credentialId)
    const address = `${PUBLIC_URL}/webhooks/own/${id}`
    app.webhooks.set('orphan', { id: 'orphan', address, secret: '', expiresAt: '' })
    await checkNow(credentialId)
    await expect
      .poll(async () => (await subscriptionOf(credentialId)).remoteIds, { interval: 10 })
      .toHaveLength(1)
    expect([...app.webhooks.keys()]).toEqual((await subscriptionOf(credentialId)).remoteIds)
    expect(app.webhooks.has('orphan')).toBe(false)
    expect((await subscriptionOf(credentialId)).failure).toBe(null)
  })
})

test('polling slows down while webhooks arrive, and speeds up when they stop', async () => {
  const { prisma } = service.database
  await startWorker()
  const { credentialId, path } = await connectSubscribed()
  const sync = createSync({ ...service.runtime, appClient })
  /** Seconds until the next run, after a run. */
  const readIntervalSeconds = async (): Promise<number> => {
    await sync.syncNow(credentialId)
    const [row] = await prisma.$queryRaw<{ seconds: number }[]>`
      SELECT round(extract(epoch FROM due_at - completed_at))::integer AS seconds FROM sync_states
      WHERE credential_id = ${credentialId}::uuid`
    return row?.seconds ?? 0
  }
  expect(await readIntervalSeconds()).toBe(15)
  await deliver(path, [])
  expect(await readIntervalSeconds()).toBe(300)
  await prisma.$executeRaw`UPDATE inbound_subscriptions
    SET last_received_at = last_received_at - interval '1 hour' WHERE credential_id = ${credentialId}::uuid`
  expect(await readIntervalSeconds()).toBe(15)
  await sync.stop()
})
