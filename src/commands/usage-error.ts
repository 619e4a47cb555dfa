/** A command line that is none: it is answered with what is wrong with it and how the commands are written. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
}
