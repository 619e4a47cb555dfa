/** How the embedded database says what went wrong, and what it does. */

/** The embedded database could not be set up, started or stopped; the message says what to do. */
export class EmbeddedDatabaseError extends Error {
  readonly code = 'EMBEDDED_DATABASE_FAILED'
  override readonly name = 'EmbeddedDatabaseError'
}

/** Where the embedded database writes what it has to say; a pino logger and `console` both fit. */
export interface DatabaseLog {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
}
