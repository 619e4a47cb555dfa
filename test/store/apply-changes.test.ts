/** The one road by which records change: what is written, what is logged, and what is left alone. */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { columnsOf } from '../../src/definition/column.ts'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { applyChanges, MAX_BATCH } from '../../src/store/apply-changes.ts'
import type { Transaction } from '../../src/store/database.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
})
afterAll(() => service.stop())

const accounts = catalogue.get('crm/accounts')

beforeEach(async () => {
  const tables = catalogue.resources.map(({ table }) => table).join(', ')
  await service.database.prisma.$executeRawUnsafe(`TRUNCATE change_log.changes, ${tables}`)
  service.takeStatements()
})

const applyIn = (
  transaction: Transaction,
  rows: readonly RecordRow[],
  resource: Resource = accounts,
  accept: 'newer' | 'all' = 'newer',
  credentialId = CREDENTIAL,
) => {
  const owner = { credentialId, environmentId: tenant.environmentId }
  return applyChanges(transaction, owner, resource, rows, { accept })
}

const apply = (
  ...given: Parameters<typeof applyIn> extends [unknown, ...infer Rest] ? Rest : never
) => service.database.prisma.$transaction((transaction) => applyIn(transaction, ...given))

interface Change {
  readonly kind: string
  readonly fields: readonly string[]
  readonly id: string
  readonly topic: string
  readonly credentialId: string
  readonly environmentId: string
  readonly record: Readonly<Record<string, unknown>>
}

/** The log, in the order in which its readers take it. */
const readLog = (): Promise<Change[]> =>
  service.database.prisma.$queryRaw`
    SELECT kind, changed_fields AS fields, record_id AS id, topic, record,
      credential_id AS "credentialId", environment_id AS "environmentId"
    FROM change_log.changes ORDER BY xid, sequence`

const takeLog = async (): Promise<Change[]> => {
  const log = await readLog()
  await service.database.prisma.$executeRaw`TRUNCATE change_log.changes`
  return log
}

/** The row as it lies in the table: another version of it has another place. */
const readRow = async (resource: Resource, id: string) => {
  const rows = await service.database.prisma.$queryRawUnsafe<
    { place: string; created_at: Date; updated_at: Date }[]
  >(`SELECT ctid::text AS place, created_at, updated_at FROM ${resource.table} WHERE id = '${id}'`)
  return rows[0]
}

const show = async (resource: Resource, id: string, credentialId = CREDENTIAL) => {
  const answer = await service.rest(
    tenant.key,
    `${resource.restPath}/${encodeURIComponent(id)}?credentialId=${credentialId}`,
  )
  return answer.json()[resource.name]
}

const TOPICS = catalogue.resources.map((resource) => [resource.topic, resource] as const)

