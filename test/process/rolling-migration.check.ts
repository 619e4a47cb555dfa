/** A new version migrates while the old one serves: no request waits longer than one lock attempt. */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { openServices, type Services } from './service-process.ts'

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
const TABLE = '29990101000000_new_column'
const INDEX = '29990101000001_new_index'
// Without the lock timeout this took 30 s and more; one lock attempt takes 2 s.
const LONGEST_MS = 15_000
const READERS = 4

let database: TestDatabase
let services: Services
let folder: string
beforeAll(async () => {
  database = await createEmptyDatabase()
  services = await openServices(database.url)
  folder = await mkdtemp(join(tmpdir(), 'trunkline-migrations-'))
  await cp(MIGRATIONS, folder, { recursive: true })
  const add = async (name: string, sql: string) => {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'migration.sql'), sql)
  }
  await add(TABLE, 'ALTER TABLE "crm_contacts" ADD COLUMN "next_version" TEXT;')
  await add(
    INDEX,
    'CREATE INDEX CONCURRENTLY "crm_contacts_next_version" ON "crm_contacts"("next_version");',
  )
})
afterAll(async () => {
  await services.close()
  await rm(folder, { recursive: true })
  await database.drop()
})

test('requests of the old version continue while a reader blocks the lock of the new one', async () => {
  const { address } = await services.start('all')
  const { data: users } = await services.call(address, '/2024-03/one/users')
  const { data: credentials } = await services.call(
    address,
    `/2024-03/users/${users[0].userId}/credentials`,
  )
  const path = `/2024-03/one/crm/contacts?credentialId=${credentials[0].credentialId}`
  const reader = new Client({ connectionString: database.url, application_name: 'a report' })
  reader.on('error', () => {}) // where the test fails before its end
  await reader.connect()
  await reader.query('BEGIN; SELECT FROM crm_contacts')

  let isOver = false
  let answered = 0
  let longestMs = 0
  const load = async (request: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      const startedMs = performance.now()
      await request()
      longestMs = Math.max(longestMs, performance.now() - startedMs)
      answered += 1
    }
  }
  const read = () => services.call(address, path)
  const write = () => services.call(address, path, { lastName: 'Noether' })
  const loads = Promise.all([...Array.from({ length: READERS }, () => load(read)), load(write)])
  loads.catch(() => {})

  const refusals: number[] = []
  const log = { ...silentLog, warn: () => void refusals.push(answered) }
  const migrating = applyMigrations(database.url, { migrationsFolder: folder, log })
  migrating.catch(() => {})
  const reach = (count: () => number, least: number) =>
    Promise.race([
      expect.poll(count, { timeout: 90_000, interval: 20 }).toBeGreaterThanOrEqual(least),
      loads,
    ])
  // Between attempts, the waiting requests and further ones are answered.
  await reach(() => refusals.length, 3)
  expect((refusals[2] ?? 0) - (refusals[0] ?? 0)).toBeGreaterThan(READERS)
  await reader.end()
  expect(await migrating).toEqual({ applied: [TABLE, INDEX] })
  // The old version serves on the new schema.
  const before = answered
  await reach(() => answered - before, 50)
  isOver = true
  await loads
  expect(longestMs).toBeLessThan(LONGEST_MS)
  console.log(`${answered} requests, the longest took ${Math.round(longestMs)} ms`)
})
