/** The change log has partitions ahead of its writers, and readers scan only the partitions that they need. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { makePartitions } from '../../src/store/changes/change-partitions.ts'
import { endOfLog, readChanges } from '../../src/store/changes/changes.ts'
import { type Partitions, retryWhileBusy } from '../support/log-partitions.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { CREDENTIAL, numbersOf, saveAccount, sharePartitions } from './partitions-harness.ts'

const DAYS = 30
const accounts = catalogue.get('crm/accounts')

let service: TestService
let tenant: Tenant
let partitions: Partitions

sharePartitions((opened) => {
  service = opened.service
  tenant = opened.tenant
  partitions = opened.partitions
})

const save = (n: number): Promise<void> => saveAccount({ service, tenant }, n)

const makeAhead = (days = DAYS) => retryWhileBusy(() => makePartitions(service.database, days))

const saveAll = async (first: number, last: number): Promise<void> => {
  for (let n = first; n <= last; n++) await save(n)
}

const numbersUpTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1)

/** The whole log, in pages. */
const readAll = async (): Promise<number[]> => {
  await untilLogReadable(service)
  const numbers: number[] = []
  let after = { epoch: 0n, xid: 0n, sequence: 0n }
  for (;;) {
    const { changes, next } = await readChanges(service.database, { after, limit: 4 })
    if (changes.length === 0) return numbers
    numbers.push(...numbersOf(changes))
    after = next
  }
}

test('a change goes to the partition of its transaction, or to the last one if none was created', async () => {
  await partitions.reset(3, 8)
  await saveAll(1, 40)
  const list = await partitions.list()
  expect(list).toHaveLength(5)
  expect(list.at(-1)).toMatchObject({ name: 'change_log.changes_tail', upper: null })
  expect(list.at(-1)?.rows).toBeGreaterThan(0)
  expect(list.slice(0, 4).some(({ rows }) => rows > 0)).toBe(true)
  expect(list.reduce((sum, { rows }) => sum + rows, 0)).toBe(40)
  expect(await readAll()).toEqual(numbersUpTo(40))
})

describe('a reader', () => {
  /** The partitions that one read locks: those in its plan. */
  const countLocked = (read: (open: Parameters<typeof readChanges>[0]) => Promise<unknown>) =>
    service.database.transaction(async (open) => {
      await read(open)
      const locks = await open.prisma.$queryRaw<{ name: string }[]>`
        SELECT DISTINCT p.name::text AS name FROM pg_locks l
        JOIN change_log.partitions p ON p.name = l.relation
        WHERE l.pid = pg_backend_pid()`
      return locks.length
    })

  beforeAll(async () => {
    await partitions.reset(20, 10)
    const begun = (await partitions.list())[1]?.lower ?? 0n
    await partitions.consumeIds(200)
    // Enough rows for the planner to choose between plans.
    await service.database.prisma.$executeRaw`
      INSERT INTO change_log.changes (epoch, xid, environment_id, credential_id, topic, kind, record_id)
      SELECT 0, (${begun}::bigint + n % 200)::text::xid8, gen_random_uuid(), gen_random_uuid(),
        'crm/accounts', 'created', gen_random_uuid()
      FROM generate_series(1, 20000) n`
    await partitions.makePartitions(30, 100_000)
    await service.database.prisma.$executeRaw`ANALYZE change_log.changes`
  })
  beforeEach(() => untilLogReadable(service))

  test('at the end of the log scans only the last partition, however often it reads', async () => {
    expect((await partitions.list()).length).toBeGreaterThan(30)
    const topics = ['crm/accounts', 'crm/leads']
    // A repeated statement may get a generic plan, which must not scan every partition.
    for (let turn = 0; turn < 12; turn++) {
      const end = await endOfLog(service.database)
      // Just before the end: at the end itself it would scan nothing.
      const after = { ...end, xid: end.xid - 1n }
      // Two partitions if one ends exactly there.
      for (const query of [{ topics }, { environmentIds: [tenant.environmentId], topics }, {}])
        expect([1, 2]).toContain(
          await countLocked((open) => readChanges(open, { after, limit: 500, ...query })),
        )
    }
  })

  test('of another epoch, or of a closed range, scans no further', async () => {
    const [first] = (await readChanges(service.database, { limit: 1 })).changes
    if (!first) throw new Error('Nothing was read.')
    const { position } = first
    const before = { ...position, sequence: position.sequence + 1n }
    const part = { after: { ...position, sequence: 0n }, before, limit: 9 }
    expect((await readChanges(service.database, part)).changes).toEqual([first])
    expect(await countLocked((open) => readChanges(open, part))).toBe(1)
    const ahead = { ...position, epoch: position.epoch + 1n }
    expect(await countLocked((open) => readChanges(open, { after: ahead, limit: 9 }))).toBe(0)
  })
})

