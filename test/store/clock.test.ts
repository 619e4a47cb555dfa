/** The database clock, as seen by a process whose own clock is wrong. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from '../../src/store/database/clock.ts'
import { type Database, openDatabase, readClock } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createRecordingLog } from '../sync/recording-log.ts'

const HOUR_MS = 3_600_000
const DEADLINE = { timeout: 60_000, interval: 20 }

let at: TestDatabase
let database: Database
let client: pg.Client
beforeAll(async () => {
  at = await createTestDatabase()
  database = openDatabase({ url: at.url })
})
beforeEach(async () => {
  client = new pg.Client(at.url)
  await client.connect()
})
afterEach(async () => {
  vi.useRealTimers()
  await client.end()
})
afterAll(async () => {
  await database.stop()
  await at.drop()
})

/** Makes the server of this connection report another time. */
const setDatabaseClock = async (expression: string): Promise<void> => {
  await client.query('CREATE SCHEMA IF NOT EXISTS wrong')
  await client.query(`CREATE OR REPLACE FUNCTION wrong.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql VOLATILE AS $$ SELECT ${expression} $$`)
  await client.query('SET search_path = wrong, pg_catalog')
}

/** Difference between the clock and the database's, in milliseconds. */
const measureAheadMs = async ({ nowMs }: { nowMs(): number }): Promise<number> =>
  nowMs() - (await readClock(database)).getTime()

test('throws before its first measurement', () => {
  expect(() => createClock().nowMs()).toThrow('start the PostgreSQL listener first')
})

test("shows the database's time when the host's is set, and logs each change once", async () => {
  const log = createRecordingLog()
  const clock = createClock(log)
  const pgListener = createPgListener(at.url, clock)
  await pgListener.start()
  const listWarnings = () => log.lines.filter((line) => line.startsWith('warn'))
  const listNotices = () => log.lines.filter((line) => line.startsWith('info'))
  const hostMs = Date.now()
  for (const [round, shiftMs] of [HOUR_MS, -HOUR_MS].entries()) {
    vi.useFakeTimers({ toFake: ['Date'], now: hostMs + shiftMs })
    // The clock follows immediately, not with the next measurement.
    expect(Math.abs(await measureAheadMs(clock))).toBeLessThan(60_000)
    await expect.poll(() => listWarnings().length, DEADLINE).toBe(round + 1)
    expect(listWarnings().at(-1)).toMatch(/clock differs.*hostAheadMs: -?3[56]\d{5}/s)
    vi.useRealTimers()
    await expect.poll(() => listNotices().length, DEADLINE).toBe(round + 1)
  }
  expect(listWarnings()).toHaveLength(2)
  await pgListener.stop()
  // The last measurement holds during a database outage.
  expect(Math.abs(await measureAheadMs(clock))).toBeLessThan(60_000)
})

test("follows the database's clock when it is set or the process was suspended", async () => {
  const clock = createClock()
  for (let n = 0; n < 5; n++) await clock.measure(client)
  await setDatabaseClock(`pg_catalog.clock_timestamp() + interval '1 hour'`)
  await clock.measure(client)
  expect(Math.abs((await measureAheadMs(clock)) - HOUR_MS)).toBeLessThan(60_000)
  await client.query('SET search_path = public')
  await clock.measure(client)
  expect(Math.abs(await measureAheadMs(clock))).toBeLessThan(60_000)
})

test('uses the measurement with the shortest round trip', async () => {
  const clock = createClock()
  for (let n = 0; n < 10; n++) await clock.measure(client)
  const offsetMs = (): number => clock.nowMs() - performance.now()
  const beforeMs = offsetMs()
  // The clock is read at the end of a long round trip; half of its duration is error.
  await setDatabaseClock(
    `(SELECT pg_catalog.clock_timestamp() FROM pg_sleep(1.5) AS waited LIMIT 1)`,
  )
  await clock.measure(client)
  expect(Math.abs(offsetMs() - beforeMs)).toBeLessThan(250)
})
