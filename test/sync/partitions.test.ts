/**
 * A history in partitions: several are listed at the same time, and an interrupted run continues in each of
 * them.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RequestLimits } from '../../src/definition/request-limits.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import type { BudgetOptions } from '../../src/outbound/request-budget.ts'
import { createPauses } from '../../src/store/budgets/pauses.ts'
import { createRequestLedger } from '../../src/store/budgets/request-ledger.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { defineFakeConnector } from '../support/fake-app.ts'
import { quickClient } from './recording-log.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'
import { fillWindows, windows } from './windowed.ts'

const PATH = '/api/accounts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
})

afterEach(() => harness.close())

const within = { timeout: 60_000, interval: 5 }

const listCreatedIds = async () =>
  (await harness.readLog())
    .filter(({ topic, kind }) => topic === TOPIC && kind === 'created')
    .map(({ record }) => record.remoteId)

test('lists several windows at the same time, and each record once', async () => {
  const { app, credentialId } = harness
  fillWindows(app, 400)
  app.settings.delayMs = 5
  await harness.engine({ pager: windows }).syncNow(credentialId)
  expect(await harness.records()).toHaveLength(400)
  expect(new Set(await listCreatedIds()).size).toBe(400)
  expect(app.maxConcurrent.get(PATH)).toBe(4)
  const events = (await harness.readLog()).filter(({ topic }) => topic !== TOPIC)
  expect(events).toMatchObject([
    { topic: 'sync/started' },
    { topic: 'sync/completed', record: { listed: 400, created: 400 } },
  ])
})

test('a stopped run continues in its windows: complete ones are not listed again', async () => {
  const { app, credentialId } = harness
  fillWindows(app, 800)
  const listPaths = () => app.requests.map(({ path }) => path)
  app.settings.delayMs = 2
  for (const stopAfter of [25, 50, 75]) {
    const engine = harness.engine({ pager: windows })
    const running = engine.syncNow(credentialId).catch(() => 'stopped')
    await expect.poll(() => listPaths().length, within).toBeGreaterThan(stopAfter)
    await engine.stop()
    expect(await running).toBe('stopped')
  }
  const { progress } = await harness.state()
  expect(Object(progress).partitions.length).toBeGreaterThan(0)
  await harness.engine({ pager: windows }).syncNow(credentialId)
  expect(await harness.records()).toHaveLength(800)
  expect(await listCreatedIds()).toHaveLength(800)
  // 16 windows, the windows that were divided, and for each stop the requests whose pages were not stored.
  const necessary = 800 / app.settings.pageSize + 2 * 32
  expect(app.requests.length).toBeLessThan(necessary + 3 * 20)
})

test('compares deletions with all windows, and starts the next listing at the newest record of any', async () => {
  const { app, credentialId } = harness
  fillWindows(app, 300)
  const sync = { deletions: 'compared', fullListingEveryMs: 0 } as const
  const engine = harness.engine({ pager: windows, sync })
  await engine.syncNow(credentialId)
  app.rows.delete('3')
  app.rows.delete('290')
  // Later pages of some windows arrive before earlier ones of others.
  let pages = 0
  app.settings.onPage = () => wait((pages++ % 3) * 10)
  const { updatedAt } = app.put('150', { name: 'Newest' })
  await engine.syncNow(credentialId)
  const gone = (await harness.records()).filter(({ deleted }) => deleted)
  expect(gone.map(({ remoteId }) => remoteId)).toEqual(['3', '290'])
  const { since } = await harness.state()
  // The overlap is a second, and the app's clock shows whole seconds.
  const distanceMs = Date.parse(updatedAt) - (since?.getTime() ?? 0)
  expect(distanceMs).toBeGreaterThanOrEqual(1000)
  expect(distanceMs).toBeLessThan(3000)
})

test('concurrent requests stay within the share of history, so writes do not wait', async () => {
  const { app, database, credentialId, environmentId } = harness
  const limits: RequestLimits = { concurrency: { scope: 'credential', max: 6 } }
  const pgListener = createPgListener(harness.url)
  const pauses = createPauses({ database, pgListener, onFailure: () => {} })
  const ledger = createRequestLedger({ database, pauses, slotMs: 30_000 })
  const createClientWith = (budgets: Partial<BudgetOptions>) =>
    createAppClient({
      ...quickClient,
      allowPrivateAddresses: true,
      budgets: { ledger, ...budgets },
    })
  const client = createClientWith({})
  const connector = { ...defineFakeConnector({}, windows), limits }
  const engine = harness.engine({ appClient: client, connectors: new Map([['fake', connector]]) })
  fillWindows(app, 300)
  app.settings.delayMs = 20
  const running = engine.syncNow(credentialId)
  await expect.poll(() => app.maxConcurrent.get(PATH), within).toBe(3)
  const credential = {
    id: credentialId,
    method: 'token',
    values: { url: app.url, token: app.settings.token },
  }
  const writer = createClientWith({ wait: () => Promise.reject(new Error('A write waits.')) })
  const use = { credentialId, environmentId, purpose: 'write' } as const
  const write = () =>
    writer.spending(use).send(connector, credential, { method: 'GET', path: '/written' })
  await Promise.all([write(), write(), write()])
  await running
  expect(await harness.records()).toHaveLength(300)
  expect(app.maxConcurrent.get(PATH)).toBe(3)
  expect(app.requests.filter(({ path }) => path === '/api/written')).toHaveLength(3)
  await client.stop()
  await writer.stop()
})
