/** Error and logger types of the embedded database. */

/** The embedded database could not be set up, started or stopped. The message contains the remedy. */
export class EmbeddedDatabaseError extends Error {
  readonly code = 'EMBEDDED_DATABASE_FAILED'
  override readonly name = 'EmbeddedDatabaseError'
}

/** Logger of the embedded database; compatible with pino and `console`. */
export interface DatabaseLog {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
}
