/** `trunkline migrate`: migrates the database before the processes of a new version start. */

import { silentLog } from '../log.ts'
import type { Config } from '../process/config.ts'
import { applyMigrations } from '../store/database/migrate.ts'
import { withDatabaseUrl } from './database.ts'
import { UsageError } from './usage-error.ts'

const print = (fields: object, message: string): void =>
  console.log(`${message}: ${JSON.stringify(fields)}`)

/** @throws UsageError, Error, MigrationError */
export const runMigrateCommand = async (config: Config, rest: readonly string[]): Promise<void> => {
  if (rest.length > 0) throw new UsageError('migrate: expected no further arguments.')
  await withDatabaseUrl(config, async (url) => {
    const { applied } = await applyMigrations(url, {
      log: { ...silentLog, info: print, warn: print },
    })
    console.log(`${applied.length} migrations were applied. The database is up to date.`)
  })
}
