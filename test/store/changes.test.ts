/** Readers of the change log miss nothing, in whatever order writers commit. */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import {
  type Change,
  endOfLog,
  pruneChanges,
  readChanges,
} from '../../src/store/changes/changes.ts'
import { appendEvent } from '../../src/store/changes/events.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { applyChanges, deleteUnseen } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
const accounts = catalogue.get('crm/accounts')
const toLine = createLineWriter(accounts)
const leads = catalogue.get('crm/leads')

let service: TestService
let tenant: Tenant
let start: ChangePosition

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
})
beforeEach(async () => {
  await service.database.prisma.$executeRaw`TRUNCATE change_log.changes, crm_accounts, crm_leads`
  start = await endOfLog(service.database)
})
afterAll(() => service.stop())

const readChangesAfter = (after: ChangePosition | undefined, limit = 1000) =>
  readChanges(service.database, { after, limit })

const save = (n: number, resource = accounts, credentialId = CREDENTIAL) =>
  service.save(tenant, credentialId, resource, [sampleRecord(credentialId, resource, n)])

/** Resolves when every committed change is readable: other tests hold transactions in the same cluster. */
const untilReadable = async (): Promise<void> => {
  const [row] = await service.database.prisma.$queryRaw<{ xid: string }[]>`
    SELECT pg_current_xact_id()::text AS xid`
  const isBehind = async () => (await endOfLog(service.database)).xid > BigInt(row?.xid ?? 0)
  await expect.poll(isBehind, { timeout: 60_000, interval: 5 }).toBe(true)
}

const remoteIdsOf = (changes: readonly Change[]): unknown[] =>
  changes.map(({ record }) => JSON.parse(record ?? '{}').remoteId)

const LIMITS = { timeoutMs: 60_000, maxWaitMs: 60_000 }

