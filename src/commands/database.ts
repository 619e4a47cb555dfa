/** The database of a command: the one of the service, whether the service runs or not. */
import { type Log, silentLog } from '../log.ts'
import type { Config } from '../process/config.ts'
import { type Database, openDatabase } from '../store/database/database.ts'
import { joinEmbeddedDatabase } from '../store/database/embedded/embedded.ts'
import { applyMigrations } from '../store/database/migrate.ts'

/** Writes warnings to standard error; standard output is the result of the command. */
export const warningsOnly: Log = {
  ...silentLog,
  warn: (_fields, message) => console.error(message),
}

/** Runs a command with the URL of the database, which may not be migrated yet. */
export const withDatabaseUrl = async (
  { databaseUrl, dataDir }: Config,
  run: (url: string) => Promise<void>,
): Promise<void> => {
  const embedded =
    databaseUrl === undefined
      ? await joinEmbeddedDatabase({ dataDir, log: warningsOnly })
      : undefined
  try {
    await run(embedded?.url ?? databaseUrl ?? '')
  } finally {
    await embedded?.stop()
  }
}

/** Runs a command on the database of DATABASE_URL, or on the embedded database. */
export const withDatabase = (
  config: Config,
  run: (database: Database) => Promise<void>,
): Promise<void> =>
  withDatabaseUrl(config, async (url) => {
    // As at every start: the command may run first on an empty database or after an upgrade.
    await applyMigrations(url)
    const database = openDatabase({ url, maxConnections: 2 })
    try {
      await run(database)
    } finally {
      await database.stop()
    }
  })
