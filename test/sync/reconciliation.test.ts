/** Reconciliations: full listings that count, report and repair differences. */
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  listReconciliations,
  MAX_RECONCILIATIONS,
  requestOverdueReconciliations,
  requestReconciliation,
} from '../../src/store/sync/reconciliations.ts'
import type { FakeSync } from '../support/fake-app.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
  harness.app.settings.paging = 'offset'
})

afterEach(() => harness.close())

const LONG_MS = 3_600_000
const engineOf = (deletions: FakeSync['deletions'] = 'compared') =>
  harness.engine({ sync: { deletions, fullListingEveryMs: LONG_MS } })

const request = () =>
  harness.database.transaction((transaction) =>
    requestReconciliation(transaction, { credentialId: harness.credentialId, topic: TOPIC }),
  )

const list = () => listReconciliations(harness.database, { credentialId: harness.credentialId })

const readLatest = async () => (await list())[0]

/** Creates records. Only the last one has changed recently, so no listing of changes repeats the others. */
const fill = (count: number) => {
  harness.app.fill(count)
  for (const row of [...harness.app.rows.values()].slice(0, -1))
    harness.app.rows.set(row.id, { ...row, updatedAt: '2026-01-01T00:00:00.000Z' })
}

/** Changes that no listing of changes shows. */
const changeSilently = () => {
  const [, second, third] = [...harness.app.rows.values()]
  if (!second || !third) throw new Error('The app has no records.')
  harness.app.rows.set('2', { ...second, name: 'Renamed' })
  harness.app.rows.delete('3')
  harness.app.rows.set('99', { ...third, id: '99' })
}

describe('a reconciliation', () => {
  it('counts, names and repairs what differs', async () => {
    fill(25)
    const engine = engineOf()
    await engine.syncNow(harness.credentialId)
    changeSilently()
    await engine.syncNow(harness.credentialId)
    expect((await harness.records())[1]).toMatchObject({ name: 'Account 2' })

    const id = await request()
    expect(await readLatest()).toMatchObject({
      id,
      startedAt: null,
      finishedAt: null,
      appRecords: null,
    })
    await engine.syncNow(harness.credentialId)
    const report = await readLatest()
    expect(report).toMatchObject({
      id,
      topic: TOPIC,
      startedAt: expect.any(Date),
      finishedAt: expect.any(Date),
      storedRecords: 25,
      appRecords: 25,
      unlisted: 0,
      created: 1,
      updated: 1,
      deleted: 1,
      isPaused: false,
      problem: null,
    })
    const differences = report?.differences.map(({ id: _id, ...difference }) => difference)
    expect(differences).toEqual([
      { remoteId: '2', kind: 'updated', fields: ['accountName', 'description'] },
      { remoteId: '99', kind: 'created', fields: [] },
      { remoteId: '3', kind: 'deleted', fields: ['remoteDeleted'] },
    ])
    expect(JSON.stringify(report)).not.toContain('Renamed')
    expect((await harness.records())[1]).toMatchObject({ name: 'Renamed' })
    expect(await harness.database.prisma.syncSeenRecord.count()).toBe(0)
    const requests = harness.app.requests.length
    await engine.syncNow(harness.credentialId)
    // The next run lists changes again.
    expect(harness.app.requests.slice(requests).every(({ since }) => since !== null)).toBe(true)
  })

  it('reports records that are not listed without deleting them if the app reports its deletions', async () => {
    fill(5)
    const engine = engineOf('reported')
    await engine.syncNow(harness.credentialId)
    harness.app.rows.delete('3')
    await request()
    await engine.syncNow(harness.credentialId)
    expect(await readLatest()).toMatchObject({
      storedRecords: 5,
      appRecords: 4,
      unlisted: 1,
      deleted: 0,
    })
    expect((await harness.records()).filter(({ deleted }) => deleted)).toEqual([])
  })

  it('is requested once until it ends, and starts after the run in progress', async () => {
    fill(5)
    const engine = engineOf()
    let id: string | undefined
    harness.app.settings.onPage = async () => {
      harness.app.settings.onPage = undefined
      id = await request()
    }
    await engine.syncNow(harness.credentialId)
    expect(await readLatest()).toMatchObject({ id, startedAt: null })
    expect((await harness.state()).dueAt.getTime()).toBeLessThan(Date.now() + 50)
    expect(await request()).toBe(id)
    await engine.syncNow(harness.credentialId)
    expect(await readLatest()).toMatchObject({ id, appRecords: 5, created: 0, updated: 0 })
    expect(await request()).not.toBe(id)
    expect(await list()).toHaveLength(2)
  })

  it('adds up what its attempts repair, and shows why it does not advance', async () => {
    fill(25)
    const engine = engineOf()
    await engine.syncNow(harness.credentialId)
    changeSilently()
    const id = await request()
    // A rejected cursor: the next attempt starts from the beginning.
    harness.app.faults.push(undefined, { kind: 'status', status: 400 })
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    expect(await readLatest()).toMatchObject({ id, finishedAt: null, updated: 1, created: 0 })
    expect((await readLatest())?.problem).toContain('Refused')
    await engine.syncNow(harness.credentialId)
    expect(await readLatest()).toMatchObject({
      id,
      updated: 1,
      created: 1,
      deleted: 1,
      problem: null,
    })
    expect((await readLatest())?.finishedAt).not.toBeNull()
  })

  it('leaves a paused sync paused', async () => {
    await harness.database.prisma.$executeRaw`UPDATE sync_states SET due_at = 'infinity'`
    await request()
    expect(await readLatest()).toMatchObject({ isPaused: true, startedAt: null })
  })
})

it('keeps the latest reconciliations of a resource', async () => {
  const ids: (string | undefined)[] = []
  for (let n = 0; n < MAX_RECONCILIATIONS + 2; n++) {
    ids.push(await request())
    // They are listed by their times, in milliseconds.
    await setTimeout(2)
    await harness.database.prisma.syncState.updateMany({ data: { reconciliationId: null } })
  }
  expect((await list()).map(({ id }) => id)).toEqual(ids.slice(2).toReversed())
})

it('is requested on schedule of resources that were listed and are not paused, once per interval', async () => {
  const schedule = () =>
    requestOverdueReconciliations(harness.database, { intervalMs: LONG_MS, limit: 10 })
  await schedule()
  expect(await list()).toEqual([])
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  const { prisma } = harness.database
  await prisma.$executeRaw`UPDATE sync_states SET due_at = 'infinity'`
  await schedule()
  expect(await list()).toEqual([])
  await prisma.$executeRaw`UPDATE sync_states SET due_at = now() + interval '1 hour'`
  await schedule()
  await engine.syncNow(harness.credentialId)
  await schedule()
  expect(await list()).toHaveLength(1)
  await prisma.$executeRaw`UPDATE reconciliations SET requested_at = now() - interval '2 hours'`
  await schedule()
  expect(await list()).toHaveLength(2)
})

it('belongs to a resource that the credential has', async () => {
  const key = { credentialId: harness.credentialId, topic: 'crm/notes' }
  expect(
    await harness.database.transaction((transaction) => requestReconciliation(transaction, key)),
  ).toBeUndefined()
})
