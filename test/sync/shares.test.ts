/** Runs of different end users take turns, however much work one user brings. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RequestLimits } from '../../src/definition/request-limits.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createPauses } from '../../src/store/budgets/pauses.ts'
import { createRequestLedger } from '../../src/store/budgets/request-ledger.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { listDueRuns } from '../../src/store/sync/claims.ts'
import { defineFakeConnector } from '../support/fake-app.ts'
import { quickClient } from './recording-log.ts'
import {
  addCredential,
  addUser,
  addWaitingRun,
  openSyncHarness,
  type SyncHarness,
  TOPIC,
} from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
  await harness.database.prisma.credential.deleteMany()
})

afterEach(() => harness.close())

const within = { timeout: 60_000, interval: 10 }

/** A user with this many credentials, each at its own path: `/api/<name>/0`, … */
const addConnected = async (name: string, count: number, environmentId?: string) => {
  const { app, database } = harness
  const owner = await addUser(database, environmentId)
  const credentialIds: string[] = []
  for (let place = 0; place < count; place++) {
    const values = { url: `${app.url}/${name}/${place}`, token: app.settings.token }
    credentialIds.push((await addCredential(database, values, owner)).credentialId)
  }
  return { ...owner, credentialIds }
}

const requestsOf = (name: string) =>
  harness.app.requests.filter(({ path }) => path.startsWith(`/api/${name}/`))

const isCompleted = async (credentialIds: readonly string[]): Promise<boolean> =>
  (await harness.database.prisma.syncState.count({
    where: { credentialId: { in: [...credentialIds] }, completedAt: null },
  })) === 0

/** The statements that list the turns and those that take leases. */
const listTurnStatements = () => harness.statements.filter((text) => text.includes('WITH waiting'))
const listLeaseStatements = () => harness.statements.filter((text) => text.includes('WITH due AS'))

it('a user with endless lists leaves half of the places to others', async () => {
  const { app, database } = harness
  app.fill(20)
  app.settings.endless = (path) => path.startsWith('/api/flood/')
  await addConnected('flood', 6)
  let maxConcurrent = 0
  app.settings.onPage = async () => {
    const rows = await database.prisma.$queryRaw<{ held: number }[]>`
      SELECT count(*)::integer AS held FROM sync_states WHERE holder IS NOT NULL`
    maxConcurrent = Math.max(maxConcurrent, rows[0]?.held ?? 0)
  }
  await harness.engine({ concurrency: 4, sliceMs: 3_600_000 }).start()
  await expect.poll(() => requestsOf('flood').length, within).toBeGreaterThan(20)
  expect(maxConcurrent).toBe(2)
  // No slice of the endless lists ends, and the new user does not have to wait for one.
  const newUser = await addConnected('newcomer', 1)
  await expect.poll(() => isCompleted(newUser.credentialIds), within).toBe(true)
  expect(await harness.records()).not.toHaveLength(0)
})

it('when endless lists hold all places, a new user waits for the end of one slice', async () => {
  const { app } = harness
  app.fill(20)
  app.settings.delayMs = 10
  app.settings.endless = (path) => path.startsWith('/api/flood')
  await addConnected('flood-a', 6)
  await addConnected('flood-b', 6)
  await harness.engine({ concurrency: 2, sliceMs: 100 }).start()
  await expect.poll(() => requestsOf('flood-a').length, within).toBeGreaterThan(5)
  await expect.poll(() => requestsOf('flood-b').length, within).toBeGreaterThan(5)
  let slicesBefore: number | undefined
  app.settings.onPage = ({ path }) => {
    if (path.startsWith('/api/newcomer')) slicesBefore ??= listLeaseStatements().length - taken
  }
  const taken = listLeaseStatements().length
  const newUser = await addConnected('newcomer', 1)
  await expect.poll(() => isCompleted(newUser.credentialIds), within).toBe(true)
  // Slices of both places end in the tick before the new user is seen, which then comes next.
  expect(slicesBefore).toBeLessThan(30)
  // The six credentials of each user also take turns.
  const listPaths = () => new Set(requestsOf('flood-a').map(({ path }) => path))
  await expect.poll(() => listPaths().size, within).toBe(6)
})

it('endless lists leave other users their shares of the budget of the app, and the share of polls', async () => {
  const { app, database } = harness
  app.fill(20)
  app.settings.endless = (path) => /flood|rival/.test(path)
  const limits: RequestLimits = {
    windows: [{ name: 'perHour', scope: 'app', unit: 'requests', max: 80, per: 'hour' }],
  }
  const pgListener = createPgListener(harness.url)
  const pauses = createPauses({ database, pgListener, onFailure: () => {} })
  const ledger = createRequestLedger({ database, pauses, slotMs: 30_000 })
  const client = createAppClient({
    ...quickClient,
    allowPrivateAddresses: true,
    budgets: { ledger },
  })
  const connectors = new Map([['fake', { ...defineFakeConnector(), limits }]])
  const engine = harness.engine({ connectors, appClient: client, concurrency: 6 })
  const poller = await addConnected('poller', 1)
  const { environmentId } = poller
  const [pollerId = ''] = poller.credentialIds
  await engine.syncNow(pollerId)
  const flood = await addConnected('flood', 6, environmentId)
  const rival = await addConnected('rival', 1, environmentId)
  await engine.start()
  const isUsedUp = async ({ credentialIds }: typeof flood): Promise<boolean> =>
    (await database.prisma.syncState.count({
      where: { credentialId: { in: credentialIds }, failureCode: 'APP_RATE_LIMITED' },
    })) === credentialIds.length
  await expect.poll(() => isUsedUp(flood), within).toBe(true)
  await expect.poll(() => isUsedUp(rival), within).toBe(true)
  // Half of 80 requests are for history, including those of the first listing.
  const before = requestsOf('poller').length
  expect(requestsOf('flood').length).toBeLessThanOrEqual(20)
  expect(requestsOf('rival').length).toBeGreaterThanOrEqual(20 - before)
  app.put('1', { name: 'Changed' })
  await database.prisma.syncState.updateMany({
    where: { credentialId: pollerId },
    data: { dueAt: new Date(0) },
  })
  const listRenamedRecords = async () =>
    (await harness.records()).filter(({ name }) => name === 'Changed')
  await expect.poll(listRenamedRecords, within).toHaveLength(1)
  await client.stop()
})

