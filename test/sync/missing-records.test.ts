/** Deletions that an app shows only by omission. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
  harness.app.settings.paging = 'offset'
})

afterEach(() => harness.close())

/** An app that shows deletions only by omission; every run lists everything. */
const engineOf = () =>
  harness.engine({
    sync: { deletions: 'compared', fullListingEveryMs: 0 },
    confirmAfterMs: 600_000,
  })

const listDeletedIds = async (): Promise<string[]> =>
  (await harness.records()).filter(({ deleted }) => deleted).map(({ remoteId }) => remoteId)

it('marks a record as deleted after two listings in a row without it, and logs the deletion', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  const before = (await harness.readLog()).length
  harness.app.rows.delete('7')
  await engine.syncNow(harness.credentialId)

  expect(await listDeletedIds()).toEqual(['7'])
  const logged = (await harness.readLog()).slice(before)
  expect(logged.map(({ topic, kind }) => [topic, kind])).toEqual([
    ['sync/started', 'created'],
    [TOPIC, 'deleted'],
    ['sync/completed', 'created'],
  ])
  expect(logged[1]).toMatchObject({ record: { remoteId: '7', remoteDeleted: true } })
  expect(await harness.database.prisma.syncSeenRecord.count()).toBe(0)
})

it('lists once if no record is missing', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  await engine.syncNow(harness.credentialId)
  expect(harness.app.requests).toHaveLength(6)
})

it('does not mark a record as deleted that moved to a page already read', async () => {
  harness.app.fill(50)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  // Record 31 moves to the third page when 5 is deleted, after that page was built.
  harness.app.settings.onPage = ({ cursor }) => {
    if (cursor === '30') harness.app.rows.delete('5')
  }
  await engine.syncNow(harness.credentialId)
  harness.app.settings.onPage = undefined
  expect(await listDeletedIds()).toEqual([])
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual(['5'])
})

it('restores a record that is listed again', async () => {
  harness.app.fill(3)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  const row = harness.app.rows.get('2')
  harness.app.rows.delete('2')
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual(['2'])
  if (row) harness.app.rows.set('2', row)
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual([])
})

it('detects deletions and unlisted additions by the number of records', async () => {
  harness.app.fill(30)
  const engine = harness.engine({
    sync: {
      deletions: 'compared',
      fullListingEveryMs: 3_600_000,
      remoteCount: {
        request: { method: 'GET', path: '/count' },
        read: () => harness.app.rows.size,
      },
    },
  })
  const takeListings = async (): Promise<readonly string[]> => {
    const before = harness.app.requests.length
    await engine.syncNow(harness.credentialId)
    const first = harness.app.requests
      .slice(before)
      .filter(({ path, cursor }) => path === '/api/accounts' && cursor === null)
    return first.map(({ since }) => (since === null ? 'everything' : 'changes'))
  }
  expect(await takeListings()).toEqual(['everything'])
  expect(await takeListings()).toEqual(['changes'])

  harness.app.rows.delete('7')
  expect(await takeListings()).toEqual(['changes'])
  // The second listing confirms it.
  expect(await takeListings()).toEqual(['everything', 'everything'])
  expect(await listDeletedIds()).toEqual(['7'])

  const updatedAt = '2020-01-01T00:00:00.000Z'
  harness.app.put('31', { createdAt: updatedAt, updatedAt })
  expect(await takeListings()).toEqual(['changes'])
  expect(await takeListings()).toEqual(['everything'])
  expect(await harness.records()).toHaveLength(31)
  // Records from a listing of changes are no reason for another listing.
  harness.app.put('32')
  expect(await takeListings()).toEqual(['changes'])
  expect(await takeListings()).toEqual(['changes'])
})

it('keeps a record that was written here while the listing ran', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  harness.app.rows.delete('7')
  // Written by another path, after both listings had passed its position.
  harness.app.settings.onPage = ({ cursor }) =>
    cursor === '20' &&
    harness.database.prisma.$executeRaw`
      UPDATE crm_accounts SET updated_at = now() + interval '1 minute' WHERE remote_id = '7'`
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual([])
})

it('waits before it accepts that most records are gone, and deletes none in a brief failure of the app', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  harness.app.faults.push({ kind: 'empty' })
  await engine.syncNow(harness.credentialId)

  const paused = await harness.state()
  expect(paused.absence).toMatch(/^30 of 30 records/)
  const dueInMs = paused.dueAt.getTime() - Date.now()
  expect(dueInMs).toBeGreaterThan(590_000)
  expect(await listDeletedIds()).toEqual([])

  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual([])
  expect(await harness.state()).toMatchObject({ run: null, absence: null })
})

it('reports the recovery from a failure although most records seemed gone in between', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  const before = (await harness.readLog()).length
  for (let run = 0; run < 3; run++) {
    harness.app.faults.push(...Array(4).fill({ kind: 'status', status: 500 }))
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
  }
  harness.app.faults.push({ kind: 'empty' })
  await engine.syncNow(harness.credentialId)
  expect(await harness.state()).toMatchObject({ failures: 0, failureCode: 'APP_UNAVAILABLE' })
  await engine.syncNow(harness.credentialId)
  const logged = (await harness.readLog()).slice(before)
  expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
  expect(await harness.state()).toMatchObject({ failures: 0, failureCode: null, absence: null })
})

it('accepts the loss of most records once the second listing confirms it', async () => {
  harness.app.fill(30)
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  for (let id = 1; id <= 29; id++) harness.app.rows.delete(String(id))
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toEqual([])
  await engine.syncNow(harness.credentialId)
  expect(await listDeletedIds()).toHaveLength(29)
})

it('runs full listings only when they are due, and listings of changes in between', async () => {
  harness.app.fill(25)
  const engine = harness.engine({ sync: { deletions: 'compared', fullListingEveryMs: 3_600_000 } })
  await engine.syncNow(harness.credentialId)
  await engine.syncNow(harness.credentialId)
  const twoHoursAgo = new Date(Date.now() - 7_200_000)
  await harness.database.prisma.syncState.updateMany({ data: { fullListingAt: twoHoursAgo } })
  await engine.syncNow(harness.credentialId)
  const listings = harness.app.requests.filter(({ cursor }) => cursor === null)
  expect(listings.map(({ since }) => since === null)).toEqual([true, false, true])
})

it('lists everything each time if the app cannot list changes', async () => {
  harness.app.fill(5)
  const engine = harness.engine({
    sync: { changes: { by: 'full-listing' }, deletions: 'compared' },
  })
  await engine.syncNow(harness.credentialId)
  harness.app.rows.delete('1')
  await engine.syncNow(harness.credentialId)
  expect(harness.app.requests.every(({ since }) => since === null)).toBe(true)
  expect(await listDeletedIds()).toEqual(['1'])
})
