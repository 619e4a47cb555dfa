/** Reads with a maximum age, which wait for a sync of records that are older. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFreshness } from '../../src/api/freshness.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.fill(3)
})

afterEach(() => harness.close())

/** An engine that has synced once, and polls only what is made due. */
const startIdle = async () => {
  const engine = harness.engine({ intervalMs: 600_000 })
  await engine.syncNow(harness.credentialId)
  await engine.start()
  harness.app.requests.length = 0
}

const refresh = (seconds: number, freshness = createFreshness(harness.database)) =>
  freshness.refresh(TOPIC, [harness.credentialId], seconds)

const nameOf3 = async () => (await harness.records())[2]?.name

describe('records that are older than allowed', () => {
  it('are synced once for requests of several processes', async () => {
    await startIdle()
    const { syncedAt: before, dueAt } = await harness.state()
    expect(dueAt.getTime() - Date.now()).toBeGreaterThan(300_000)
    harness.app.put('3', { name: 'Renamed' })
    const [first, second] = [createFreshness(harness.database), createFreshness(harness.database)]
    const waiting = [refresh(0, first), refresh(0, first), refresh(0, second)]
    const times = await Promise.all(waiting)
    expect(await nameOf3()).toBe('Renamed')
    expect(harness.app.requests).toHaveLength(1)
    const { syncedAt } = await harness.state()
    expect(times).toEqual([syncedAt, syncedAt, syncedAt])
    expect(syncedAt?.getTime()).toBeGreaterThan(before?.getTime() ?? Number.NaN)
  })

  it('are synced again if the run in progress started too early', async () => {
    const engine = harness.engine({ intervalMs: 600_000 })
    let waiting: Promise<Date | null> | undefined
    harness.app.settings.onResponse = () => {
      // The page of the current run is already built, so it does not contain the change.
      harness.app.settings.onResponse = undefined
      harness.app.put('3', { name: 'Renamed' })
      waiting = refresh(0)
    }
    await engine.syncNow(harness.credentialId)
    expect(await nameOf3()).toBe('Account 3')
    await expect
      .poll(async () => (await harness.state()).dueAt.getTime() - Date.now(), { interval: 20 })
      .toBeLessThan(50)
    await engine.syncNow(harness.credentialId)
    expect(await waiting).toEqual((await harness.state()).syncedAt)
    expect(await nameOf3()).toBe('Renamed')
  })

  it('are returned unchanged if the wait ends before the sync', async () => {
    await harness.engine().syncNow(harness.credentialId)
    const { syncedAt } = await harness.state()
    expect(await refresh(0, createFreshness(harness.database, 300))).toEqual(syncedAt)
    expect((await harness.state()).dueAt.getTime()).toBeLessThan(Date.now() + 50)
  })
})

it('take one statement if they are current', async () => {
  await harness.engine().syncNow(harness.credentialId)
  const { syncedAt } = await harness.state()
  harness.statements.length = 0
  expect(await refresh(60)).toEqual(syncedAt)
  expect(harness.statements).toHaveLength(1)
})

it('has no age while a credential was never synced', async () => {
  await harness.engine().syncNow(harness.credentialId)
  const freshness = createFreshness(harness.database, 10)
  const none = '00000000-0000-4000-8000-000000000000'
  expect(await freshness.refresh(TOPIC, [harness.credentialId, none], 60)).toBeNull()
  expect(await freshness.refresh(TOPIC, [], 0)).toBeNull()
})

it.each([
  ['is paused', `due_at = 'infinity'`],
  [
    'fails',
    `failures = 2, failure_code = 'APP_AUTHENTICATION', due_at = now() + interval '1 hour'`,
  ],
  ['waits for a second listing', `absence = 'many', due_at = now() + interval '1 hour'`],
])('does not wait for a sync that %s, nor run it early', async (_state, assignments) => {
  await harness.engine().syncNow(harness.credentialId)
  await harness.database.prisma.$executeRawUnsafe(`UPDATE sync_states SET ${assignments}`)
  const readDue = () => harness.database.prisma.$queryRaw`SELECT due_at::text FROM sync_states`
  const due = await readDue()
  harness.statements.length = 0
  expect(await refresh(0)).toBeInstanceOf(Date)
  expect(harness.statements).toHaveLength(1)
  expect(await readDue()).toEqual(due)
})