describe.each(TOPICS)('%s', (_topic, resource) => {
  const first = sampleRecord(CREDENTIAL, resource, 2)

  test('a new record is created, and its change holds what REST shows', async () => {
    expect(await apply([first], resource)).toEqual({ created: 1, updated: 0, deleted: 0 })
    expect(await readLog()).toEqual([
      {
        kind: 'created',
        fields: [],
        id: first.id,
        topic: resource.topic,
        credentialId: CREDENTIAL,
        environmentId: tenant.environmentId,
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
      // Fields in another order are the same content.
      const entries = Object.entries(first).toReversed()
      const reordered = { ...Object.fromEntries(entries), id: first.id, remoteId: first.remoteId }
      expect(await apply([reordered], resource, accept)).toEqual(none)
    }
    expect(await readLog()).toEqual([])
    expect(await readRow(resource, first.id)).toEqual(before)
  })

  test('each field that changes is named, and no other', async () => {
    await apply([first], resource)
    await takeLog()
    const other = sampleRecord(CREDENTIAL, resource, 5)
    const empty = sampleRecord(CREDENTIAL, resource, 3)
    let current = first
    for (const { field } of columnsOf(resource)) {
      if (['remoteId', 'createdAt', 'updatedAt', 'remoteDeleted'].includes(field)) continue
      const changes = [other[field], empty[field], first[field]].filter(
        (value, index, all) =>
          JSON.stringify(value) !== JSON.stringify(index === 0 ? current[field] : all[index - 1]),
      )
      expect(changes.length, field).toBeGreaterThan(0)
      for (const value of changes) {
        current = { ...current, [field]: value }
        expect(await apply([current], resource, 'all')).toEqual({
          created: 0,
          updated: 1,
          deleted: 0,
        })
        expect(await takeLog(), field).toMatchObject([
          { kind: 'updated', fields: [field], record: await show(resource, '2') },
        ])
      }
    }
  })

  test('a deletion is one, with what changed beside it; its return is an update', async () => {
    const gone = { ...first, remoteDeleted: true }
    const step = async (row: RecordRow) => {
      const counts = await apply([row], resource, 'all')
      const [change, ...more] = await takeLog()
      expect(more).toEqual([])
      expect(change?.record).toEqual(await show(resource, '2'))
      return [counts, change?.kind, change?.fields]
    }
    await apply([first], resource)
    await takeLog()
    expect(await step(gone)).toEqual([
      { created: 0, updated: 0, deleted: 1 },
      'deleted',
      ['remoteDeleted'],
    ])
    expect(await step({ ...gone, remoteFields: { n: 1 } })).toEqual([
      { created: 0, updated: 1, deleted: 0 },
      'updated',
      ['remoteFields'],
    ])
    expect(await step(first)).toEqual([
      { created: 0, updated: 1, deleted: 0 },
      'updated',
      ['remoteFields', 'remoteDeleted'],
    ])
    expect(await step({ ...gone, remoteFields: null })).toEqual([
      { created: 0, updated: 0, deleted: 1 },
      'deleted',
      ['remoteFields', 'remoteDeleted'],
    ])
  })
})

describe('a batch', () => {
  test('of 1,000 is one statement, beside the lock; as many changes, in its order', async () => {
    const rows = Array.from({ length: MAX_BATCH }, (_, n) => sampleRecord(CREDENTIAL, accounts, n))
    const work = async (batch: readonly RecordRow[]): Promise<readonly string[]> => {
      service.takeStatements()
      await apply(batch)
      return service.takeStatements().filter((text) => !/^(BEGIN|COMMIT)/.test(text))
    }
    for (const batch of [rows, rows, rows.map((row) => ({ ...row, website: 'changed' }))]) {
      const statements = await work(batch)
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

  test('of 1,001 is refused, and of none does nothing', async () => {
    const rows = Array.from({ length: MAX_BATCH + 1 }, (_, n) =>
      sampleRecord(CREDENTIAL, accounts, n),
    )
    await expect(apply(rows)).rejects.toThrow('At most 1000 records')
    expect(await apply([])).toEqual({ created: 0, updated: 0, deleted: 0 })
    expect(await readLog()).toEqual([])
  })

  test('with a record twice takes the last of it, as one change', async () => {
    const row = sampleRecord(CREDENTIAL, accounts, 1)
    const named = (website: string) => ({ ...row, website })
    expect(await apply([named('a'), sampleRecord(CREDENTIAL, accounts, 2), named('b')])).toEqual({
      created: 2,
      updated: 0,
      deleted: 0,
    })
    expect(await readLog()).toHaveLength(2)
    expect(await show(accounts, '1')).toMatchObject({ website: 'b' })
    expect(await apply([named('c'), named('b')])).toEqual({ created: 0, updated: 0, deleted: 0 })
    expect(await readLog()).toHaveLength(2)
  })

  test('counts each kind of change, and leaves what is as it was', async () => {
    const row = (n: number, more: object = {}) => ({
      ...sampleRecord(CREDENTIAL, accounts, n),
      ...more,
    })
    await apply([row(1), row(2), row(4)])
    expect(
      await apply([row(1), row(2, { website: 'x' }), row(4, { remoteDeleted: true }), row(5)]),
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

  test('with a value that its column cannot hold stores nothing of itself', async () => {
    const rows = [1, 2].map((n) => sampleRecord(CREDENTIAL, accounts, n))
    await expect(
      apply([...rows, { ...sampleRecord(CREDENTIAL, accounts, 4), numberOfEmployees: 3e9 }]),
    ).rejects.toThrow()
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '1')).toBe(undefined)
  })
})

describe('a record that the app changed', () => {
  const at = (day: number, website: string): RecordRow => ({
    ...sampleRecord(CREDENTIAL, accounts, 1),
    website,
    remoteUpdatedAt: `2024-01-0${day}T00:00:00.000Z`,
  })
  const website = async () => (await show(accounts, '1')).website
  const none = { created: 0, updated: 0, deleted: 0 }
  const one = { created: 0, updated: 1, deleted: 0 }

  test('earlier than the stored one is an old answer, and is left', async () => {
    await apply([at(5, 'stored')])
    expect(await apply([at(4, 'older')])).toEqual(none)
    expect(await apply([{ ...at(4, 'older'), remoteDeleted: true }])).toEqual(none)
    expect(await website()).toBe('stored')
    expect(await readLog()).toHaveLength(1)
  })

  test('earlier holds in a listing of everything, whatever its clock', async () => {
    await apply([at(5, 'stored')])
    expect(await apply([at(4, 'older')], accounts, 'all')).toEqual(one)
    expect(await website()).toBe('older')
    expect((await readLog())[1]?.fields.toSorted()).toEqual(['remoteUpdatedAt', 'website'])
  })

  test('at the same instant, later, or at no known instant is taken', async () => {
    await apply([at(5, 'stored')])
    for (const row of [
      at(5, 'same'),
      at(6, 'later'),
      { ...at(6, 'unknown'), remoteUpdatedAt: null },
      at(1, 'after unknown'),
    ]) {
      expect(await apply([row])).toEqual(one)
      expect(await website()).toBe(row.website)
    }
  })
})

describe('two transactions on one record', () => {
  const row = (website: string): RecordRow => ({
    ...sampleRecord(CREDENTIAL, accounts, 1),
    website,
  })

  /** Until a transaction waits for a lock of ours. */
  const waiting = (): Promise<unknown> =>
    expect
      .poll(
        async () => {
          const [found] = await service.database.prisma.$queryRaw<{ count: number }[]>`
            SELECT count(*)::integer AS count FROM pg_locks
            WHERE locktype = 'advisory' AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
          return found?.count
        },
        { timeout: 10_000, interval: 5 },
      )
      .toBe(1)

  test('follow each other, and stand in the log in that order', async () => {
    await apply([row('before')])
    for (let round = 0; round < 5; round++) {
      await takeLog()
      const release = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const one = service.database.prisma.$transaction(async (transaction) => {
        await applyIn(transaction, [row(`one ${round}`)])
        written.resolve()
        await release.promise
      })
      await written.promise
      const two = service.database.prisma.$transaction((transaction) =>
        applyIn(transaction, [row(`two ${round}`)]),
      )
      await waiting()
      release.resolve()
      await Promise.all([one, two])
      const log = await readLog()
      expect(log.map(({ record }) => record.website)).toEqual([`one ${round}`, `two ${round}`])
      expect(log[1]?.fields).toEqual(['website'])
      expect(log[1]?.record).toEqual(await show(accounts, '1'))
    }
  })

  test('that end with the same content make one change', async () => {
    await Promise.all(Array.from({ length: 8 }, () => apply([row('same')])))
    expect((await readLog()).map(({ kind }) => kind)).toEqual(['created'])
  })

  test('never take the time of its last change back', async () => {
    await apply([row('before')])
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const early = service.database.prisma.$transaction(async (transaction) => {
      // Its own time is that of its beginning.
      await transaction.$queryRaw`SELECT now()`
      begun.resolve()
      await release.promise
      await applyIn(transaction, [row('begun first, written last')])
    })
    await begun.promise
    await apply([row('between')])
    const between = await readRow(accounts, row('').id)
    release.resolve()
    await early
    const after = await readRow(accounts, row('').id)
    expect(await show(accounts, '1')).toMatchObject({ website: 'begun first, written last' })
    expect(after?.updated_at.getTime()).toBeGreaterThanOrEqual(between?.updated_at.getTime() ?? 0)
    expect(after?.created_at).toEqual(between?.created_at)
  })

  test('do not wait for another resource’s, nor for another credential’s', async () => {
    await service.database.prisma.$transaction(async (transaction) => {
      await applyIn(transaction, [row('held')])
      await apply(
        [sampleRecord(CREDENTIAL, catalogue.get('crm/leads'), 1)],
        catalogue.get('crm/leads'),
      )
      await apply([sampleRecord(OTHER, accounts, 1)], accounts, 'newer', OTHER)
    })
    expect(await readLog()).toHaveLength(3)
  })
})

describe('characters that PostgreSQL cannot hold', () => {
  const expected = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
  const hostile = fc.string({
    unit: fc.constantFrom(
      '\\',
      'u',
      '0',
      'd',
      'D',
      '8',
      '"',
      '\0',
      '\u0001',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      '😀',
      '\ufffd',
      'a',
      '\n',
    ),
    maxLength: 12,
  })

  test('are shown as U+FFFD, in text and in JSON, and all others as they are', async () => {
    const known = [
      'a\0b',
      '\ud800',
      '\udfff\ud800',
      '😀',
      '\\u0000',
      '\\\\u0000',
      '\\\0',
      '\\ud800',
      '"\\u0000"',
      '\\',
      '\u0001\u001f\u007f',
      '\u2028\u2029',
    ]
    const texts = [...known, ...fc.sample(hostile, { seed: 20_261_121, numRuns: 400 })]
    const orders = catalogue.get('commerce/orders')
    const products = catalogue.get('commerce/products')
    const put = async (resource: Resource, field: string, wrap: (text: string) => unknown) => {
      const rows = texts.map((text, n) => ({
        ...sampleRecord(CREDENTIAL, resource, n * 3 + 1),
        [field]: wrap(text),
      }))
      await apply(rows, resource, 'all')
      // Once stored as it can be, it is what it was: it does not change with every listing.
      expect(await apply(rows, resource, 'all')).toEqual({ created: 0, updated: 0, deleted: 0 })
      const log = await takeLog()
      for (const [n, text] of texts.entries()) {
        const shown = await show(resource, String(n * 3 + 1))
        expect(shown[field], JSON.stringify(text)).toEqual(wrap(expected(text)))
        expect(log.find(({ id }) => id === shown.id)?.record).toEqual(shown)
      }
    }
    await put(accounts, 'accountName', (text) => text)
    await put(accounts, 'remoteFields', (text) => ({ [`key ${text}`]: [text, { text }] }))
    await put(products, 'tags', (text) => [text, 'plain', text])
    await put(orders, 'customer', (text) => ({
      customerId: null,
      firstName: text,
      lastName: null,
      email: null,
      phone: null,
    }))
  })

  test('do not keep a record from being found by the id that the app gave it', async () => {
    const remoteId = 'a\0b'
    const id = recordId(CREDENTIAL, accounts.topic, remoteId)
    await apply([{ ...sampleRecord(CREDENTIAL, accounts, 1), id, remoteId }])
    expect(await show(accounts, id)).toMatchObject({ id, remoteId: 'a\ufffdb' })
  })
})

describe('what is rolled back', () => {
  test('leaves neither record nor change', async () => {
    await apply([sampleRecord(CREDENTIAL, accounts, 1)])
    const before = await readRow(accounts, recordId(CREDENTIAL, accounts.topic, '1'))
    await takeLog()
    const fail = service.database.prisma.$transaction(async (transaction) => {
      const changed = { ...sampleRecord(CREDENTIAL, accounts, 1), website: 'rolled back' }
      expect(await applyIn(transaction, [changed, sampleRecord(CREDENTIAL, accounts, 2)])).toEqual({
        created: 1,
        updated: 1,
        deleted: 0,
      })
      throw new Error('after all')
    })
    await expect(fail).rejects.toThrow('after all')
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '2')).toBe(undefined)
    expect(await readRow(accounts, recordId(CREDENTIAL, accounts.topic, '1'))).toEqual(before)
  })

  test('because the connection broke, too', async () => {
    const killer = new pg.Client({ connectionString: service.url })
    await killer.connect()
    const fail = service.database.prisma.$transaction(async (transaction) => {
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 1)])
      const [own] = await transaction.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
      await killer.query('SELECT pg_terminate_backend($1)', [own?.pid])
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 2)])
    })
    await expect(fail).rejects.toThrow()
    await killer.end()
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '1')).toBe(undefined)
  })
})
