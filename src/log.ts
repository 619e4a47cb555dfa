/** The log of the service as its parts see it; pino's logger is one. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Discards everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
