/** Errors of migrations. */

/** Why the database could not be migrated. */
export type MigrationErrorCode =
  | 'MIGRATION_FAILED' // its SQL failed and was rolled back
  | 'MIGRATION_BLOCKED' // other transactions held its tables during all attempts
  | 'MIGRATION_UNFINISHED' // an earlier run by Prisma failed in the middle of it
  | 'MIGRATION_CHANGED' // its file differs from the one that was applied
  | 'MIGRATION_MISSING' // it is applied, but its file is missing
  | 'MIGRATION_INVALID' // its file cannot be applied

/** A migration that cannot be applied, or an applied one that does not match its file. */
export class MigrationError extends Error {
  readonly code: MigrationErrorCode
  readonly migration: string
  override readonly name = 'MigrationError'

  constructor(code: MigrationErrorCode, migration: string, explanation: string, cause?: unknown) {
    super(`The migration ${migration} ${explanation}`, { cause })
    this.code = code
    this.migration = migration
  }
}
