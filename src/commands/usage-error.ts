/** An invalid command line. The message is printed with the usage text. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
}
