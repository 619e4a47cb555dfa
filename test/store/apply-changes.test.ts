/** `applyChanges`: the records written, the changes logged, and the records left unchanged. */
import { describe, expect, test } from 'vitest'
import { columnsOf } from '../../src/definition/column.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { MAX_BATCH } from '../../src/store/records/apply-changes.ts'
import { sampleRecord } from '../support/sample.ts'
import { accounts, CREDENTIAL, OTHER, storeHarness } from './store-harness.ts'

const harness = storeHarness()
const { apply, remove, readLog, takeLog, readRow, show, list } = harness

const TOPICS = catalogue.resources.map((resource) => [resource.topic, resource] as const)

describe.each(TOPICS)('%s', (_topic, resource) => {
  const first = sampleRecord(CREDENTIAL, resource, 2)

  test('a new record is created, and its change holds the record as REST shows it', async () => {
    expect(await apply([first], resource)).toEqual({ created: 1, updated: 0, deleted: 0 })
    expect(await readLog()).toEqual([
      {
        kind: 'created',
        fields: [],
        id: first.id,
        topic: resource.topic,
        credentialId: CREDENTIAL,
        environmentId: harness.tenant.environmentId,
        record: await show(resource, '2'),
      },
    ])
  })

  test('the same content again writes nothing and logs nothing', async () => {
    await apply([first], resource)
    const before = await readRow(resource, first.id)
    await takeLog()
    for (const accept of ['newer', 'all'] as const) {
      const none = { created: 0, updated: 0, deleted: 0 }
      expect(await apply([first], resource, accept)).toEqual(none)
      // The order of fields does not matter.
      const entries = Object.entries(first).toReversed()
      const reordered = { ...Object.fromEntries(entries), id: first.id, remoteId: first.remoteId }
      expect(await apply([reordered], resource, accept)).toEqual(none)
    }
    expect(await readLog()).toEqual([])
    expect(await readRow(resource, first.id)).toEqual(before)
  })

  test('a change names exactly the fields that changed', async () => {
    const [other, empty]: readonly [RecordRow, RecordRow] = [
      {
        ...sampleRecord(CREDENTIAL, resource, 5),
        customFields: { tier: 'gold', since: null, 'a"b\n': 2.5 },
      },
      sampleRecord(CREDENTIAL, resource, 3),
    ]
    // Each batch has one record per field, in which only that field changes.
    const fields = columnsOf(resource)
      .map(({ field }) => field)
      .filter((field) => !['remoteId', 'createdAt', 'updatedAt', 'remoteDeleted'].includes(field))
    let current: readonly RecordRow[] = fields.map((_field, index) => {
      const { id, remoteId } = sampleRecord(CREDENTIAL, resource, 100 + index)
      return { ...first, id, remoteId }
    })
    await apply(current, resource)
    await takeLog()
    const changed = new Set<string>()
    for (const source of [other, empty, first]) {
      const rows = current.map((row, index) => {
        const field = fields[index] ?? ''
        return { ...row, [field]: source[field] }
      })
      const updates = rows.flatMap((row, index) => {
        const field = fields[index] ?? ''
        const isChange = JSON.stringify(row[field]) !== JSON.stringify(current[index]?.[field])
        return isChange ? [{ row, field }] : []
      })
      expect(await apply(rows, resource, 'all')).toEqual({
        created: 0,
        updated: updates.length,
        deleted: 0,
      })
      const shown = new Map((await list(resource)).map((record) => [record.id, record]))
      expect(await takeLog()).toMatchObject(
        updates.map(({ row, field }) => ({
          kind: 'updated',
          fields: [field],
          record: shown.get(row.id),
        })),
      )
      for (const { field } of updates) changed.add(field)
      current = rows
    }
    expect(changed).toEqual(new Set(fields))
  })

  test('a deletion is one change with the fields that changed along; a restored record is an update', async () => {
    const deletedRow = { ...first, remoteDeleted: true }
    const step = async (row: RecordRow) => {
      const counts = await apply([row], resource, 'all')
      const [change, ...more] = await takeLog()
      expect(more).toEqual([])
      expect(change?.record).toEqual(await show(resource, '2'))
      return [counts, change?.kind, change?.fields]
    }
    await apply([first], resource)
    await takeLog()
    expect(await step(deletedRow)).toEqual([
      { created: 0, updated: 0, deleted: 1 },
      'deleted',
      ['remoteDeleted'],
    ])
    expect(await step({ ...deletedRow, remoteFields: { n: 1 } })).toEqual([
      { created: 0, updated: 1, deleted: 0 },
      'updated',
      ['remoteFields'],
    ])
    expect(await step(first)).toEqual([
      { created: 0, updated: 1, deleted: 0 },
      'updated',
      ['remoteFields', 'remoteDeleted'],
    ])
    expect(await step({ ...deletedRow, remoteFields: null })).toEqual([
      { created: 0, updated: 0, deleted: 1 },
      'deleted',
      ['remoteFields', 'remoteDeleted'],
    ])
  })
})

