/**
 * Statements without Prisma's engine, which takes about 0.3 ms for each: for those that run hundreds of times a
 * second. They use the same connections, prepared statements, limits and traces.
 */
import type { Prisma } from '@prisma/client'
import pg from 'pg'
import { createStatementTracer } from './statement-spans.ts'

type Client = Prisma.TransactionClient
type DirectQuery = (statement: Prisma.Sql) => Promise<unknown[]>

interface DirectQueryOptions {
  readonly pool: pg.Pool
  readonly url: string
  /** Returns the name of a prepared statement; empty: it is not prepared. */
  readonly nameOf: (query: { readonly sql: string }) => string
  readonly onStatement: ((sql: string) => void) | undefined
}

const directQueries = new WeakMap<Client, DirectQuery>()

const { INT8, TIMESTAMPTZ } = pg.types.builtins

// The connections of the pool use UTC: `2026-11-23 15:04:05.678901+00`.
const parseTime = (text: string): Date => new Date(`${text.slice(0, -3).replace(' ', 'T')}Z`)

/** As Prisma returns them; the other types that the statements return are so by default. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8) return BigInt
    return oid === TIMESTAMPTZ ? parseTime : pg.types.getTypeParser(oid, format)
  },
}

/** Makes `queryRows` run the statements of a client directly. */
export const acceptDirectQueries = (
  prisma: Client,
  { pool, url, nameOf, onStatement }: DirectQueryOptions,
): void => {
  const traced = createStatementTracer(url)
  directQueries.set(prisma, ({ text, values }) => {
    onStatement?.(text)
    return traced(text, async () => {
      const { rows } = await pool.query({ name: nameOf({ sql: text }), text, values, types })
      return rows
    })
  })
}

/**
 * Returns the rows of a statement as `$queryRaw` would, for columns of the types text, uuid, boolean, integer, bigint,
 * double precision, timestamptz and text[]. The statements of a transaction run in Prisma.
 */
export const queryRows = <Row>(
  { prisma }: { readonly prisma: Client },
  statement: Prisma.Sql,
): Promise<Row[]> => {
  const query = directQueries.get(prisma)
  return query ? (query(statement) as Promise<Row[]>) : prisma.$queryRaw<Row[]>(statement)
}
