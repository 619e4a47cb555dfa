import { randomBytes } from 'node:crypto'
import { existsSync, type StatsFs } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { silentLog } from '../../src/log.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { onDatabase, type TestDatabases } from './database.ts'

const MEMORY = '/dev/shm'
const FOLDER_PREFIX = 'trunkline-tests-'
const NEEDED_BYTES = 2 * 1024 ** 3

/** What every test file shares: a folder for temporary files, a cache of compiled code, and a PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The tests start a hundred processes, which load the same modules.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  const removeFolder = await moveTemporaryFiles()
  try {
    const stopDatabases = await provideDatabases(project)
    return async () => {
      await stopDatabases()
      await removeFolder()
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/**
 * Puts temporary files in memory if there is room: ext4 takes a millisecond for each new file while it has
 * many that were just deleted, and a database is 300 files. @returns removes them
 */
async function moveTemporaryFiles(): Promise<() => Promise<void>> {
  const { bavail = 0, bsize = 0 } = await statfs(MEMORY).catch(() => ({}) as Partial<StatsFs>)
  if (bavail * bsize < NEEDED_BYTES) return async () => {}
  await removeLeftovers()
  const folder = await mkdtemp(join(MEMORY, `${FOLDER_PREFIX}${process.pid}-`))
  // PostgreSQL has another user if this process is root.
  await chmod(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** Frees the memory of runs that were killed. A PostgreSQL that still runs there ends when its files are gone. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    const pid =
      name.startsWith(FOLDER_PREFIX) && Number.parseInt(name.slice(FOLDER_PREFIX.length), 10)
    if (pid && !existsSync(`/proc/${pid}`))
      // It may be another user's.
      await rm(join(MEMORY, name), { recursive: true, force: true }).catch(() => {})
  }
}

/**
 * One PostgreSQL for the whole run: the server of `DATABASE_URL`, or an embedded one that is removed
 * afterwards. It holds a migrated template, which is copied for each test file.
 */
async function provideDatabases(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  // Keeps runs apart that share a server, whether concurrent or left over from a killed run.
  const prefix = `trunkline_test_${randomBytes(4).toString('hex')}_`
  const teardown = async () => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`)
    await client.end()
    await server.stop()
  }
  try {
    const template = `${prefix}template`
    await client.query(`CREATE DATABASE "${template}" TEMPLATE template0 ENCODING 'UTF8'`)
    await applyMigrations(onDatabase(server.url, template))
    // A database with an open session cannot be copied, even if the session is the autovacuum's.
    await client.query(`ALTER DATABASE "${template}" ALLOW_CONNECTIONS false`)
    const databases: TestDatabases = { serverUrl: server.url, template, prefix }
    project.provide('testDatabases', databases)
    return teardown
  } catch (error) {
    await teardown()
    throw error
  }
}

async function findServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const input = process.env.DATABASE_URL
  if (input) return { url: input, stop: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-test-'))
  const warnUnlessTerminated = (_fields: object, message: string) => {
    // Databases are dropped while tests still hold connections to them.
    if (!message.includes('terminating connection')) console.warn(message)
  }
  const log = { ...silentLog, warn: warnUnlessTerminated }
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log })
  return {
    url,
    async stop() {
      await stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
