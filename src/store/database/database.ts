/** The database client of the store: Prisma over a connection pool. */
import { PrismaPg } from '@prisma/adapter-pg'
import { Prisma, PrismaClient } from '@prisma/client'
import type pg from 'pg'
import { acceptLongTexts } from './long-text.ts'
import { CONNECTION_WAIT_MS, openPool, type PoolOptions, type StatementLimits } from './pool.ts'
import { createQueryRows, type QueryRows } from './query-rows.ts'
import { traceStatements } from './statement-spans.ts'

/** Runs single statements. Only the store uses `prisma`; other code passes the object to functions of the store. */
export interface Queryable {
  readonly prisma: Prisma.TransactionClient
  readonly queryRows: QueryRows
}

/** A running transaction. It commits when its work resolves, and rolls back when it rejects. */
export interface Transaction extends Queryable {
  readonly isTransaction: true
}

export interface TransactionLimits {
  /** Time to wait for a connection. */
  readonly maxWaitMs: number
  /** Time from the start to the commit. */
  readonly timeoutMs: number
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction: either all of its writes are committed or none. */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    limits?: Partial<TransactionLimits>,
  ): Promise<Result>
  readonly url: string
  /** The connections of the pool now. */
  readonly connections: PoolConnections
  stop(): Promise<void>
}

/** The number of connections of a pool, and of statements that wait for one. */
export interface PoolConnections {
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

export interface DatabaseOptions extends PoolOptions {
  /** Receives the text of every statement, for tests that count them. */
  readonly onStatement?: (sql: string) => void
  /** Receives the number of waiting statements, once each time that statements wait long for a connection. */
  readonly onPoolWait?: (waiting: number) => void
}

/** Time limits of statements that serve a request. */
const REQUEST_LIMITS: StatementLimits = { connectionMs: 5_000, statementMs: 15_000 }

const WAITING_CHECK_MS = 1_000

// A prepared statement uses memory in every connection of the server: measured, 130 bytes for each character.
// Further statements are not prepared.
const MAX_PREPARED_STATEMENTS = 1000
const MAX_PREPARED_CHARACTERS = 3_000_000

/**
 * Prefix that makes PostgreSQL create a custom plan on each execution of a statement. A generic plan would have
 * to scan every partition.
 */
export const CUSTOM_PLAN = '/* custom plan */'

// Prisma's defaults (2 s and 5 s) would abort a transaction that waits for a long page of a sync. A write that
// the app has accepted would then not be stored here.
const TRANSACTION_LIMITS: TransactionLimits = { maxWaitMs: CONNECTION_WAIT_MS, timeoutMs: 60_000 }

const toOptions = ({ maxWaitMs, timeoutMs }: TransactionLimits) => ({
  maxWait: maxWaitMs,
  timeout: timeoutMs,
})

const statementNames = (): ((query: { sql: string }) => string) => {
  const names = new Map<string, string>()
  let characters = 0
  return ({ sql }) => {
    // PostgreSQL keeps neither an unnamed statement nor its plan.
    if (sql.startsWith(CUSTOM_PLAN)) return ''
    const existing = names.get(sql)
    if (existing !== undefined) return existing
    if (names.size >= MAX_PREPARED_STATEMENTS) return ''
    if (characters + sql.length > MAX_PREPARED_CHARACTERS) return ''
    characters += sql.length
    const name = `s${names.size}`
    names.set(sql, name)
    return name
  }
}

/** Checks every second whether statements wait for a connection, and reports it after two checks in a row. */
const watchWaiting = (pool: pg.Pool, onPoolWait: (waiting: number) => void): NodeJS.Timeout => {
  let waitingChecks = 0
  const check = (): void => {
    waitingChecks = pool.waitingCount === 0 ? 0 : waitingChecks + 1
    if (waitingChecks === 2) onPoolWait(pool.waitingCount)
  }
  return setInterval(check, WAITING_CHECK_MS).unref()
}

/** Loads Prisma's compiler, which all clients of the process share and the first statement would wait for. */
export const loadCompiler = async (): Promise<void> => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({}) })
  // With this adapter, only a statement opens a connection.
  await prisma.$connect()
  await prisma.$disconnect()
}

/** Opens the database. The pool connects on the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { pool, close } = openPool(options)
  const watch = watchWaiting(pool, options.onPoolWait ?? (() => {}))
  const nameOf = statementNames()
  const plain = new PrismaPg(pool, { statementNameGenerator: nameOf })
  const adapter = traceStatements(acceptLongTexts(plain), options.url)
  const { onStatement } = options
  const settings = { adapter, transactionOptions: toOptions(TRANSACTION_LIMITS) }
  const prisma = onStatement
    ? new PrismaClient({ ...settings, log: [{ emit: 'event', level: 'query' }] }).$on(
        'query',
        ({ query }) => onStatement(query),
      )
    : new PrismaClient(settings)
  return {
    prisma,
    transaction: (work, limits) =>
      prisma.$transaction(
        (client) =>
          work({
            prisma: client,
            queryRows: (statement) => client.$queryRaw(statement),
            isTransaction: true,
          }),
        toOptions({ ...TRANSACTION_LIMITS, ...limits }),
      ),
    queryRows: createQueryRows({ pool, url: options.url, nameOf, onStatement }),
    url: options.url,
    get connections() {
      return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
    },
    stop: async () => {
      clearInterval(watch)
      await prisma.$disconnect()
      await close()
    },
  }
}

/**
 * Opens a pool of the same database for API requests, with its own connections and time limits. Without them, a
 * locked table or a hanging server would occupy every connection and block unrelated requests. Transactions
 * still use `database`: one that waits for a page of a sync, or deletes all data of a user, may take long.
 */
export const openRequestPool = (
  database: Database,
  { limits = REQUEST_LIMITS, ...options }: Omit<DatabaseOptions, 'url'> = {},
): Database => {
  let opened: Database | undefined
  // Opened by the first request: its client takes 8 MB, most of them for Prisma's description of the schema.
  const open = (): Database => {
    opened ??= openDatabase({ ...options, url: database.url, limits })
    return opened
  }
  return {
    get prisma() {
      return open().prisma
    },
    transaction: database.transaction,
    queryRows: (statement) => open().queryRows(statement),
    url: database.url,
    get connections() {
      return opened?.connections ?? { open: 0, idle: 0, waiting: 0 }
    },
    stop: async () => opened?.stop(),
  }
}

/** Reads the database's clock. All stored times use it, because the clocks of hosts differ. */
export const readClock = async ({ prisma }: Queryable): Promise<Date> => {
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  if (!row) throw new Error('The query for the time of the database returned no row.')
  return row.now
}

/** Whether a write failed because of a unique constraint. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'

/** Whether a write failed because a referenced row does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003'