describe('a batch', () => {
  test('of 1,000 takes one statement in addition to the lock, and logs as many changes in its order', async () => {
    const rows = Array.from({ length: MAX_BATCH }, (_, n) => sampleRecord(CREDENTIAL, accounts, n))
    const takeWorkStatements = async (batch: readonly RecordRow[]): Promise<readonly string[]> => {
      harness.service.takeStatements()
      await apply(batch)
      return harness.service.takeStatements().filter((text) => !/^(BEGIN|COMMIT)/.test(text))
    }
    for (const batch of [rows, rows, rows.map((row) => ({ ...row, website: 'changed' }))]) {
      const statements = await takeWorkStatements(batch)
      expect(statements).toHaveLength(2)
      expect(statements[0]).toContain('pg_advisory_xact_lock')
      expect(statements[1]).toContain('INSERT INTO crm_accounts')
    }
    const log = await readLog()
    expect(log.map(({ kind }) => kind)).toEqual([
      ...rows.map(() => 'created'),
      ...rows.map(() => 'updated'),
    ])
    expect(new Set(log.slice(MAX_BATCH).map(({ id }) => id)).size).toBe(MAX_BATCH)
  })

  test('of 1,001 is rejected, and an empty one does nothing', async () => {
    const rows = Array.from({ length: MAX_BATCH + 1 }, (_, n) =>
      sampleRecord(CREDENTIAL, accounts, n),
    )
    await expect(apply(rows)).rejects.toThrow('At most 1000 records')
    expect(await apply([])).toEqual({ created: 0, updated: 0, deleted: 0 })
    expect(await readLog()).toEqual([])
  })

  test('with a record twice takes the last version, as one change', async () => {
    const row = sampleRecord(CREDENTIAL, accounts, 1)
    const rowWithWebsite = (website: string) => ({ ...row, website })
    expect(
      await apply([
        rowWithWebsite('a'),
        sampleRecord(CREDENTIAL, accounts, 2),
        rowWithWebsite('b'),
      ]),
    ).toEqual({
      created: 2,
      updated: 0,
      deleted: 0,
    })
    expect(await readLog()).toHaveLength(2)
    expect(await show(accounts, '1')).toMatchObject({ website: 'b' })
    expect(await apply([rowWithWebsite('c'), rowWithWebsite('b')])).toEqual({
      created: 0,
      updated: 0,
      deleted: 0,
    })
    expect(await readLog()).toHaveLength(2)
  })

  test('counts each kind of change and leaves unchanged records alone', async () => {
    const sampleRow = (n: number, more: object = {}) => ({
      ...sampleRecord(CREDENTIAL, accounts, n),
      ...more,
    })
    await apply([sampleRow(1), sampleRow(2), sampleRow(4)])
    expect(
      await apply([
        sampleRow(1),
        sampleRow(2, { website: 'x' }),
        sampleRow(4, { remoteDeleted: true }),
        sampleRow(5),
      ]),
    ).toEqual({ created: 1, updated: 1, deleted: 1 })
  })

  test('stays within its credential', async () => {
    const mine = sampleRecord(CREDENTIAL, accounts, 1)
    const theirs = sampleRecord(OTHER, accounts, 1)
    await apply([mine])
    await apply([{ ...theirs, website: 'theirs' }], accounts, 'newer', OTHER)
    expect(await show(accounts, '1')).toMatchObject({ website: mine.website })
    expect(await show(accounts, '1', OTHER)).toMatchObject({ website: 'theirs' })
    expect((await readLog()).map(({ credentialId }) => credentialId)).toEqual([CREDENTIAL, OTHER])
  })

  test('with a value that its column cannot hold stores nothing', async () => {
    const rows = [1, 2].map((n) => sampleRecord(CREDENTIAL, accounts, n))
    await expect(
      apply([...rows, { ...sampleRecord(CREDENTIAL, accounts, 4), numberOfEmployees: 3e9 }]),
    ).rejects.toThrow()
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '1')).toBe(undefined)
  })
})

