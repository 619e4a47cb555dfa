/** Random histories of an app: the store and a follower of the change log end equal to the app. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FakeSync, Fault } from '../support/fake-app.ts'
import { addCredential, openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

// The long form: SYNC_HISTORIES=1000.
const HISTORIES = Number(process.env.SYNC_HISTORIES ?? 40)

let harness: SyncHarness

beforeAll(async () => {
  harness = await openSyncHarness()
})

afterAll(() => harness.close())

const id = fc.integer({ min: 1, max: 30 }).map(String)
const edit = fc.oneof(
  fc.record({ kind: fc.constant('put'), id, name: fc.string({ maxLength: 5, unit: 'binary' }) }),
  fc.record({ kind: fc.constant('remove'), id }),
)
const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault[]>(
  { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 410 },
  { kind: 'reset' },
  { kind: 'malformed' },
  { kind: 'other-form' },
  { kind: 'twice' },
  { kind: 'loop' },
  { kind: 'nameless' },
)
const step = fc.oneof(
  { weight: 4, arbitrary: edit },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault'), faults: fc.array(fault) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('run'),
      // Changes in the app while pages are read, before the page of this number.
      during: fc.array(fc.record({ page: fc.integer({ min: 1, max: 6 }), edit })),
    }),
  },
)
const history = fc.record({
  deletions: fc.constantFrom('reported' as const, 'compared' as const),
  by: fc.constantFrom('time' as const, 'token' as const, 'full-listing' as const),
  paging: fc.constantFrom('keyset' as const, 'offset' as const),
  pageSize: fc.integer({ min: 1, max: 12 }),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
})

const toStoredText = (name: string): string => name.replaceAll('\u0000', '\ufffd').toWellFormed()

it(`the store and a follower of the change log equal the app after any history (${HISTORIES})`, async () => {
  const { app, database } = harness
  const property = fc.asyncProperty(history, async ({ steps, pageSize, by, ...drawn }) => {
    // Tokens of the app are complete only if its pages follow the order of change.
    const paging = by === 'token' ? 'keyset' : drawn.paging
    const detection = by === 'time' ? ({ by, overlapMs: 1000 } as const) : { by }
    const sync: FakeSync =
      by === 'full-listing' || drawn.deletions === 'reported'
        ? { changes: detection, deletions: drawn.deletions }
        : { changes: detection, deletions: drawn.deletions, fullListingEveryMs: 0 }
    app.rows.clear()
    app.removed.clear()
    Object.assign(app.settings, { paging, pageSize })
    const values = { url: app.url, token: app.settings.token }
    const { credentialId } = await addCredential(database, values)
    const engine = harness.engine({ sync, confirmAfterMs: 0 })
    const apply = (change: { kind: string; id: string; name?: string }): void => {
      if (change.kind === 'put') app.put(change.id, { name: change.name ?? '', deleted: false })
      else if (sync.deletions === 'compared') app.rows.delete(change.id)
      else if (by === 'token') app.remove(change.id)
      else if (app.rows.has(change.id)) app.put(change.id, { deleted: true })
    }
    for (const taken of steps) {
      if ('faults' in taken) app.faults.push(...taken.faults)
      else if ('during' in taken) {
        let page = 0
        app.settings.onPage = () => {
          page += 1
          for (const { page: at, edit } of taken.during) if (at === page) apply(edit)
        }
        await engine.syncNow(credentialId).catch(() => {})
        app.settings.onPage = undefined
      } else apply(taken)
    }
    app.faults.length = 0
    // The first run finishes the interrupted one; the second reads what that one had already passed.
    await engine.syncNow(credentialId)
    await engine.syncNow(credentialId)
    await engine.stop()

    const stored = await database.prisma.$queryRaw<{ id: string; name: string }[]>`
      SELECT remote_id AS id, account_name AS name FROM crm_accounts
      WHERE credential_id = ${credentialId}::uuid AND NOT remote_deleted
      ORDER BY remote_id::integer`
    const held = [...app.rows.values()]
      .filter(({ deleted }) => !deleted)
      .sort((a, b) => Number(a.id) - Number(b.id))
    expect(stored).toEqual(held.map(({ id, name }) => ({ id, name: toStoredText(name) })))

    const changes = await database.prisma.$queryRaw<
      { kind: string; record: { remoteId: string; accountName: string; remoteDeleted: boolean } }[]
    >`SELECT kind, record FROM change_log.changes
      WHERE credential_id = ${credentialId}::uuid AND topic = ${TOPIC} ORDER BY xid, sequence`
    const followed = new Map<string, string>()
    const created = new Set<string>()
    for (const { kind, record } of changes) {
      if (kind === 'created') {
        expect(created.has(record.remoteId)).toBe(false)
        created.add(record.remoteId)
      }
      // A deleted record may still be updated.
      if (record.remoteDeleted) followed.delete(record.remoteId)
      else followed.set(record.remoteId, record.accountName)
    }
    expect(Object.fromEntries(followed)).toEqual(
      Object.fromEntries(stored.map(({ id, name }) => [id, name])),
    )
  })
  await fc.assert(property, { numRuns: HISTORIES, seed: 20_261_121 })
}, 900_000)
