/** The connection to PostgreSQL: the only place where Prisma and its pool are made. */
import { setTimeout as wait } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { Prisma, PrismaClient } from '@prisma/client'
import pg from 'pg'

export type Transaction = Prisma.TransactionClient

export interface Database {
  readonly prisma: PrismaClient
  readonly url: string
  stop(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  readonly maxConnections?: number
  /** Sees the text of every statement; for tests that count them. */
  readonly onStatement?: (sql: string) => void
  /** Sees connections that break; the pool replaces them. */
  readonly onConnectionError?: (error: Error) => void
  /** Unless given, a statement takes the time it takes. */
  readonly limits?: StatementLimits
  /** Told once when statements begin to wait long for a connection, and how many do. */
  readonly onCrowded?: (waiting: number) => void
}

export interface StatementLimits {
  /** Waiting for a connection. */
  readonly connectionMs: number
  /** For its answer; PostgreSQL ends it then, and if nothing is heard of that either, so does the connection. */
  readonly statementMs: number
}

/** For what a caller waits for. */
const ANSWER_LIMITS: StatementLimits = { connectionMs: 5_000, statementMs: 15_000 }

// How much later than PostgreSQL's own word a statement is given up.
const SILENCE_MS = 2_000
const CROWDED_MS = 1_000

// A connection that does not close by then is left to the server.
const CLOSING_MS = 5000

// A prepared statement costs memory in every connection of the server: past this many, none is kept.
const MAX_PREPARED_STATEMENTS = 1000

/**
 * Begins the text of a statement that PostgreSQL is to plan for its values, each time: where a plan for any
 * values would have to look into every partition.
 */
export const PLANNED_ANEW = '/* planned anew */'

// Prisma's own limits, 2 s and 5 s, end what waits its turn behind a long page of a sync: a write that the app
// has taken would not be written down here.
const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 60_000 }

const statementNames = (): ((query: { sql: string }) => string) => {
  const names = new Map<string, string>()
  return ({ sql }) => {
    // Without a name it is not kept, nor is its plan.
    if (sql.startsWith(PLANNED_ANEW)) return ''
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= MAX_PREPARED_STATEMENTS) return ''
    const name = `s${names.size}`
    names.set(sql, name)
    return name
  }
}

/** Looks now and then whether statements wait for a connection, at two looks in a row. */
const watchWaiting = (pool: pg.Pool, onCrowded: (waiting: number) => void): NodeJS.Timeout => {
  let looks = 0
  const look = (): void => {
    looks = pool.waitingCount === 0 ? 0 : looks + 1
    if (looks === 2) onCrowded(pool.waitingCount)
  }
  return setInterval(look, CROWDED_MS).unref()
}

/** Opens a pool; nothing is dialled before the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const ignore = (): void => {}
  const onError = options.onConnectionError ?? ignore
  const { limits } = options
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    // Also for what is dialled and does not answer.
    connectionTimeoutMillis: limits?.connectionMs ?? TRANSACTION_LIMITS.maxWait,
    ...(limits && {
      statement_timeout: limits.statementMs,
      query_timeout: limits.statementMs + SILENCE_MS,
    }),
    // Times are read as UTC, and JSON is written in UTC, whatever the server's own zone.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c jit=off',
  })
  pool.on('error', onError)
  // The pool ends once it has said so to its connections; they close a moment later.
  const closings = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    const closing = new Promise<void>((resolve) => void client.once('end', resolve))
    closings.add(closing)
    void closing.then(() => closings.delete(closing))
  })
  const watch = watchWaiting(pool, options.onCrowded ?? ignore)
  const adapter = new PrismaPg(pool, {
    statementNameGenerator: statementNames(),
    onPoolError: onError,
    onConnectionError: onError,
  })
  const { onStatement } = options
  const settings = { adapter, transactionOptions: TRANSACTION_LIMITS }
  const prisma = onStatement
    ? new PrismaClient({ ...settings, log: [{ emit: 'event', level: 'query' }] }).$on(
        'query',
        ({ query }) => onStatement(query),
      )
    : new PrismaClient(settings)
  return {
    prisma,
    url: options.url,
    stop: async () => {
      clearInterval(watch)
      await prisma.$disconnect()
      await pool.end()
      await Promise.race([Promise.all(closings), wait(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

/**
 * The same database for those who are waited for. A table that is locked or a server that hangs would take
 * every connection, and hold up all that has nothing to do with it: so statements have connections of their
 * own here, and limits. Transactions are those of `database`: one that waits for a page of a sync, or takes
 * away all that a user had, is long by right.
 */
export const openAnswers = (
  database: Database,
  { limits = ANSWER_LIMITS, ...options }: Omit<DatabaseOptions, 'url'> = {},
): Database => {
  const { prisma, stop } = openDatabase({ ...options, url: database.url, limits })
  const $transaction = database.prisma.$transaction.bind(database.prisma)
  const get = (target: PrismaClient, name: string | symbol): unknown =>
    name === '$transaction' ? $transaction : Reflect.get(target, name)
  return { prisma: new Proxy(prisma, { get }), url: database.url, stop }
}

/** The time by the database's clock: what is stored is dated by it, and the clocks of hosts differ. */
export const readClock = async ({ prisma }: Database): Promise<Date> => {
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  if (!row) throw new Error('The database did not tell the time.')
  return row.now
}

/** Whether a row was refused because another has its unique value. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'

/** Whether a row was refused because one that it belongs to is not there, or no longer. */
export const isOrphaned = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003'

// pg says no more than this when a connection breaks under a statement, has broken before it, or is not to be
// had or heard of in time.
const BROKEN_CONNECTIONS: ReadonlySet<string> = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout exceeded when trying to connect',
  'Query read timeout',
])

// Prisma: P1xxx are failures to reach the database, P2024 and P2028 a connection or a transaction that it
// did not get in time. PostgreSQL: 57P01 to 57P03 are its end, a crash and its start, 57014 is a statement
// that took too long, 25P03 a transaction that did, 25006 a standby, 53300 is that it is full.
const AWAY = /^(P1\d{3}|P2024|P2028|57P0[1-3]|57014|25P03|25006|53300|ECONNREFUSED|ECONNRESET)$/

const AWAY_KINDS: ReadonlySet<unknown> = new Set(['DatabaseNotReachable', 'ConnectionClosed'])

/** What the driver met, of an error in which its adapter wrapped it, and Prisma that. */
const driverCauseOf = (error: Error): object => {
  const isOfPrisma = error instanceof Prisma.PrismaClientKnownRequestError
  const ofAdapter = isOfPrisma ? error.meta?.driverAdapterError : error
  const cause = ofAdapter instanceof Error ? ofAdapter.cause : undefined
  return typeof cause === 'object' && cause !== null ? cause : {}
}

/** Whether the database could not be reached, went away meanwhile or took too long: the same may well succeed soon. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (BROKEN_CONNECTIONS.has(error.message)) return true
  const cause = driverCauseOf(error)
  const codes = [
    'code' in error ? error.code : undefined,
    'originalCode' in cause ? cause.originalCode : undefined,
  ]
  return (
    codes.some((code) => typeof code === 'string' && AWAY.test(code)) ||
    ('kind' in cause && AWAY_KINDS.has(cause.kind))
  )
}