describe('a record that the app dates', () => {
  const rowDated = (day: number, website: string): RecordRow => ({
    ...sampleRecord(CREDENTIAL, accounts, 1),
    website,
    remoteUpdatedAt: `2024-01-0${day}T00:00:00.000Z`,
  })
  const readWebsite = async () => (await show(accounts, '1')).website
  const none = { created: 0, updated: 0, deleted: 0 }
  const oneUpdate = { created: 0, updated: 1, deleted: 0 }

  test('earlier than the stored one is stale and ignored', async () => {
    await apply([rowDated(5, 'stored')])
    expect(await apply([rowDated(4, 'older')])).toEqual(none)
    expect(await apply([{ ...rowDated(4, 'older'), remoteDeleted: true }])).toEqual(none)
    expect(await readWebsite()).toBe('stored')
    expect(await readLog()).toHaveLength(1)
  })

  test('earlier is accepted in a full listing, whatever its clock', async () => {
    await apply([rowDated(5, 'stored')])
    expect(await apply([rowDated(4, 'older')], accounts, 'all')).toEqual(oneUpdate)
    expect(await readWebsite()).toBe('older')
    expect((await readLog())[1]?.fields.toSorted()).toEqual(['remoteUpdatedAt', 'website'])
  })

  test('at the same instant, later or without a date is accepted', async () => {
    await apply([rowDated(5, 'stored')])
    for (const row of [
      rowDated(5, 'same'),
      rowDated(6, 'later'),
      { ...rowDated(6, 'unknown'), remoteUpdatedAt: null },
      rowDated(1, 'after unknown'),
    ]) {
      expect(await apply([row])).toEqual(oneUpdate)
      expect(await readWebsite()).toBe(row.website)
    }
  })

  describe.each(['newer', 'all'] as const)('and that was requested (%s)', (accept) => {
    const applyRequested = (row: RecordRow, requestedAt: unknown) =>
      harness.applyRequested([row], String(requestedAt), accept)

    test('before the stored one was stored is accepted only if the app dates it later', async () => {
      await apply([rowDated(5, 'stored')])
      const { updatedAt } = await show(accounts, '1')
      const undated = { ...rowDated(5, 'undated'), remoteUpdatedAt: null }
      for (const row of [rowDated(4, 'earlier'), rowDated(5, 'same'), undated])
        expect(await applyRequested(row, updatedAt)).toEqual(none)
      expect(await readWebsite()).toBe('stored')
      expect(await applyRequested(rowDated(6, 'later'), updatedAt)).toEqual(oneUpdate)
      expect(await readWebsite()).toBe('later')
    })

    test('before the stored one was marked as deleted does not restore it, whatever its date', async () => {
      await apply([rowDated(5, 'stored')])
      await remove(rowDated(5, '').id)
      const { updatedAt } = await show(accounts, '1')
      expect(await applyRequested(rowDated(6, 'before'), updatedAt)).toEqual(none)
      expect(await show(accounts, '1')).toMatchObject({ website: 'stored', remoteDeleted: true })
      const later = new Date(Date.parse(String(updatedAt)) + 1).toISOString()
      expect(await applyRequested(rowDated(6, 'after'), later)).toEqual(oneUpdate)
      expect(await show(accounts, '1')).toMatchObject({ website: 'after', remoteDeleted: false })
    })

    test('after the stored one was stored is accepted at the same instant or without a date', async () => {
      await apply([rowDated(5, 'stored')])
      for (const row of [
        rowDated(5, 'same'),
        { ...rowDated(5, 'undated'), remoteUpdatedAt: null },
      ]) {
        const { updatedAt } = await show(accounts, '1')
        const later = new Date(Date.parse(String(updatedAt)) + 1).toISOString()
        expect(await applyRequested(row, later)).toEqual(oneUpdate)
        expect(await readWebsite()).toBe(row.website)
      }
    })
  })

  describe('and that was requested by a write', () => {
    const applyWritten = (row: RecordRow, requestedAt: unknown) =>
      harness.applyRequested([row], String(requestedAt), 'written')

    test('before the stored one was stored is accepted unless it is dated earlier', async () => {
      await apply([rowDated(5, 'stored')])
      const { updatedAt } = await show(accounts, '1')
      expect(await applyWritten(rowDated(4, 'earlier'), updatedAt)).toEqual(none)
      expect(await applyWritten(rowDated(5, 'same'), updatedAt)).toEqual(oneUpdate)
      const undated = { ...rowDated(5, 'undated'), remoteUpdatedAt: null }
      expect(await applyWritten(undated, updatedAt)).toEqual(oneUpdate)
    })

    test('before the stored one was marked as deleted does not restore it', async () => {
      await apply([rowDated(5, 'stored')])
      await remove(rowDated(5, '').id)
      const { updatedAt } = await show(accounts, '1')
      expect(await applyWritten(rowDated(6, 'before'), updatedAt)).toEqual(none)
      const later = new Date(Date.parse(String(updatedAt)) + 1).toISOString()
      expect(await applyWritten(rowDated(6, 'after'), later)).toEqual(oneUpdate)
    })
  })
})
