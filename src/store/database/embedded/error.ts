/** Error and logger types of the embedded database. */

/** The embedded database could not be set up, started or stopped. The message contains the remedy. */
export class EmbeddedDatabaseError extends Error {
  readonly code = 'EMBEDDED_DATABASE_FAILED'
  override readonly name = 'EmbeddedDatabaseError'
}
