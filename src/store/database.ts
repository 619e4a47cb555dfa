/** The connection to PostgreSQL: the only place where Prisma and its pool are made. */
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '@prisma/client'
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
}

// A prepared statement costs memory in every connection of the server: past this many, none is kept.
const MAX_PREPARED_STATEMENTS = 1000

const statementNames = (): ((query: { sql: string }) => string) => {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= MAX_PREPARED_STATEMENTS) return ''
    const name = `s${names.size}`
    names.set(sql, name)
    return name
  }
}

/** Opens a pool; nothing is dialled before the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const ignore = (): void => {}
  const onError = options.onConnectionError ?? ignore
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    // Times are read as UTC, and JSON is written in UTC, whatever the server's own zone.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c jit=off',
  })
  pool.on('error', onError)
  const adapter = new PrismaPg(pool, {
    statementNameGenerator: statementNames(),
    onPoolError: onError,
    onConnectionError: onError,
  })
  const { onStatement } = options
  const prisma = onStatement
    ? new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] }).$on(
        'query',
        ({ query }) => onStatement(query),
      )
    : new PrismaClient({ adapter })
  return {
    prisma,
    url: options.url,
    stop: async () => {
      await prisma.$disconnect()
      // Prisma would end the pool too, but not wait until its connections are closed.
      await pool.end()
    },
  }
}