it('150 credentials of one user run one after the other, interleaved with those of another user', async () => {
  const { app } = harness
  app.fill(20)
  await addConnected('crowd', 150)
  const other = await addConnected('other', 3)
  await harness.engine({ concurrency: 2, intervalMs: 3_600_000 }).start()
  await expect.poll(() => isCompleted(other.credentialIds), { ...within, interval: 1 }).toBe(true)
  const requestedPaths = new Set(requestsOf('crowd').map(({ path }) => path))
  expect(requestedPaths.size).toBeGreaterThan(0)
  expect(requestedPaths.size).toBeLessThan(30)
})

it('the next turn goes to the user with the fewest places, then to the one served longest ago', async () => {
  const { prisma } = harness.database
  const users = await Promise.all(['a', 'b', 'c'].map((name) => addConnected(name, 3)))
  const names = new Map(users.map(({ userId }, index) => [userId, 'abc'[index]]))
  const order = async () =>
    (await listDueRuns(harness.database, 100)).map(({ userId }) => names.get(userId)).join('')
  const [a, b, c] = users
  if (!a || !b || !c) throw new Error('Expected three users.')
  const update = (credentialId: string | undefined, data: object) =>
    prisma.syncState.updateMany({ where: { ...(credentialId && { credentialId }) }, data })
  await update(undefined, { dueAt: new Date(0) })
  await update(c.credentialIds[0], { claimedAt: new Date(1000) })
  await update(a.credentialIds[0], { claimedAt: new Date(2000) })
  await update(b.credentialIds[0], { claimedAt: new Date(3000) })
  expect(await order()).toBe('cabcabcab')
  const later = new Date(Date.now() + 3_600_000)
  const lease = { holder: randomUUID(), heldUntil: later, dueAt: later }
  await update(c.credentialIds[1], { ...lease, claimedAt: new Date(1000) })
  expect(await order()).toBe('abcabcab')
  expect(await order()).toHaveLength(8)
})

it('a tick without work costs one statement, however many credentials exist', async () => {
  const { prisma } = harness.database
  await addConnected('idle', 120)
  await prisma.syncState.updateMany({ data: { dueAt: new Date(Date.now() + 3_600_000) } })
  await harness.engine().start()
  const before = harness.statements.length
  const ticksBefore = listTurnStatements().length
  await expect.poll(() => listTurnStatements().length - ticksBefore, within).toBeGreaterThan(2)
  const since = harness.statements.slice(before)
  expect(since.filter((text) => !text.includes('WITH waiting'))).toEqual([])
})

it('the slices of a run form one run: one start, one end, and missing records are detected', async () => {
  const { app, database } = harness
  app.fill(100)
  const { credentialIds } = await addConnected('sliced', 1)
  const [credentialId = ''] = credentialIds
  const engine = harness.engine({
    sliceMs: 0,
    intervalMs: 3_600_000,
    sync: { deletions: 'compared', fullListingEveryMs: 0 },
  })
  await engine.syncNow(credentialId)
  app.rows.delete('17')
  app.rows.delete('64')
  app.put('80', { name: 'Renamed' })
  await addWaitingRun(database)
  // Each page is stored before the next is sent, so each page is a slice.
  const before = app.requests.length
  app.settings.delayMs = 30
  const logged = (await harness.readLog()).length
  await engine.syncNow(credentialId)
  const slices = harness.statements.filter((text) => text.includes('RETURNING s.since')).length
  expect(slices).toBeGreaterThan(5)
  // A listing and the second one that confirms the missing records: only pages read ahead repeat.
  expect(app.requests.slice(before).filter(({ cursor }) => cursor === null)).toHaveLength(2)
  const log = (await harness.readLog()).slice(logged)
  expect(log.filter(({ topic }) => topic !== TOPIC).map(({ topic }) => topic)).toEqual([
    'sync/started',
    'sync/completed',
  ])
  expect(log.at(-1)?.record).toMatchObject({ deleted: 2, updated: 1, created: 0 })
  const deleted = (await harness.records()).filter((record) => record.deleted)
  expect(deleted.map(({ remoteId }) => remoteId)).toEqual(['17', '64'])
})

it('a listing that repeats its pages is detected across slices', async () => {
  const { app, database } = harness
  app.fill(35)
  app.settings.paging = 'ignored'
  app.settings.delayMs = 5
  const { credentialIds } = await addConnected('circle', 1)
  await addWaitingRun(database)
  const failure = await harness
    .engine({ sliceMs: 0 })
    .syncNow(credentialIds[0] ?? '')
    .catch((error: AggregateError) => error.errors[0])
  expect(failure).toMatchObject({ code: 'LISTING_LOOP' })
})
