/** Listings: the first run, further runs, and unusual records. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { applyChanges, markRecordsDeleted } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { defineFakeConnector } from '../support/fake-app.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
})

afterEach(() => harness.close())

const changesOf = async (topic = TOPIC) =>
  (await harness.readLog()).filter((row) => row.topic === topic)

describe('a first run', () => {
  it('stores every record of every page between its started and completed events', async () => {
    harness.app.fill(250)
    await harness.engine().syncNow(harness.credentialId)

    const records = await harness.records()
    expect(records).toHaveLength(250)
    expect(records[6]).toMatchObject({ remoteId: '7', name: 'Account 7', staff: 7 })
    const log = await harness.readLog()
    expect(log).toHaveLength(252)
    expect(log[0]).toMatchObject({
      topic: 'sync/started',
      kind: 'created',
      record: { credentialId: harness.credentialId, resource: TOPIC, listing: 'everything' },
    })
    expect(log.at(-1)).toMatchObject({
      topic: 'sync/completed',
      record: { resource: TOPIC, listed: 250, created: 250, updated: 0, deleted: 0, pages: 3 },
    })
    expect(await harness.state()).toMatchObject({ run: null, failures: 0, failure: null })
  })

  it('writes its completed event even if the app has no records', async () => {
    await harness.engine().syncNow(harness.credentialId)
    expect((await harness.readLog()).map(({ topic }) => topic)).toEqual([
      'sync/started',
      'sync/completed',
    ])
  })
})

describe('a page that was read before a write and arrives after it', () => {
  it.each(['first', 'later'])(
    'does not revert the write, in a %s full listing',
    async (listing) => {
      const { database, credentialId, environmentId, app } = harness
      const { mapping } = defineFakeConnector().resources[TOPIC] ?? {}
      if (mapping === undefined) throw new Error('The fake app lists no accounts.')
      const engine = harness.engine({ sync: { deletions: 'compared', fullListingEveryMs: 0 } })
      app.fill(2)
      if (listing === 'later') await engine.syncNow(credentialId)
      // Changes the app first and then the store, as a write does.
      const write = (id: string, deleted: boolean) => {
        const { row } = createMapper(mapping)(
          app.put(id, { name: 'Written', deleted }),
          credentialId,
        )
        const line = createLineWriter(mapping.resource)(row)
        return database.transaction((transaction) =>
          applyChanges(transaction, { credentialId, environmentId }, mapping.resource, [line], {
            accept: 'newer',
          }),
        )
      }
      app.settings.onResponse = async () => {
        app.settings.onResponse = undefined
        await write('1', false)
        await write('2', true)
      }
      await engine.syncNow(credentialId)
      expect(await harness.records()).toMatchObject([
        { name: 'Written', deleted: false },
        { name: 'Written', deleted: true },
      ])
      const changes = (await changesOf()).slice(listing === 'later' ? 2 : 0)
      expect(changes.map(({ record }) => record.accountName)).toEqual(['Written', 'Written'])
    },
  )
})

describe('a page that was read before a deletion and arrives after it', () => {
  it('does not restore the record, however late the app dates it', async () => {
    const { database, credentialId, environmentId, app } = harness
    const { resource } = defineFakeConnector().resources[TOPIC]?.mapping ?? {}
    if (resource === undefined) throw new Error('The fake app lists no accounts.')
    const engine = harness.engine()
    app.fill(2)
    await engine.syncNow(credentialId)
    app.put('1', { name: 'Changed, then deleted' })
    app.settings.onResponse = () => {
      app.settings.onResponse = undefined
      app.rows.delete('1')
      return database.transaction((transaction) =>
        markRecordsDeleted(transaction, { credentialId, environmentId }, resource, [
          recordId(credentialId, TOPIC, '1'),
        ]),
      )
    }
    await engine.syncNow(credentialId)
    expect(await harness.records()).toMatchObject([
      { name: 'Account 1', deleted: true },
      { name: 'Account 2', deleted: false },
    ])
  })
})

describe('a further run', () => {
  it('requests changes since the newest record, minus the overlap, by the app’s clock', async () => {
    harness.app.settings.clockOffsetMs = -7_200_000
    harness.app.fill(3)
    const newest = harness.app.rows.get('3')?.updatedAt ?? ''
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    await engine.syncNow(harness.credentialId)

    expect(harness.app.requests.map(({ since }) => since !== null)).toEqual([false, true])
    const since = Date.parse(harness.app.requests[1]?.since ?? '')
    // The Date header has whole seconds, so the cursor may be up to a second before the record.
    expect(since).toBeLessThanOrEqual(Date.parse(newest) - 1000)
    expect(since).toBeGreaterThan(Date.parse(newest) - 3000)
  })

  it('writes what changed and nothing else', async () => {
    harness.app.fill(3)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const before = await harness.records()
    harness.app.put('2', { name: 'Renamed' })
    harness.app.put('4')
    await engine.syncNow(harness.credentialId)

    const changes = (await changesOf()).slice(3)
    expect(changes.map(({ kind, record }) => [kind, record.remoteId]).sort()).toEqual([
      ['created', '4'],
      ['updated', '2'],
    ])
    expect(changes.find(({ kind }) => kind === 'updated')?.changedFields.toSorted()).toEqual([
      'accountName',
      'description',
      'remoteUpdatedAt',
    ])
    const after = await harness.records()
    expect(after[0]).toEqual(before[0])
    expect(after[2]).toEqual(before[2])
    const topics = (await harness.readLog()).slice(5).map(({ topic }) => topic)
    expect(topics).toEqual(['sync/started', TOPIC, TOPIC, 'sync/completed'])
  })

  it('without changes leaves no trace in the change log', async () => {
    harness.app.fill(3)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const before = await harness.readLog()
    for (let run = 0; run < 5; run++) await engine.syncNow(harness.credentialId)
    expect(harness.app.requests).toHaveLength(6)
    expect(await harness.readLog()).toEqual(before)
  })

  it('does not miss a record that changes on a page already read', async () => {
    harness.app.settings.paging = 'offset'
    harness.app.settings.pageSize = 10
    harness.app.fill(50)
    const engine = harness.engine({ sync: { changes: { by: 'time', overlapMs: 0 } } })
    // Record 1 changes after its page was read; record 50 changes later, before its own page is.
    harness.app.settings.onPage = ({ cursor }) => {
      if (cursor === '20') harness.app.put('1', { name: 'Changed behind the back' })
      if (cursor === '40') harness.app.put('50', { name: 'Changed in front' })
    }
    await engine.syncNow(harness.credentialId)
    harness.app.settings.onPage = undefined
    await engine.syncNow(harness.credentialId)
    const [first] = await harness.records()
    expect(first?.name).toBe('Changed behind the back')
  })

  it('takes a few statements, and the same number for a page of any size', async () => {
    const costOf = async (run: () => Promise<void>): Promise<number> => {
      const before = harness.statements.length
      await run()
      return harness.statements.length - before
    }
    const engine = harness.engine()
    const run = () => engine.syncNow(harness.credentialId)
    harness.app.settings.pageSize = 500
    harness.app.fill(1)
    await run()
    const idle = await costOf(run)
    harness.app.fill(500)
    const busy = await costOf(run)
    expect(idle).toBeLessThanOrEqual(14)
    // One more statement for the started event, and one for the completed event.
    expect(busy).toBe(idle + 2)
  })

  it('does not move its cursor into the future for a record with a future date', async () => {
    // The clock that dates records is behind the one that dates responses.
    const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString()
    for (const id of ['1', '2', '3']) harness.app.put(id, { updatedAt: anHourAgo() })
    harness.app.put('4', { updatedAt: '2099-01-01T00:00:00.000Z' })
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    harness.app.put('2', { name: 'Renamed', updatedAt: anHourAgo() })
    await engine.syncNow(harness.credentialId)
    expect((await harness.records())[1]?.name).toBe('Renamed')
  })

  it('does not move its cursor back to the dates of old records', async () => {
    harness.app.fill(3)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const { since } = await harness.state()
    for (const id of ['1', '2', '3']) harness.app.put(id, { updatedAt: '2020-01-01T00:00:00.000Z' })
    await harness.database.prisma.syncState.updateMany({ data: { fullListingAt: null } })
    await engine.syncNow(harness.credentialId)
    const after = (await harness.state()).since?.getTime()
    // The app's clock is read from whole seconds, less the duration of a request.
    expect(after).toBeGreaterThan((since?.getTime() ?? Number.NaN) - 1000)
  })

  it('does not overwrite a newer record with an older response', async () => {
    harness.app.fill(2)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const old = harness.app.put('2', { name: 'Older' })
    harness.app.put('2', { name: 'Newer' })
    await engine.syncNow(harness.credentialId)
    harness.app.rows.set('2', old)
    await engine.syncNow(harness.credentialId)
    expect((await harness.records())[1]?.name).toBe('Newer')
  })

  it('marks records that the app reports as deleted', async () => {
    harness.app.fill(2)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    harness.app.put('1', { deleted: true })
    await engine.syncNow(harness.credentialId)
    expect((await harness.records())[0]).toMatchObject({ deleted: true })
    expect((await changesOf()).slice(2)).toMatchObject([
      { kind: 'deleted', record: { remoteId: '1', remoteDeleted: true } },
    ])
  })
})

describe('an unusual record', () => {
  it('without an id is skipped and counted; the others are stored', async () => {
    harness.app.fill(2)
    harness.app.faults.push({ kind: 'nameless' })
    await harness.engine().syncNow(harness.credentialId)
    expect(await harness.records()).toHaveLength(2)
    expect((await harness.readLog()).at(-1)?.record).toMatchObject({ listed: 2, skipped: 2 })
  })

  it('with a value that a rule cannot read is stored without that field, and counted', async () => {
    harness.app.fill(1)
    harness.app.put('2', { name: null as unknown as string })
    await harness.engine().syncNow(harness.credentialId)
    expect((await harness.records())[1]).toMatchObject({
      remoteId: '2',
      name: null,
      description: null,
    })
    expect((await harness.readLog()).at(-1)?.record).toMatchObject({ problems: 1, skipped: 0 })
    expect(harness.log.lines.join()).toContain('description')
  })

  it('with U+0000 and half a surrogate pair in its text is stored', async () => {
    harness.app.put('1', { name: 'a\u0000b\ud800c' })
    await harness.engine().syncNow(harness.credentialId)
    expect((await harness.records())[0]?.name).toBe('a\ufffdb\ufffdc')
  })

  it('that appears twice on a page is stored once', async () => {
    harness.app.fill(5)
    harness.app.faults.push({ kind: 'twice' })
    await harness.engine().syncNow(harness.credentialId)
    expect(await changesOf()).toHaveLength(5)
  })
})
