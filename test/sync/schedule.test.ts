/** The sync scheduler: what runs when, in slices, on one process or another. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  addCredential,
  addWaitingRun,
  openSyncHarness,
  type SyncHarness,
  TOPIC,
} from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
})

afterEach(() => harness.close())

const until = async (isReached: () => Promise<boolean> | boolean): Promise<void> => {
  const end = performance.now() + 60_000
  while (!(await isReached())) {
    if (performance.now() > end) throw new Error('Not reached within 60 s.')
    await wait(10)
  }
}

// The statement that takes the lease of a run.
const ACQUIRE = /^\s*UPDATE sync_states[\s\S]+RETURNING s\.since/

const countAcquisitions = () => harness.statements.filter((text) => ACQUIRE.test(text)).length

const listStoredNames = async () => (await harness.records()).map(({ name }) => name)

it('lists what is due, and again after the interval', async () => {
  harness.app.fill(25)
  await harness.engine().start()
  await until(async () => (await harness.records()).length === 25)
  harness.app.put('3', { name: 'Renamed' })
  await until(async () => (await listStoredNames()).includes('Renamed'))
  harness.app.put('26')
  await until(async () => (await harness.records()).length === 26)
})

it('runs several credentials in parallel, up to its concurrency', async () => {
  const { app, database } = harness
  app.fill(50)
  app.settings.delayMs = 50
  for (let place = 0; place < 5; place++)
    await addCredential(database, { url: `${app.url}/${place}`, token: app.settings.token })
  let open = 0
  let maxConcurrent = 0
  app.settings.onPage = async () => {
    open += 1
    maxConcurrent = Math.max(maxConcurrent, open)
    await wait(20)
    open -= 1
  }
  await harness.engine({ concurrency: 3, intervalMs: 60_000 }).start()
  await until(async () => (await database.prisma.syncState.count({ where: { run: {} } })) >= 0)
  await until(
    async () => (await database.prisma.syncState.count({ where: { completedAt: null } })) === 0,
  )
  expect(maxConcurrent).toBeGreaterThan(1)
  expect(maxConcurrent).toBeLessThanOrEqual(3)
})

it('adds the states of resources that an app gained', async () => {
  await harness.database.prisma.syncState.deleteMany()
  await harness.engine().start()
  expect(await harness.state()).toMatchObject({ topic: TOPIC })
})

it('stores the current page when stopped, and leaves the rest to the next process', async () => {
  harness.app.fill(100)
  harness.app.settings.delayMs = 30
  const engine = harness.engine()
  await engine.start()
  await until(() => harness.app.requests.length > 3)
  await engine.stop()

  const left = await harness.state()
  expect(left).toMatchObject({ holder: null, heldUntil: null, progress: { stage: 'listing' } })
  expect(left.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000)
  const stored = (await harness.records()).length
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(100)

  const requestsBefore = harness.app.requests.length
  await harness.engine().start()
  await until(async () => (await harness.state()).completedAt !== null)
  expect(harness.app.requests[requestsBefore]?.cursor).toMatch(new RegExp(`\\|${stored}$`))
  expect(await harness.records()).toHaveLength(100)
})

it('continues past its slice while no other run waits', async () => {
  harness.app.fill(50)
  harness.app.settings.delayMs = 20
  await harness.engine({ sliceMs: 0 }).syncNow(harness.credentialId)
  expect(harness.app.requests).toHaveLength(5)
})

it('yields to others after its slice, and resumes where it stopped', async () => {
  harness.app.fill(50)
  await addWaitingRun(harness.database)
  harness.app.settings.delayMs = 20
  await harness.engine({ sliceMs: 30 }).syncNow(harness.credentialId)
  const cursors = harness.app.requests.map(({ cursor }) => cursor)
  // A slice ends with one page already requested: only that page is requested again.
  expect(new Set(cursors).size).toBe(5)
  expect(cursors.length).toBeGreaterThan(5)
  expect(cursors.filter((cursor) => cursor === null)).toHaveLength(1)
  expect(await harness.records()).toHaveLength(50)
})

it('stores nothing once another process has taken over its run', async () => {
  harness.app.fill(50)
  const thief = randomUUID()
  harness.app.settings.onPage = ({ cursor }) =>
    cursor?.endsWith('|30') &&
    harness.database.prisma.$executeRaw`
      UPDATE sync_states SET holder = ${thief}::uuid`
  const engine = harness.engine({ leaseMs: 60_000 })
  const run = engine.syncNow(harness.credentialId).catch((error: unknown) => error)
  await until(() => harness.app.requests.length >= 4)
  // The process has noticed the loss once it requests the run again.
  await until(() => countAcquisitions() > 1)
  expect((await harness.records()).length).toBeLessThanOrEqual(30)
  await engine.stop()
  expect(await run).toBeInstanceOf(AggregateError)
  expect((await harness.records()).length).toBeLessThanOrEqual(30)
})

it('waits for a run of another process instead of starting a second one', async () => {
  harness.app.fill(50)
  // All three have started.
  harness.app.settings.onPage = () => until(() => countAcquisitions() >= 3)
  const runs = [harness.engine(), harness.engine(), harness.engine()].map((engine) =>
    engine.syncNow(harness.credentialId),
  )
  await Promise.all(runs)
  const events = (await harness.readLog()).filter(({ topic }) => topic !== TOPIC)
  expect(events.map(({ topic }) => topic)).toEqual(['sync/started', 'sync/completed'])
  expect(await harness.records()).toHaveLength(50)
})

it('survives the loss of every database connection', async () => {
  harness.app.fill(100)
  harness.app.settings.delayMs = 20
  await harness.engine({ leaseMs: 500 }).start()
  for (let cut = 0; cut < 5; cut++) {
    const requestsBefore = harness.app.requests.length
    await until(() => harness.app.requests.length > requestsBefore + 1)
    await harness.database.prisma.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`.catch(() => {})
  }
  await until(async () => (await harness.records().catch(() => [])).length === 100)
  const created = (await harness.readLog()).filter(
    ({ kind, topic }) => topic === TOPIC && kind === 'created',
  )
  expect(created).toHaveLength(100)
})

it('reads the due runs once a second, also while the runs of one user wait for each other', async () => {
  const { app, database, credentialId, environmentId } = harness
  const { userId } = await database.prisma.credential.findUniqueOrThrow({
    where: { id: credentialId },
  })
  const values = { url: app.url, token: app.settings.token }
  for (let place = 0; place < 7; place++)
    await addCredential(database, values, { environmentId, userId })
  const startedMs = performance.now()
  await harness.engine({ concurrency: 2, intervalMs: 60_000 }).start()
  await until(
    async () => (await database.prisma.syncState.count({ where: { completedAt: null } })) === 0,
  )
  const reads = harness.statements.filter((text) => text.includes('WITH waiting')).length
  expect(reads).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 1000)
})
