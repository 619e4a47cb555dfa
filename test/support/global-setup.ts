import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedDatabase } from '../../src/store/embedded.ts'
import { applyMigrations } from '../../src/store/migrate.ts'
import { onDatabase, type TestDatabases } from './database.ts'

/**
 * One PostgreSQL for the whole run: the server of `DATABASE_URL`, or an embedded one that is gone
 * afterwards. On it a migrated template, of which each test file makes its own database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  // Runs on one server, at once or after a killed one, do not meet.
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
    // A database with a session in it cannot be copied, be it the autovacuum's.
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
  const given = process.env.DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-test-'))
  const warn = (message: string) => {
    // Databases are dropped while tests still hold connections to them.
    if (!message.includes('terminating connection')) console.warn(message)
  }
  const log = { debug() {}, info() {}, warn }
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log })
  return {
    url,
    async stop() {
      await stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
