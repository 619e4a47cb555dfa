/** Retention of the change log: it drops whole partitions and reports what it dropped. */
import { describe, expect, test } from 'vitest'
import { createRetention } from '../../src/delivery/retention.ts'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { dropOldestPartition, makePartitions } from '../../src/store/changes/change-partitions.ts'
import { readChanges } from '../../src/store/changes/changes.ts'
import { expiredUntil } from '../../src/store/changes/log-start.ts'
import type { Queryable } from '../../src/store/database/database.ts'
import { type Partitions, retryWhileBusy } from '../support/log-partitions.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { CREDENTIAL, numbersOf, saveAccount, sharePartitions } from './partitions-harness.ts'

const DAYS = 30
const START: ChangePosition = { epoch: 0n, xid: 0n, sequence: 0n }

let service: TestService
let tenant: Tenant
let partitions: Partitions

sharePartitions((opened) => {
  service = opened.service
  tenant = opened.tenant
  partitions = opened.partitions
})

const save = (n: number): Promise<void> => saveAccount({ service, tenant }, n)

const readChangesAfter = (after: ChangePosition | undefined, limit = 1000) =>
  readChanges(service.database, { after, limit })

const drop = () => retryWhileBusy(() => dropOldestPartition(service.database, DAYS))

/** Writes a change to a partition that is then closed, and a second change to the next. */
const writeAcross = async (): Promise<void> => {
  await partitions.reset(1, 50)
  await save(1)
  const first = (await partitions.list())[1]
  await partitions.waitUntilPassed(first?.upper ?? 0n)
  await partitions.makePartitions(1, 100_000)
  await save(2)
  await untilLogReadable(service)
  // The original partition has no row.
  expect(await drop()).toBe('done')
}

describe('a partition', () => {
  test('without rows from an earlier epoch is dropped, whatever precedes it', async () => {
    await partitions.reset(7, 100_000)
    await save(1)
    await partitions.simulateRestore()
    await save(2)
    await retryWhileBusy(() => makePartitions(service.database, DAYS))
    await untilLogReadable(service)
    while ((await drop()) === 'done');
    const list = await partitions.list()
    // The partitions of the two changes, and those ahead now.
    expect(list.filter(({ rows }) => rows > 0)).toHaveLength(2)
    expect(list.filter(({ rows }) => rows === 0)).toHaveLength(8)
    expect(numbersOf((await readChangesAfter(START)).changes)).toEqual([1, 2])
  })

  test('is dropped when all its changes are expired, and reads report it', async () => {
    await writeAcross()
    const { changes, truncated } = await readChangesAfter(START)
    expect([numbersOf(changes), truncated]).toEqual([[1, 2], false])
    expect(await drop()).toBe('unneeded')
    await partitions.ageRows(DAYS + 1, `record->>'remoteId' = '1'`)
    const [aged] = (await readChangesAfter(undefined, 1)).changes
    const before = await partitions.list()
    expect(await drop()).toBe('done')
    expect(await drop()).toBe('unneeded')
    expect(await partitions.list()).toEqual(before.slice(1))
    const behind = await readChangesAfter(START)
    expect([numbersOf(behind.changes), behind.truncated]).toEqual([[2], true])
    expect((await readChangesAfter(changes[0]?.position)).truncated).toBe(false)
    expect(await expiredUntil(service.database)).toEqual(aged?.at)
    const cursor = Buffer.from('1.0.0.0').toString('base64url')
    const expired = await service.rest(tenant.key, `/changes?after=${cursor}`)
    expect([expired.statusCode, expired.json().error.code]).toEqual([410, 'CURSOR_EXPIRED'])
    const history = `/history?credentialId=${CREDENTIAL}&topic=crm/accounts&recordId=1`
    expect((await service.rest(tenant.key, history)).json().changes).toEqual([])
  })

  test('is kept for a single change that is not expired', async () => {
    await partitions.reset(1, 200)
    for (const n of [1, 2, 3]) await save(n)
    await partitions.waitUntilPassed((await partitions.list())[1]?.upper ?? 0n)
    await untilLogReadable(service)
    expect(await drop()).toBe('done')
    for (const kept of [3, 1]) {
      await partitions.ageRows(
        2 * DAYS,
        `record->>'remoteId' <> '${kept}' AND at > now() - interval '1 day'`,
      )
      await service.database.prisma.$executeRaw`
        UPDATE change_log.changes SET at = now() WHERE record->>'remoteId' = ${String(kept)}`
      expect(await drop(), String(kept)).toBe('unneeded')
    }
    expect(numbersOf((await readChangesAfter(START)).changes)).toEqual([1, 2, 3])
  })

  test('is kept while a transaction that may still write to it runs', async () => {
    await partitions.reset(1, 50)
    const transactionStarted = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const openTransaction = service.database.transaction(
      async (open) => {
        // The transaction has an id and has written to another table.
        await open.prisma.$executeRaw`SELECT pg_current_xact_id()`
        transactionStarted.resolve()
        await release.promise
        await open.prisma.$executeRaw`
          INSERT INTO change_log.changes (environment_id, topic, kind)
          VALUES (${tenant.environmentId}::uuid, 'crm/leads', 'created')`
      },
      { timeoutMs: 60_000, maxWaitMs: 20_000 },
    )
    await transactionStarted.promise
    await partitions.consumeIds(60)
    const [first, over] = await partitions.list()
    while ((await drop()) === 'done');
    const kept = await partitions.list()
    expect(kept.map(({ name }) => name)).toContain(over?.name)
    release.resolve()
    await openTransaction
    await untilLogReadable(service)
    const { changes, truncated } = await readChangesAfter(START)
    expect([changes.map(({ topic }) => topic), truncated]).toEqual([['crm/leads'], false])
    expect(first?.rows).toBe(0)
  })

  test('of an earlier epoch is dropped, including those created ahead in it', async () => {
    await partitions.reset(3, 100_000)
    await save(1)
    await partitions.ageRows(DAYS + 1)
    await partitions.simulateRestore()
    await save(2)
    expect(await retryWhileBusy(() => makePartitions(service.database, DAYS))).toBe('done')
    await untilLogReadable(service)
    while ((await drop()) === 'done');
    const list = await partitions.list()
    // The tail got an upper bound, and seven partitions and the tail follow.
    expect(list).toHaveLength(9)
    expect(list[0]?.rows).toBe(1)
    const { changes, truncated } = await readChangesAfter(START)
    expect([numbersOf(changes), truncated]).toEqual([[2], true])
  })

  test('is dropped once, however many processes try', async () => {
    await writeAcross()
    await partitions.ageRows(DAYS + 1)
    const before = await partitions.list()
    const others = Array.from({ length: 4 }, () => dropOldestPartition(service.database, DAYS))
    const outcomes = await Promise.all(others)
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeLessThanOrEqual(1)
    while ((await drop()) === 'done');
    expect(await partitions.list()).toEqual(before.slice(1))
  })

  test.each([[[2]], [[]]])(
    'that is dropped before its rows are read is reported as dropped, with %j left',
    async (left) => {
      const { prisma } = service.database
      await writeAcross()
      await prisma.$executeRaw`
        DELETE FROM change_log.changes
        WHERE (record->>'remoteId')::integer <> ALL(${[1, ...left]}::integer[])`
      await partitions.ageRows(DAYS + 1, `record->>'remoteId' = '1'`)
      let statements = 0
      const database: Queryable = {
        prisma,
        queryRows: async (statement) => {
          statements += 1
          if (statements === 2) expect(await drop()).toBe('done')
          return prisma.$queryRaw(statement)
        },
      }
      const page = await readChanges(database, { after: START, limit: 9 })
      expect([numbersOf(page.changes), page.truncated]).toEqual([left, true])
    },
  )
})

