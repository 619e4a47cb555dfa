/** A database as an earlier version of the program left it. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from './database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** Makes a database with the migrations that came before the one of that name; the rest are the test's to apply. */
export const createDatabaseBefore = async (migration: string): Promise<TestDatabase> => {
  const names = (await readdir(MIGRATIONS)).sort()
  const end = names.findIndex((name) => name.endsWith(`_${migration}`))
  if (end < 0) throw new RangeError(`There is no migration ${migration}.`)
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
