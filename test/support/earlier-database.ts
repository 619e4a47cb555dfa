/** A database in the state of an earlier version of the program. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from './database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** Creates a database with the migrations before the named one; the test applies the rest. */
export const createDatabaseBefore = async (migration: string): Promise<TestDatabase> => {
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
