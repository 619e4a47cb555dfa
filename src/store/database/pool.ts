/** Connection pools to PostgreSQL. Every pool of the service is created here. */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** Time limits of a pool that serves requests. */
export interface StatementLimits {
  /** Time to wait for a connection. */
  readonly connectionMs: number
  /** Time for one statement. PostgreSQL then cancels it; if PostgreSQL does not respond, the connection is closed. */
  readonly statementMs: number
}

export interface PoolOptions {
  readonly url: string
  /** Default: 10. */
  readonly maxConnections?: number | undefined
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string
  /** Default: statements have no time limit. */
  readonly limits?: StatementLimits | undefined
  /** Receives the error of each broken connection; the pool replaces the connection. */
  readonly onConnectionError?: ((error: Error) => void) | undefined
  /** Receives the SQLSTATE of each error that PostgreSQL reports, whether or not a caller handles it. */
  readonly onSqlState?: ((sqlState: string) => void) | undefined
}

/** A pool and its `close` function. */
export interface OpenPool {
  readonly pool: pg.Pool
  /** Closes every connection and resolves when the sockets are closed. Can be called again. */
  close(): Promise<void>
}

/** Time to wait for a connection if no limit is set, and for Prisma to start a transaction. */
export const CONNECTION_WAIT_MS = 10_000
const DEFAULT_CONNECTIONS = 10

// Time after PostgreSQL's own limit at which an unresponsive connection is closed.
const SILENCE_MS = 2_000

// Time limit for closing a connection; after that the server has to close it.
const CLOSING_MS = 5000

/** Creates a pool. It connects on the first statement. */
export const openPool = (options: PoolOptions): OpenPool => {
  const { url, maxConnections = DEFAULT_CONNECTIONS, applicationName, limits } = options
  const { onConnectionError = () => {}, onSqlState = () => {} } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    ...(applicationName && { application_name: applicationName }),
    // Also limits a connection attempt without a response.
    connectionTimeoutMillis: limits?.connectionMs ?? CONNECTION_WAIT_MS,
    ...(limits && {
      statement_timeout: limits.statementMs,
      query_timeout: limits.statementMs + SILENCE_MS,
    }),
    // Times are read and written as UTC, whatever the server's time zone. Records are found by their credential's
    // indexes, mostly in memory: with PostgreSQL's default, it reads whole tables to save a few random pages.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c random_page_cost=1.1',
  })
  // The error listener of each connection below already reports the error.
  pool.on('error', () => {})
  // `pool.end()` resolves before the sockets are closed.
  const closings = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    // pg-pool removes its error listener when it checks out a client, and the caller may add its own only a
    // microtask later. Without this listener, an error in between would end the process.
    client.on('error', onConnectionError)
    client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code !== undefined) onSqlState(code)
    })
    const closing = new Promise<void>((resolve) => void client.once('end', resolve))
    closings.add(closing)
    void closing.then(() => closings.delete(closing))
  })
  let ended: Promise<void> | undefined
  return {
    pool,
    close: async () => {
      ended ??= pool.end()
      await ended
      await Promise.race([Promise.all(closings), wait(CLOSING_MS, undefined, { ref: false })])
    },
  }
}
