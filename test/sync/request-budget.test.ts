/** A sync within its request budget: a run ends when the budget allows nothing, and continues when it does. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestLimits } from '../../src/definition/request-limits.ts'
import { type AppClient, createAppClient } from '../../src/outbound/http.ts'
import { createPauses } from '../../src/store/budgets/pauses.ts'
import { createRequestLedger } from '../../src/store/budgets/request-ledger.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import type { Sync } from '../../src/sync/schedule.ts'
import { defineFakeConnector } from '../support/fake-app.ts'
import { quickClient } from './recording-log.ts'
import { openSyncHarness, type SyncHarness } from './sync-harness.ts'

const HOUR_MS = 3_600_000
const limits: RequestLimits = {
  windows: [{ name: 'perHour', scope: 'app', unit: 'requests', max: 10, per: 'hour' }],
}

let harness: SyncHarness
let appClient: AppClient
let engine: Sync
/** Milliseconds that the clock of the ledger is ahead of the host. */
let laterMs = 0

beforeAll(async () => {
  harness = await openSyncHarness()
  const { database } = harness
  const nowMs = () => Date.now() + laterMs
  const pgListener = createPgListener(harness.url)
  const pauses = createPauses({ database, pgListener, onFailure: () => {}, nowMs })
  const ledger = createRequestLedger({ database, pauses, slotMs: 30_000, nowMs })
  appClient = createAppClient({ ...quickClient, allowPrivateAddresses: true, budgets: { ledger } })
  const connectors = new Map([['fake', { ...defineFakeConnector(), limits }]])
  engine = harness.engine({ appClient, connectors })
})
afterAll(async () => {
  await appClient.stop()
  await harness.close()
})

const sync = (): Promise<unknown> => engine.syncNow(harness.credentialId).catch((error) => error)

test('a full listing uses half of the limit, then continues where it ended', async () => {
  harness.app.settings.pageSize = 1
  harness.app.fill(8)
  const failure = await sync()
  expect(Object(failure).errors).toMatchObject([{ code: 'APP_RATE_LIMITED', isSent: false }])
  const listCursors = () => harness.app.requests.map(({ cursor }) => cursor)
  expect(listCursors()).toHaveLength(5)
  const { dueAt, progress, failureCode } = await harness.state()
  expect(failureCode).toBe('APP_RATE_LIMITED')
  expect(progress).toMatchObject({ listing: 'everything' })
  expect(dueAt.getTime() - Date.now()).toBeGreaterThan(HOUR_MS - 60_000)
  expect(dueAt.getTime() - Date.now()).toBeLessThan(HOUR_MS + 240_000)

  laterMs += 2 * HOUR_MS
  await sync()
  expect(await harness.records()).toHaveLength(8)
  expect(new Set(listCursors()).size).toBe(listCursors().length)
})

test('the interval of polls is what the budget affords for the syncs that share it', async () => {
  const { dueAt } = await harness.state()
  // Three requests per hour for the only resource.
  expect(Math.round((dueAt.getTime() - Date.now()) / 60_000)).toBe(20)
  expect(
    harness.statements.filter((sql) => sql.includes('count(*)::integer AS count FROM sync_states')),
  ).toHaveLength(1)
})

test('listings of changes spend another share than full listings', async () => {
  await sync()
  const spent = await harness.database.prisma.requestBudget.findFirstOrThrow({
    // Excludes the row that counts the share of the end user.
    where: { name: 'perHour', NOT: { key: { startsWith: 'user/' } } },
  })
  const places = [0, 1, 2, 3, 4].map((place) =>
    spent.spent.reduce((sum, count, index) => sum + (index % 5 === place ? count : 0), 0),
  )
  // write, webhook, changes, history, outside: the full listing ended with the rest of its pages.
  expect(places).toEqual([0, 0, expect.any(Number), expect.any(Number), 0])
  expect(places[2]).toBeGreaterThan(0)
})
