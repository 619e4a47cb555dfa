/** `trunkline copy-database`: moves an installation from the embedded PostgreSQL to a server. */
import type { Config } from '../process/config.ts'
import { copyDatabase } from '../store/database/copy-database.ts'
import { startExistingDatabase } from '../store/database/embedded/embedded.ts'
import { applyMigrations } from '../store/database/migrate.ts'
import { warningsOnly } from './database.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError, Error */
export const runCopyDatabaseCommand = async (
  { databaseUrl, dataDir }: Config,
  rest: readonly string[],
): Promise<void> => {
  if (rest.length > 0) throw new UsageError('copy-database: expected no further arguments.')
  if (databaseUrl === undefined)
    throw new UsageError('copy-database: set DATABASE_URL to an empty database on the server.')
  // Fails while the service runs, whose later writes would be missing in the copy.
  const embedded = await startExistingDatabase({ dataDir, log: warningsOnly })
  try {
    await applyMigrations(embedded.url)
    await applyMigrations(databaseUrl)
    for (const { name, rows } of await copyDatabase(embedded.url, databaseUrl))
      console.log(`${name}: ${rows} rows`)
  } finally {
    await embedded.stop()
  }
  console.log('The database is copied. Start the service with DATABASE_URL and the same keys.')
}