test.each(['an environment', 'a record'])(
  'finds the changes of %s with few changes by index, from the beginning of a long log',
  async (what) => {
    const { prisma } = service.database
    await partitions.reset(2, 100_000)
    await prisma.$executeRaw`
      INSERT INTO change_log.changes (epoch, environment_id, credential_id, topic, kind, record_id)
      SELECT 0, ${randomUUID()}::uuid, ${CREDENTIAL}::uuid, 'crm/accounts', 'created',
        gen_random_uuid()
      FROM generate_series(1, 20000)`
    await save(1)
    await prisma.$executeRaw`ANALYZE change_log.changes`
    await untilLogReadable(service)
    const { id } = sampleRecord(CREDENTIAL, accounts, 1)
    const scanned = await service.database.transaction(async (open) => {
      const query =
        what === 'a record'
          ? { credentialIds: [CREDENTIAL], recordId: id }
          : { environmentIds: [tenant.environmentId] }
      expect(numbersOf((await readChanges(open, { ...query, limit: 100 })).changes)).toEqual([1])
      const [row] = await open.prisma.$queryRaw<{ rows: bigint }[]>`
        SELECT sum(pg_stat_get_xact_tuples_fetched(c.oid) + pg_stat_get_xact_tuples_returned(c.oid))
          ::bigint AS rows
        FROM pg_class c WHERE c.oid IN (SELECT name FROM change_log.partitions)`
      return Number(row?.rows)
    })
    expect(scanned).toBeLessThan(10)
  },
)

describe('partitions ahead', () => {
  test('are created when few are left, and not before', async () => {
    await partitions.reset(0, 0)
    expect(await makeAhead()).toBe('done')
    const list = await partitions.list()
    expect(await makeAhead()).toBe('unneeded')
    expect(await partitions.list()).toEqual(list)
    await save(1)
    expect((await partitions.list()).at(-1)?.rows).toBe(0)
    expect(await readAll()).toEqual([1])
  })

  test('span a day at the pace of the last ones', async () => {
    await partitions.reset(0, 0)
    await save(1)
    // About an hour with 7,000 transactions, so about 165,000 a day.
    await partitions.consumeIds(7000)
    await service.database.prisma.$executeRaw`
      UPDATE change_log.changes SET at = now() - interval '61 minutes'`
    await makeAhead()
    const sizeOf = async (): Promise<number> => {
      const last = (await partitions.list()).at(-2)
      return Number((last?.upper ?? 0n) - (last?.lower ?? 0n))
    }
    const ofADay = await sizeOf()
    expect(ofADay).toBeGreaterThan(140_000)
    await partitions.reset(0, 0)
    await save(2)
    await partitions.consumeIds(7000)
    await service.database.prisma.$executeRaw`
      UPDATE change_log.changes SET at = now() - interval '61 minutes'`
    await makeAhead(10 * DAYS)
    expect(await sizeOf()).toBeGreaterThan(9 * 140_000)
  })

  test('follow a tail that has rows: the tail keeps them and gets an upper bound', async () => {
    await partitions.reset(1, 5)
    await saveAll(1, 12)
    expect((await partitions.list()).at(-1)?.rows).toBeGreaterThan(0)
    expect(await makeAhead()).toBe('done')
    await saveAll(13, 15)
    const list = await partitions.list()
    expect(list.at(-1)).toMatchObject({ name: 'change_log.changes_tail', rows: 0 })
    // Each partition begins where the one before it ends.
    expect(list.slice(1).map(({ lower }) => lower)).toEqual(
      list.slice(0, -1).map(({ upper }) => upper),
    )
    expect(await readAll()).toEqual(numbersUpTo(15))
  })

  test('are created for the epoch after a restore, before or after its first change', async () => {
    for (const first of ['write', 'make']) {
      await partitions.reset(7, 100_000)
      await save(1)
      await partitions.simulateRestore()
      if (first === 'write') await save(2)
      expect(await makeAhead()).toBe('done')
      if (first === 'make') await save(2)
      await save(3)
      const list = await partitions.list()
      expect(list.at(-1)).toMatchObject({ name: 'change_log.changes_tail', rows: 0 })
      expect(list.filter(({ rows }) => rows > 0)).toHaveLength(first === 'write' ? 3 : 2)
      expect(await readAll(), first).toEqual([1, 2, 3])
      expect(await makeAhead()).toBe('unneeded')
      await service.database.prisma.$executeRaw`TRUNCATE crm_accounts`
    }
  })

  test('are created once, however many processes try', async () => {
    await partitions.reset(0, 0)
    await Promise.all(Array.from({ length: 4 }, () => makePartitions(service.database, DAYS)))
    await makeAhead()
    // The first partition, those ahead and the tail; a second process may have replaced the one in use.
    expect((await partitions.list()).length).toBeOneOf([9, 10])
  })
})

describe('a transaction that has written and stays open', () => {
  let other: pg.Client
  beforeEach(async () => {
    other = new pg.Client({ connectionString: service.url })
    await other.connect()
  })

  test('postpones the creation, which blocks no writer and succeeds after the transaction ends', async () => {
    await partitions.reset(0, 0)
    await other.query('BEGIN')
    await other.query(
      `INSERT INTO change_log.changes (environment_id, topic, kind) VALUES ($1, 'crm/leads', 'created')`,
      [tenant.environmentId],
    )
    const making = makePartitions(service.database, DAYS)
    // Writers behind the waiting creation get through because it gives up.
    await Promise.all([save(1), readChanges(service.database, { limit: 1 })])
    expect(await making).toBe('busy')
    await save(2)
    expect((await partitions.list()).at(-1)?.rows).toBe(2)
    await other.query('COMMIT')
    await other.end()
    expect(await makeAhead()).toBe('done')
    await untilLogReadable(service)
    const { changes } = await readChanges(service.database, { limit: 9 })
    expect(changes.map(({ topic }) => topic).sort()).toEqual([
      'crm/accounts',
      'crm/accounts',
      'crm/leads',
    ])
  })
})
