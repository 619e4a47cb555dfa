import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
  shop.app.settings.pageSize = 10
  shop.app.settings.paging = 'offset'
})

afterEach(() => shop.close())

/** An app that shows deletions only by omission; every run lists everything. */
const engineOf = () =>
  shop.engine({
    sync: { deletions: 'compared', fullListingEveryMs: 0 },
    confirmAfterMs: 600_000,
  })

const deletedIds = async (): Promise<string[]> =>
  (await shop.records()).filter(({ deleted }) => deleted).map(({ remoteId }) => remoteId)

it('marks a record as deleted after two listings in a row without it, and logs the deletion', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  const before = (await shop.logged()).length
  shop.app.rows.delete('7')
  await engine.syncNow(shop.credentialId)

  expect(await deletedIds()).toEqual(['7'])
  const logged = (await shop.logged()).slice(before)
  expect(logged.map(({ topic, kind }) => [topic, kind])).toEqual([
    ['sync/started', 'created'],
    [TOPIC, 'deleted'],
    ['sync/completed', 'created'],
  ])
  expect(logged[1]).toMatchObject({ record: { remoteId: '7', remoteDeleted: true } })
  expect(await shop.database.prisma.syncSeenRecord.count()).toBe(0)
})

it('lists once if no record is missing', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  await engine.syncNow(shop.credentialId)
  expect(shop.app.requests).toHaveLength(6)
})

it('does not mark a record as deleted that moved to a page already read', async () => {
  shop.app.fill(50)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  // Record 31 moves to the third page when 5 is deleted, after that page was built.
  shop.app.settings.onPage = ({ cursor }) => {
    if (cursor === '30') shop.app.rows.delete('5')
  }
  await engine.syncNow(shop.credentialId)
  shop.app.settings.onPage = undefined
  expect(await deletedIds()).toEqual([])
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual(['5'])
})

it('restores a record that is listed again', async () => {
  shop.app.fill(3)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  const row = shop.app.rows.get('2')
  shop.app.rows.delete('2')
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual(['2'])
  if (row) shop.app.rows.set('2', row)
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual([])
})

it('detects deletions and silent additions by the number of records', async () => {
  shop.app.fill(30)
  const engine = shop.engine({
    sync: {
      deletions: 'compared',
      fullListingEveryMs: 3_600_000,
      remoteCount: {
        request: { method: 'GET', path: '/count' },
        read: () => shop.app.rows.size,
      },
    },
  })
  const listings = async (): Promise<readonly string[]> => {
    const before = shop.app.requests.length
    await engine.syncNow(shop.credentialId)
    const first = shop.app.requests
      .slice(before)
      .filter(({ path, cursor }) => path === '/api/accounts' && cursor === null)
    return first.map(({ since }) => (since === null ? 'everything' : 'changes'))
  }
  expect(await listings()).toEqual(['everything'])
  expect(await listings()).toEqual(['changes'])

  shop.app.rows.delete('7')
  expect(await listings()).toEqual(['changes'])
  // The second listing confirms it.
  expect(await listings()).toEqual(['everything', 'everything'])
  expect(await deletedIds()).toEqual(['7'])

  const updatedAt = '2020-01-01T00:00:00.000Z'
  shop.app.put('31', { createdAt: updatedAt, updatedAt })
  expect(await listings()).toEqual(['changes'])
  expect(await listings()).toEqual(['everything'])
  expect(await shop.records()).toHaveLength(31)
  // Records from a listing of changes are no reason for another listing.
  shop.app.put('32')
  expect(await listings()).toEqual(['changes'])
  expect(await listings()).toEqual(['changes'])
})

it('keeps a record that was written here while the listing ran', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  shop.app.rows.delete('7')
  // Written by another path, after both listings had passed its position.
  shop.app.settings.onPage = ({ cursor }) =>
    cursor === '20' &&
    shop.database.prisma.$executeRaw`
      UPDATE crm_accounts SET updated_at = now() + interval '1 minute' WHERE remote_id = '7'`
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual([])
})

it('waits before it accepts that most records are gone, and deletes none in a brief failure of the app', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  shop.app.faults.push({ kind: 'empty' })
  await engine.syncNow(shop.credentialId)

  const paused = await shop.state()
  expect(paused.absence).toMatch(/^30 of 30 records/)
  const dueInMs = paused.dueAt.getTime() - Date.now()
  expect(dueInMs).toBeGreaterThan(590_000)
  expect(await deletedIds()).toEqual([])

  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual([])
  expect(await shop.state()).toMatchObject({ run: null, absence: null })
})

it('reports the recovery from a failure although most records seemed gone in between', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  const before = (await shop.logged()).length
  for (let run = 0; run < 3; run++) {
    shop.app.faults.push(...Array(4).fill({ kind: 'status', status: 500 }))
    await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
  }
  shop.app.faults.push({ kind: 'empty' })
  await engine.syncNow(shop.credentialId)
  expect(await shop.state()).toMatchObject({ failures: 0, failureCode: 'APP_UNAVAILABLE' })
  await engine.syncNow(shop.credentialId)
  const logged = (await shop.logged()).slice(before)
  expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
  expect(await shop.state()).toMatchObject({ failures: 0, failureCode: null, absence: null })
})

it('accepts the loss of most records once the second listing confirms it', async () => {
  shop.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  for (let id = 1; id <= 29; id++) shop.app.rows.delete(String(id))
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toEqual([])
  await engine.syncNow(shop.credentialId)
  expect(await deletedIds()).toHaveLength(29)
})

it('lists everything only when that is due, and changes in between', async () => {
  shop.app.fill(25)
  const engine = shop.engine({ sync: { deletions: 'compared', fullListingEveryMs: 3_600_000 } })
  await engine.syncNow(shop.credentialId)
  await engine.syncNow(shop.credentialId)
  const twoHoursAgo = new Date(Date.now() - 7_200_000)
  await shop.database.prisma.syncState.updateMany({ data: { fullListingAt: twoHoursAgo } })
  await engine.syncNow(shop.credentialId)
  const listings = shop.app.requests.filter(({ cursor }) => cursor === null)
  expect(listings.map(({ since }) => since === null)).toEqual([true, false, true])
})

it('lists everything each time if the app cannot list changes', async () => {
  shop.app.fill(5)
  const engine = shop.engine({ sync: { changes: { by: 'full-listing' }, deletions: 'compared' } })
  await engine.syncNow(shop.credentialId)
  shop.app.rows.delete('1')
  await engine.syncNow(shop.credentialId)
  expect(shop.app.requests.every(({ since }) => since === null)).toBe(true)
  expect(await deletedIds()).toEqual(['1'])
})
