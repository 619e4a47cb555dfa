import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFreshness } from '../../src/api/freshness.ts'
import { openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
  shop.app.fill(3)
})

afterEach(() => shop.close())

/** An engine that has synced once, and polls only what is made due. */
const startIdle = async () => {
  const engine = shop.engine({ intervalMs: 600_000 })
  await engine.syncNow(shop.credentialId)
  await engine.start()
  shop.app.requests.length = 0
}

const refresh = (seconds: number, freshness = createFreshness(shop.database)) =>
  freshness.refresh(TOPIC, [shop.credentialId], seconds)

const nameOf3 = async () => (await shop.records())[2]?.name

describe('records that are older than allowed', () => {
  it('are synced once for requests of several processes', async () => {
    await startIdle()
    const { syncedAt: before, dueAt } = await shop.state()
    expect(dueAt.getTime() - Date.now()).toBeGreaterThan(300_000)
    shop.app.put('3', { name: 'Renamed' })
    const [first, second] = [createFreshness(shop.database), createFreshness(shop.database)]
    const waiting = [refresh(0, first), refresh(0, first), refresh(0, second)]
    const times = await Promise.all(waiting)
    expect(await nameOf3()).toBe('Renamed')
    expect(shop.app.requests).toHaveLength(1)
    const { syncedAt } = await shop.state()
    expect(times).toEqual([syncedAt, syncedAt, syncedAt])
    expect(syncedAt?.getTime()).toBeGreaterThan(before?.getTime() ?? Number.NaN)
  })

  it('are synced again if the run in progress started too early', async () => {
    const engine = shop.engine({ intervalMs: 600_000 })
    let waiting: Promise<Date | null> | undefined
    shop.app.settings.onAnswer = () => {
      // Its page is built already, so it does not have the change.
      shop.app.settings.onAnswer = undefined
      shop.app.put('3', { name: 'Renamed' })
      waiting = refresh(0)
    }
    await engine.syncNow(shop.credentialId)
    expect(await nameOf3()).toBe('Account 3')
    await expect
      .poll(async () => (await shop.state()).dueAt.getTime() - Date.now(), { interval: 20 })
      .toBeLessThan(50)
    await engine.syncNow(shop.credentialId)
    expect(await waiting).toEqual((await shop.state()).syncedAt)
    expect(await nameOf3()).toBe('Renamed')
  })

  it('are returned as they are after the wait', async () => {
    await shop.engine().syncNow(shop.credentialId)
    const { syncedAt } = await shop.state()
    expect(await refresh(0, createFreshness(shop.database, 300))).toEqual(syncedAt)
    expect((await shop.state()).dueAt.getTime()).toBeLessThan(Date.now() + 50)
  })
})

it('takes one statement if the records are current', async () => {
  await shop.engine().syncNow(shop.credentialId)
  const { syncedAt } = await shop.state()
  shop.statements.length = 0
  expect(await refresh(60)).toEqual(syncedAt)
  expect(shop.statements).toHaveLength(1)
})

it('has no age while a credential was never synced', async () => {
  await shop.engine().syncNow(shop.credentialId)
  const freshness = createFreshness(shop.database, 10)
  const none = '00000000-0000-4000-8000-000000000000'
  expect(await freshness.refresh(TOPIC, [shop.credentialId, none], 60)).toBeNull()
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
  await shop.engine().syncNow(shop.credentialId)
  await shop.database.prisma.$executeRawUnsafe(`UPDATE sync_states SET ${assignments}`)
  const readDue = () => shop.database.prisma.$queryRaw`SELECT due_at::text FROM sync_states`
  const due = await readDue()
  shop.statements.length = 0
  expect(await refresh(0)).toBeInstanceOf(Date)
  expect(shop.statements).toHaveLength(1)
  expect(await readDue()).toEqual(due)
})
