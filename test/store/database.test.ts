/** Time limits on a database that is slow, hangs or has no free connection. */
import { Prisma } from '@prisma/client'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase, openRequestPool } from '../../src/store/database/database.ts'
import { temporaryFailureOf } from '../../src/store/database/temporary-failure.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'

const ID = 'aaaaaaaa-0000-4000-8000-000000000001'

let testDatabase: TestDatabase
let locker: Client
let databaseProxy: DatabaseProxy
let pool: Database
let database: Database
let waitingCounts: number[]

beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
beforeEach(async () => {
  locker = new Client({ connectionString: testDatabase.url })
  await locker.connect()
  await locker.query('BEGIN; LOCK TABLE crm_contacts')
  waitingCounts = []
  databaseProxy = await openDatabaseProxy(testDatabase.url)
})
afterEach(async () => {
  await database.stop()
  await pool.stop()
  await databaseProxy.close()
  await locker.end()
})
afterAll(() => testDatabase.drop())

const open = (connectionMs: number, statementMs: number): void => {
  pool = openDatabase({ url: databaseProxy.url })
  database = openRequestPool(pool, {
    maxConnections: 1,
    limits: { connectionMs, statementMs },
    onPoolWait: (waiting) => void waitingCounts.push(waiting),
  })
}
const query = async () => database.prisma.$queryRaw`SELECT 1 AS one`
const queryLocked = async () => database.prisma.$queryRaw`SELECT id FROM crm_contacts`
/** Whether the query failed because the database is unavailable. */
const isAway = (query: Promise<unknown>): Promise<boolean> =>
  query.then(
    () => false,
    (error: unknown) => temporaryFailureOf(error) !== undefined,
  )

test('a statement that waits for a lock is cancelled, and its connection is free again', async () => {
  open(60_000, 100)
  const locked = isAway(queryLocked())
  expect(await query()).toEqual([{ one: 1 }])
  expect(await locked).toBe(true)
})

test('a statement without the engine of Prisma has the same limits and results', async () => {
  open(60_000, 100)
  const locked = isAway(database.queryRows(Prisma.sql`SELECT id FROM crm_contacts`))
  const types = Prisma.sql`SELECT 'a' AS text, ${ID}::uuid AS id, true AS boolean, 1 AS integer,
    ${2n ** 53n + 1n}::bigint AS bigint, 0.5::double precision AS double, NULL::bigint AS nothing,
    ARRAY['a', 'b "c", d'] AS texts, ${['x', 'y']}::text[] AS parameters,
    '2026-11-23 15:04:05.069999+01'::timestamptz AS at`
  const direct = await database.queryRows(types)
  expect(direct).toEqual(await database.prisma.$queryRaw(types))
  expect(direct).toMatchObject([
    { bigint: 2n ** 53n + 1n, at: new Date('2026-11-23T14:04:05.069Z') },
  ])
  expect(await locked).toBe(true)
})

test('a transaction that waits for a lock may take longer', async () => {
  open(60_000, 100)
  const inTransaction = database.transaction(
    (transaction) => transaction.prisma.$queryRaw`SELECT id FROM crm_contacts`,
  )
  inTransaction.catch(() => {})
  // Longer than the statement limit.
  expect(await isAway(queryLocked())).toBe(true)
  await locker.query('ROLLBACK')
  expect(await inTransaction).toEqual([])
})

test('a query without a free connection in time fails as unavailable', async () => {
  open(100, 60_000)
  const locked = queryLocked()
  expect(await isAway(query())).toBe(true)
  await locker.query('ROLLBACK')
  await locked
  expect(await query()).toEqual([{ one: 1 }])
})

test('a database that stops responding is disconnected and dialled again', async () => {
  open(60_000, 100)
  await query()
  databaseProxy.silence()
  expect(await isAway(query())).toBe(true)
  expect(await query()).toEqual([{ one: 1 }])
})

test('a wait for a connection is reported once', async () => {
  open(60_000, 60_000)
  const all = [queryLocked(), query(), query()]
  await expect.poll(() => waitingCounts, { timeout: 30_000 }).toEqual([2])
  await locker.query('ROLLBACK')
  await Promise.all(all)
  expect(waitingCounts).toEqual([2])
})