describe('the retention actor', () => {
  /** Runs it until the condition holds. */
  const runRetentionUntil = async (until: () => Promise<boolean>): Promise<void> => {
    const warnings: object[] = []
    const log = { warn: (facts: object) => void warnings.push(facts) }
    const retention = createRetention({ database: service.database, days: DAYS, log, tickMs: 20 })
    retention.start()
    await expect.poll(until, { timeout: 60_000 }).toBe(true)
    await retention.stop()
    expect(warnings).toEqual([])
  }

  test('creates partitions and drops expired ones', async () => {
    await writeAcross()
    await partitions.ageRows(DAYS + 1, `record->>'remoteId' = '1'`)
    await runRetentionUntil(
      async () => (await readChangesAfter(START)).truncated && (await partitions.list()).length > 7,
    )
    expect(numbersOf((await readChangesAfter(START)).changes)).toEqual([2])
  })

  test('deletes single rows only in a partition that spans too long', async () => {
    await partitions.reset(7, 1_000_000)
    for (const n of [1, 2, 3]) await save(n)
    await untilLogReadable(service)
    await partitions.ageRows(DAYS + 1, `record->>'remoteId' <> '3'`)
    const countRows = async (): Promise<number> =>
      (await partitions.list()).reduce((sum, partition) => sum + partition.rows, 0)
    service.takeStatements()
    let looked = 0
    await runRetentionUntil(async () => {
      looked += service.takeStatements().filter((sql) => sql.includes('AS "isOlder"')).length
      return looked > 1
    })
    // A one-day partition is dropped before its first change is that old.
    expect(await countRows()).toBe(3)
    await partitions.ageRows(1, `record->>'remoteId' = '1'`)
    await runRetentionUntil(async () => (await countRows()) === 1)
    const { changes, truncated } = await readChangesAfter(START)
    expect([numbersOf(changes), truncated]).toEqual([[3], true])
  })
})
