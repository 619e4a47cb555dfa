/** A database that is slow, hangs or is crowded: nobody waits for it without a limit. */
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Database,
  isDatabaseAway,
  openAnswers,
  openDatabase,
} from '../../src/store/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type DatabaseWay, openDatabaseWay } from '../support/database-way.ts'

let ours: TestDatabase
let locker: Client
let way: DatabaseWay
let work: Database
let database: Database
let crowds: number[]

beforeAll(async () => {
  ours = await createTestDatabase()
})
beforeEach(async () => {
  locker = new Client({ connectionString: ours.url })
  await locker.connect()
  await locker.query('BEGIN; LOCK TABLE crm_contacts')
  crowds = []
  way = await openDatabaseWay(ours.url)
})
afterEach(async () => {
  await database.stop()
  await work.stop()
  await way.close()
  await locker.end()
})
afterAll(() => ours.drop())

const open = (connectionMs: number, statementMs: number): void => {
  work = openDatabase({ url: way.url })
  database = openAnswers(work, {
    ...{ maxConnections: 1, limits: { connectionMs, statementMs } },
    onCrowded: (waiting) => void crowds.push(waiting),
  })
}
const ask = async () => database.prisma.$queryRaw`SELECT 1 AS one`
const askLocked = async () => database.prisma.$queryRaw`SELECT id FROM crm_contacts`
/** Whether what was asked came to nothing for want of the database. */
const isAway = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(() => false, isDatabaseAway)

test('a statement that waits for a lock is ended, and its connection is there for others', async () => {
  open(60_000, 100)
  const locked = isAway(askLocked())
  expect(await ask()).toEqual([{ one: 1 }])
  expect(await locked).toBe(true)
})

test('a transaction that waits for a lock takes the time it takes', async () => {
  open(60_000, 100)
  const inTransaction = database.prisma.$transaction(
    (transaction) => transaction.$queryRaw`SELECT id FROM crm_contacts`,
  )
  inTransaction.catch(() => {})
  // Longer than a statement may take.
  expect(await isAway(askLocked())).toBe(true)
  await locker.query('ROLLBACK')
  expect(await inTransaction).toEqual([])
})

test('what gets no connection in time is told that the database is away', async () => {
  open(100, 60_000)
  const locked = askLocked()
  expect(await isAway(ask())).toBe(true)
  await locker.query('ROLLBACK')
  await locked
  expect(await ask()).toEqual([{ one: 1 }])
})

test('a database that says nothing any more is given up, and dialled anew', async () => {
  open(60_000, 100)
  await ask()
  way.silence()
  expect(await isAway(ask())).toBe(true)
  expect(await ask()).toEqual([{ one: 1 }])
})

test('a wait for a connection is told once', async () => {
  open(60_000, 60_000)
  const all = [askLocked(), ask(), ask()]
  await expect.poll(() => crowds, { timeout: 30_000 }).toEqual([2])
  await locker.query('ROLLBACK')
  await Promise.all(all)
  expect(crowds).toEqual([2])
})
