/** A database outage in the log: one line at its start and one at its end, however much fails in between. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTrunkline, type TrunklineProcess } from '../../src/main.ts'
import { readConfig } from '../../src/process/config.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { type CrashableDatabase, openCrashableDatabase } from './crashable-database.ts'
import { createDataDir, endHosts } from './hosts.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly role: string
  readonly host: string
  readonly code?: string
  readonly reason?: string
  readonly lastedMs?: number
  readonly failures?: number
}

const OUTAGE_MS = 5000
const WARN_LEVEL = 40
const key = generateApiKey('development')

let database: CrashableDatabase
let way: DatabaseProxy
let trunkline: TrunklineProcess
let logFile: string

beforeAll(async () => {
  database = await openCrashableDatabase()
  way = await openDatabaseProxy(database.url)
  logFile = join(await createDataDir(), 'log')
  const config = readConfig({
    DATABASE_URL: way.url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    TRUNKLINE_DEV_API_KEY: key,
    PORT: '0',
    LOG_FILE: logFile,
    SYNC_INTERVAL_SECONDS: '1',
  })
  trunkline = await startTrunkline(config)
})
afterAll(async () => {
  await trunkline.stop()
  await way.close()
  await database.close()
  await endHosts()
})

const get = (path: string): Promise<Response> =>
  fetch(`${trunkline.address}${path}`, { headers: { authorization: `Bearer ${key}` } })

const readLines = async (): Promise<readonly Line[]> =>
  (await readFile(logFile, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The lines that were written during `work`, up to the end of an outage that it causes. */
const linesOf = async (work: () => Promise<void>): Promise<readonly Line[]> => {
  const before = (await readLines()).length
  await work()
  const readNewLines = async () => (await readLines()).slice(before)
  await expect
    .poll(async () => (await readNewLines()).map(({ msg }) => msg), {
      timeout: 60_000,
      interval: 100,
    })
    .toContain('the database is available again')
  // A late failure, such as a statement that waited for a connection, adds no line.
  await wait(2000)
  return readNewLines()
}

const warningsIn = (lines: readonly Line[]): readonly string[] =>
  lines.filter(({ level }) => level >= WARN_LEVEL).map(({ msg }) => msg)

const BOTH = ['the database is unavailable', 'the database is available again']

test('an outage is one line at its start and one with its length at its end', async () => {
  const statuses: number[] = []
  const lines = await linesOf(async () => {
    way.cut()
    const endMs = performance.now() + OUTAGE_MS
    while (performance.now() < endMs) {
      statuses.push((await get('/2024-03/one/users')).status)
      await wait(100)
    }
    way.restore()
  })
  expect(new Set(statuses)).toEqual(new Set([503]))
  expect(warningsIn(lines)).toEqual(BOTH)
  const [begin, end] = lines.filter(({ level }) => level >= WARN_LEVEL)
  expect(begin?.reason).toMatch(/connection|reach|terminated|ECONN|EPIPE/i)
  expect(end?.lastedMs).toBeGreaterThanOrEqual(OUTAGE_MS - 100)
  expect(end?.lastedMs).toBeLessThan(OUTAGE_MS + 20_000)
  // Each failed request counts, and so does the background work.
  expect(end?.failures).toBeGreaterThan(statuses.length)
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests.filter(({ code }) => code === 'NOT_READY')).toHaveLength(statuses.length)
})

test('a crash of PostgreSQL is one line at its start and one at its end', async () => {
  expect(warningsIn(await linesOf(() => database.crash()))).toEqual(BOTH)
})

test('every line has the role and the host of the process, and first syncs are reported', async () => {
  const lines = await readLines()
  expect(new Set(lines.map(({ role }) => role))).toEqual(new Set(['all']))
  expect(lines.every(({ host }) => host !== '')).toBe(true)
  const synced = lines.filter(({ msg }) => msg === 'first sync completed')
  // 23 resources of two credentials.
  expect(synced).toHaveLength(46)
})
