/** The database for a command: it is the service's own, whether the service runs or not. */
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { joinEmbeddedDatabase } from '../store/embedded.ts'
import { applyMigrations } from '../store/migrate.ts'

const quiet = { debug: () => {}, info: () => {}, warn: (message: string) => console.error(message) }

/** Runs a command on DATABASE_URL, or on the embedded database. */
export const withDatabase = async (
  { databaseUrl, dataDir }: Config,
  run: (database: Database) => Promise<void>,
): Promise<void> => {
  const embedded =
    databaseUrl === undefined ? await joinEmbeddedDatabase({ dataDir, log: quiet }) : undefined
  try {
    const url = embedded?.url ?? databaseUrl ?? ''
    // As every start does: a command may be the first to come upon an older schema, or none.
    await applyMigrations(url)
    const database = openDatabase({ url, maxConnections: 2 })
    try {
      await run(database)
    } finally {
      await database.stop()
    }
  } finally {
    await embedded?.stop()
  }
}
