/** A database in the state of an earlier version of the program. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from './database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** Creates a database with the migrations before the named one. */
const createDatabaseBefore = async (migration: string): Promise<TestDatabase> => {
  const names = (await readdir(MIGRATIONS)).sort()
  const end = names.findIndex((name) => name.endsWith(`_${migration}`))
  if (end < 0) throw new RangeError(`Unknown migration: ${migration}.`)
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-migrations-'))
  try {
    for (const name of names.slice(0, end))
      await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true })
    const database = await createEmptyDatabase()
    await applyMigrations(database.url, { migrationsFolder: folder })
    return database
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A database, and a client that is connected to it. Disposal ends the client and drops the database. */
export interface EarlierDatabase extends AsyncDisposable {
  readonly url: string
  readonly client: Client
}

/** Creates a database with the migrations before the named one; the test applies the rest. */
export const openDatabaseBefore = async (migration: string): Promise<EarlierDatabase> => {
  const { url, drop } = await createDatabaseBefore(migration)
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    url,
    client,
    async [Symbol.asyncDispose]() {
      await client.end()
      await drop()
    },
  }
}

/** Inserts a credential of the sandbox with an organisation, an environment and an end user. All four have this id. */
export const insertCredential = async (client: Client, id: string): Promise<void> => {
  await client.query(`INSERT INTO organisations (id, name) VALUES ('${id}', '${id}')`)
  await client.query(
    `INSERT INTO environments (id, organisation_id, kind) VALUES ('${id}', '${id}', 'development')`,
  )
  await client.query(
    `INSERT INTO end_users (id, environment_id, username) VALUES ('${id}', '${id}', 'u')`,
  )
  await client.query(
    `INSERT INTO credentials (id, route, environment_id, user_id, app)
     VALUES ('${id}', '${id.slice(0, 8)}', '${id}', '${id}', 'sandbox')`,
  )
}
