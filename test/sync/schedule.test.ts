import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addCredential, addWaiting, openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
  shop.app.settings.pageSize = 10
})

afterEach(() => shop.close())

const until = async (isReached: () => Promise<boolean> | boolean): Promise<void> => {
  const end = performance.now() + 60_000
  while (!(await isReached())) {
    if (performance.now() > end) throw new Error('Not reached within 60 s.')
    await wait(10)
  }
}

// The statement that takes the lease of a run.
const ACQUIRE = /^\s*UPDATE sync_states[\s\S]+RETURNING s\.since/

const acquisitions = () => shop.statements.filter((text) => ACQUIRE.test(text)).length

const storedNames = async () => (await shop.records()).map(({ name }) => name)

it('lists what is due, and again after the interval', async () => {
  shop.app.fill(25)
  await shop.engine().start()
  await until(async () => (await shop.records()).length === 25)
  shop.app.put('3', { name: 'Renamed' })
  await until(async () => (await storedNames()).includes('Renamed'))
  shop.app.put('26')
  await until(async () => (await shop.records()).length === 26)
})

it('runs several credentials in parallel, up to its concurrency', async () => {
  const { app, database } = shop
  app.fill(50)
  app.settings.delayMs = 50
  for (let place = 0; place < 5; place++)
    await addCredential(database, { url: `${app.url}/${place}`, token: app.settings.token })
  let open = 0
  let most = 0
  app.settings.onPage = async () => {
    open += 1
    most = Math.max(most, open)
    await wait(20)
    open -= 1
  }
  await shop.engine({ concurrency: 3, intervalMs: 60_000 }).start()
  await until(async () => (await database.prisma.syncState.count({ where: { run: {} } })) >= 0)
  await until(
    async () => (await database.prisma.syncState.count({ where: { completedAt: null } })) === 0,
  )
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(3)
})

it('adds the states of resources that an app gained', async () => {
  await shop.database.prisma.syncState.deleteMany()
  await shop.engine().start()
  expect(await shop.state()).toMatchObject({ topic: TOPIC })
})

it('stores the current page when stopped, and leaves the rest to the next process', async () => {
  shop.app.fill(100)
  shop.app.settings.delayMs = 30
  const engine = shop.engine()
  await engine.start()
  await until(() => shop.app.requests.length > 3)
  await engine.stop()

  const left = await shop.state()
  expect(left).toMatchObject({ holder: null, heldUntil: null, progress: { stage: 'listing' } })
  expect(left.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000)
  const stored = (await shop.records()).length
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(100)

  const requestsBefore = shop.app.requests.length
  await shop.engine().start()
  await until(async () => (await shop.state()).completedAt !== null)
  expect(shop.app.requests[requestsBefore]?.cursor).toMatch(new RegExp(`\\|${stored}$`))
  expect(await shop.records()).toHaveLength(100)
})

it('continues past its slice while no other run waits', async () => {
  shop.app.fill(50)
  shop.app.settings.delayMs = 20
  await shop.engine({ sliceMs: 0 }).syncNow(shop.credentialId)
  expect(shop.app.requests).toHaveLength(5)
})

it('yields to others after its slice, and resumes where it stopped', async () => {
  shop.app.fill(50)
  await addWaiting(shop.database)
  shop.app.settings.delayMs = 20
  await shop.engine({ sliceMs: 30 }).syncNow(shop.credentialId)
  const cursors = shop.app.requests.map(({ cursor }) => cursor)
  // A slice ends with one page already requested: only that page is requested again.
  expect(new Set(cursors).size).toBe(5)
  expect(cursors.length).toBeGreaterThan(5)
  expect(cursors.filter((cursor) => cursor === null)).toHaveLength(1)
  expect(await shop.records()).toHaveLength(50)
})

it('stores nothing once another process has taken over its run', async () => {
  shop.app.fill(50)
  const thief = randomUUID()
  shop.app.settings.onPage = ({ cursor }) =>
    cursor?.endsWith('|30') &&
    shop.database.prisma.$executeRaw`
      UPDATE sync_states SET holder = ${thief}::uuid`
  const engine = shop.engine({ leaseMs: 60_000 })
  const run = engine.syncNow(shop.credentialId).catch((error: unknown) => error)
  await until(() => shop.app.requests.length >= 4)
  // The process has noticed the loss once it requests the run again.
  await until(() => acquisitions() > 1)
  expect((await shop.records()).length).toBeLessThanOrEqual(30)
  await engine.stop()
  expect(await run).toBeInstanceOf(AggregateError)
  expect((await shop.records()).length).toBeLessThanOrEqual(30)
})

it('waits for a run of another process instead of starting a second one', async () => {
  shop.app.fill(50)
  // All three have started.
  shop.app.settings.onPage = () => until(() => acquisitions() >= 3)
  const runs = [shop.engine(), shop.engine(), shop.engine()].map((engine) =>
    engine.syncNow(shop.credentialId),
  )
  await Promise.all(runs)
  const events = (await shop.logged()).filter(({ topic }) => topic !== TOPIC)
  expect(events.map(({ topic }) => topic)).toEqual(['sync/started', 'sync/completed'])
  expect(await shop.records()).toHaveLength(50)
})

it('survives the loss of every database connection', async () => {
  shop.app.fill(100)
  shop.app.settings.delayMs = 20
  await shop.engine({ leaseMs: 500 }).start()
  for (let cut = 0; cut < 5; cut++) {
    const requestsBefore = shop.app.requests.length
    await until(() => shop.app.requests.length > requestsBefore + 1)
    await shop.database.prisma.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`.catch(() => {})
  }
  await until(async () => (await shop.records().catch(() => [])).length === 100)
  const created = (await shop.logged()).filter(
    ({ kind, topic }) => topic === TOPIC && kind === 'created',
  )
  expect(created).toHaveLength(100)
})

it('reads the due runs once a second, also while the runs of one user wait for each other', async () => {
  const { app, database, credentialId, environmentId } = shop
  const { userId } = await database.prisma.credential.findUniqueOrThrow({
    where: { id: credentialId },
  })
  const values = { url: app.url, token: app.settings.token }
  for (let place = 0; place < 7; place++)
    await addCredential(database, values, { environmentId, userId })
  const startedMs = performance.now()
  await shop.engine({ concurrency: 2, intervalMs: 60_000 }).start()
  await until(
    async () => (await database.prisma.syncState.count({ where: { completedAt: null } })) === 0,
  )
  const reads = shop.statements.filter((text) => text.includes('WITH waiting')).length
  expect(reads).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 1000)
})
