import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'

/** The PostgreSQL of this run, provided by the global setup: its URL, and the names of its databases. */
export type TestDatabases = {
  readonly serverUrl: string
  readonly template: string
  readonly prefix: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    testDatabases: TestDatabases
  }
}

/** A database for one test file. A database that the file does not drop is dropped at the end of the run. */
export type TestDatabase = { readonly url: string; drop(): Promise<void> }

/** Creates a database with the schema of `prisma/migrations` and no rows; takes 50 ms in memory, up to a second on a disk. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('testDatabases').template)
}

/** Creates an empty database. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const { serverUrl, prefix } = inject('testDatabases')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await run(serverUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}" ENCODING 'UTF8'`)
  return {
    url: onDatabase(serverUrl, name),
    drop: () => dropDatabase(serverUrl, name),
  }
}

/** Drops the database and ends its sessions, except the autovacuum's, which ends by itself. */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  for (;;)
    try {
      return await run(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    } catch (error) {
      const isCleaned = Object(error).code === '42501' // permission denied to terminate process
      if (!isCleaned) throw error
      await wait(100)
    }
}

/** The URL of another database on the same server, with the same role. */
export function onDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