describe('a reader', () => {
  test('misses nothing and reads nothing twice while 8 writers commit out of order or roll back', async () => {
    const { prisma } = service.database
    const committed: string[] = []
    let isWriting = true
    const write = async (writer: number): Promise<void> => {
      const records = [1, 2, 3].map((n) => sampleRecord(CREDENTIAL, accounts, writer * 10 + n))
      for (let round = 0; round < 25; round++) {
        const commits = (round + writer) % 4 !== 0
        const version = `${writer}/${round}`
        const transaction = service.database.transaction(async (open) => {
          // The transaction id is assigned now, and the commit follows after a random delay.
          for (const record of records)
            await open.prisma.$executeRaw`
              INSERT INTO change_log.changes (environment_id, credential_id, topic, kind, record_id, record)
              VALUES (${tenant.environmentId}::uuid, ${CREDENTIAL}::uuid, ${accounts.topic}, 'updated',
                ${record.id}::uuid, ${JSON.stringify({ version })}::json)`
          await wait((writer * 7 + round * 13) % 23)
          if (!commits) throw new Error('rolled back')
        }, LIMITS)
        await transaction.catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
        if (commits) committed.push(...records.map(({ id }) => `${id} ${version}`))
      }
    }
    const changes: Change[] = []
    let sawLateCommit = false
    const follow = async (): Promise<void> => {
      let after = start
      for (;;) {
        const wasWriting = isWriting
        const page = await readChangesAfter(after, 7)
        changes.push(...page.changes)
        after = page.next
        const [ahead] = await prisma.$queryRaw<{ count: bigint }[]>`
          SELECT count(*) FROM change_log.changes
          WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())`
        sawLateCommit ||= Number(ahead?.count) > 0
        if (page.changes.length === 0 && !wasWriting) return
      }
    }
    const following = follow()
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
    await untilReadable()
    isWriting = false
    await following
    const seen = changes.map(
      ({ recordId, record }) => `${recordId} ${JSON.parse(record ?? '').version}`,
    )
    expect(new Set(seen).size).toBe(seen.length)
    expect([...seen].sort()).toEqual([...committed].sort())
    // The test needs at least one commit behind an open transaction.
    expect(sawLateCommit).toBe(true)
    for (const id of new Set(changes.map(({ recordId }) => recordId))) {
      const own = changes.filter(({ recordId }) => recordId === id)
      const rounds = own.map(({ record }) => Number(JSON.parse(record ?? '').version.split('/')[1]))
      expect(rounds).toEqual([...rounds].sort((a, b) => a - b))
    }
  })

  test('waits for a transaction that began before a committed one', async () => {
    const transactionStarted = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const openTransaction = service.database.transaction(async (open) => {
      await applyChanges(
        open,
        { credentialId: OTHER, environmentId: tenant.environmentId },
        accounts,
        [toLine(sampleRecord(OTHER, accounts, 1))],
        { accept: 'newer' },
      )
      transactionStarted.resolve()
      await release.promise
    }, LIMITS)
    await transactionStarted.promise
    await save(2)
    const between = await readChangesAfter(start)
    expect(between.changes).toEqual([])
    release.resolve()
    await openTransaction
    await untilReadable()
    const after = await readChangesAfter(between.next)
    expect(remoteIdsOf(after.changes)).toEqual(['1', '2'])
  })

  test('gets consecutive pages and skips changes that it did not select', async () => {
    for (let n = 1; n <= 5; n++) await save(n)
    await save(6, leads)
    await save(7, accounts, OTHER)
    await untilReadable()
    const first = await readChangesAfter(start, 3)
    const second = await readChangesAfter(first.next, 3)
    expect(remoteIdsOf([...first.changes, ...second.changes])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    const readPage = (query: object) =>
      readChanges(service.database, { after: start, limit: 9, ...query })
    expect(remoteIdsOf((await readPage({ topics: ['crm/leads'] })).changes)).toEqual(['6'])
    expect(remoteIdsOf((await readPage({ credentialIds: [OTHER] })).changes)).toEqual(['7'])
    expect((await readPage({ environmentId: OTHER })).changes).toEqual([])
    const { id: recordId } = sampleRecord(CREDENTIAL, accounts, 3)
    const history = await readPage({ credentialIds: [CREDENTIAL], recordId })
    expect(remoteIdsOf(history.changes)).toEqual(['3'])
    const none = await readPage({ topics: ['crm/tasks'] })
    await save(8)
    await untilReadable()
    expect(remoteIdsOf((await readChangesAfter(none.next)).changes)).toEqual(['8'])
  })

  test('compares transaction ids as numbers', async () => {
    const { prisma } = service.database
    await Promise.all([save(1), save(2), save(3)])
    for (const [n, xid] of [
      ['1', '9'],
      ['2', '10'],
      ['3', '100'],
    ])
      await prisma.$executeRaw`
        UPDATE change_log.changes SET xid = ${xid}::text::xid8 WHERE record->>'remoteId' = ${n}`
    const first = await readChangesAfter({ epoch: 0n, xid: 8n, sequence: 0n }, 1)
    const rest = await readChangesAfter(first.next)
    expect(remoteIdsOf([...first.changes, ...rest.changes])).toEqual(['1', '2', '3'])
  })

  test('keeps its position when the database is restored into a cluster with lower transaction ids', async () => {
    await save(1)
    await save(2)
    await untilReadable()
    const before = await readChangesAfter(start, 1)
    const { prisma } = service.database
    // As after a restore: the rows have higher transaction ids than this cluster.
    await prisma.$executeRaw`
      UPDATE change_log.changes SET xid = (xid::text::numeric + 1000000000)::text::xid8`
    await prisma.$executeRaw`UPDATE change_log.epochs SET cluster = 'another/00000001'`
    const [first] = before.changes
    if (!first) throw new Error('Nothing was read.')
    const cursor = { ...first.position, xid: first.position.xid + 1_000_000_000n }
    const restored = await readChangesAfter(cursor)
    expect(remoteIdsOf(restored.changes)).toEqual(['2'])
    await Promise.all([save(3), save(4, accounts, OTHER), save(5, leads)])
    await untilReadable()
    const after = await readChangesAfter(restored.next)
    expect(remoteIdsOf(after.changes).sort()).toEqual(['3', '4', '5'])
    expect(remoteIdsOf((await readChangesAfter(cursor)).changes)).toHaveLength(4)
    const epochs = await prisma.$queryRaw<object[]>`SELECT epoch FROM change_log.epochs`
    expect(epochs).toHaveLength(2)
  })

  test('continues after its cursor when an older dump is restored into the same cluster', async () => {
    await save(1)
    // Changes since the dump that a reader has received and the restore loses.
    const end = await endOfLog(service.database)
    const ahead = { ...end, epoch: end.epoch + 1n }
    // A restored table has the same rows and another oid.
    await service.database.transaction(async ({ prisma }) => {
      await prisma.$executeRaw`CREATE UNLOGGED TABLE restored AS TABLE change_log.running_epoch`
      await prisma.$executeRaw`DROP TABLE change_log.running_epoch`
      await prisma.$executeRaw`ALTER TABLE restored RENAME TO running_epoch`
      await prisma.$executeRaw`ALTER TABLE running_epoch SET SCHEMA change_log`
    })
    await save(2)
    await untilReadable()
    expect(remoteIdsOf((await readChangesAfter(ahead)).changes)).toEqual(['2'])
  })

  test('gets an error when retention has dropped its position', async () => {
    const { prisma } = service.database
    for (let n = 1; n <= 4; n++) await save(n)
    await untilReadable()
    await prisma.$executeRaw`
      UPDATE change_log.changes SET at = at - interval '40 days' WHERE record->>'remoteId' <> '4'`
    const [first] = (await readChangesAfter(start)).changes
    expect(await pruneChanges(service.database, 30, 2)).toBe(2)
    expect(await pruneChanges(service.database, 30, 2)).toBe(1)
    expect(await pruneChanges(service.database, 30, 2)).toBe(0)
    const behind = await readChangesAfter(first?.position)
    expect(behind.truncated).toBe(true)
    expect(remoteIdsOf(behind.changes)).toEqual(['4'])
    expect((await readChangesAfter(behind.next)).truncated).toBe(false)
  })
})

test('queries the epoch once per statement, however many rows it writes', async () => {
  const rows = Array.from({ length: 300 }, (_, n) => sampleRecord(CREDENTIAL, accounts, n))
  const counted = service.database.transaction(async (open) => {
    // The transaction is rolled back, and each call still consumes a sequence number.
    await open.prisma.$executeRaw`CREATE SEQUENCE calls`
    await open.prisma.$executeRaw`
      CREATE OR REPLACE FUNCTION change_log.current_epoch() RETURNS bigint LANGUAGE sql
      AS $$ SELECT nextval('calls') * 0 $$`
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await applyChanges(open, owner, accounts, rows.map(toLine), { accept: 'newer' })
    const [found] = await open.prisma.$queryRaw<
      { calls: bigint }[]
    >`SELECT last_value AS calls FROM calls`
    throw new Error(`${found?.calls} calls`)
  })
  await expect(counted).rejects.toThrow(/^1 calls$/)
})

describe('a notification', () => {
  let received: string[]
  let listener: pg.Client
  beforeEach(async () => {
    received = []
    listener = new pg.Client({ connectionString: service.url })
    await listener.connect()
    await listener.query('LISTEN trunkline_changes')
    listener.on('notification', ({ payload }) => received.push(payload ?? ''))
  })
  afterEach(() => listener.end())

  const countNotifications = async (): Promise<number> => {
    // Earlier notifications arrive before this response.
    await listener.query('SELECT 1')
    return received.splice(0).length
  }

  test('is sent once per transaction with changes, and not for one without', async () => {
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await service.database.transaction(async (open) => {
      for (const n of [1, 2])
        await applyChanges(open, owner, accounts, [toLine(sampleRecord(CREDENTIAL, accounts, n))], {
          accept: 'newer',
        })
      await appendEvent(open, owner, 'sync/completed', {})
    })
    expect(await countNotifications()).toBe(1)
    await save(1)
    expect(await countNotifications()).toBe(0)
    const choice = { since: 'infinity', after: null }
    const deleteAll = () =>
      service.database.transaction((open) => deleteUnseen(open, owner, accounts, choice))
    await deleteAll()
    expect(await countNotifications()).toBe(1)
    await deleteAll()
    expect(await countNotifications()).toBe(0)
    await service.database.transaction((open) => appendEvent(open, owner, 'sync/failed', {}))
    expect(await countNotifications()).toBe(1)
  })

  test('wakes a feed immediately; without one the feed wakes by its timer', async () => {
    const pgListener = createPgListener(service.url)
    const feed = createChangeSignal(pgListener)
    await pgListener.start()
    const turn = feed.next()
    await save(1)
    await turn
    feed.start()
    await feed.next()
    feed.stop()
    await pgListener.stop()
  })
})
