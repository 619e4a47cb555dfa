/**
 * Statements without Prisma's engine, for those that run hundreds of times a second or return large texts. The engine
 * takes 0.2 to 0.5 ms for each statement and keeps its result in memory until a full garbage collection. These
 * statements use the same connections, prepared statements, limits and traces.
 */
import type { Prisma } from '@prisma/client'
import pg from 'pg'
import { createStatementTracer } from './statement-spans.ts'

/**
 * Returns the rows of a statement as `$queryRaw` would, for columns of the types text, uuid, boolean, integer, bigint,
 * double precision, timestamptz and text[].
 */
export type QueryRows = <Row>(statement: Prisma.Sql) => Promise<Row[]>

interface QueryRowsOptions {
  readonly pool: pg.Pool
  readonly url: string
  /** Returns the name of a prepared statement; empty: it is not prepared. */
  readonly nameOf: (query: { readonly sql: string }) => string
  readonly onStatement: ((sql: string) => void) | undefined
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins

// The connections of the pool use UTC: `2026-11-23 15:04:05.678901+00`.
const parseTime = (text: string): Date => new Date(`${text.slice(0, -3).replace(' ', 'T')}Z`)

/** Parses values as Prisma does. Only these two types need it; the default parsers of `pg` suit the others. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8) return BigInt
    return oid === TIMESTAMPTZ ? parseTime : pg.types.getTypeParser(oid, format)
  },
}

/** Creates the function for the statements of a pool that are not part of a transaction. */
export const createQueryRows = ({
  pool,
  url,
  nameOf,
  onStatement,
}: QueryRowsOptions): QueryRows => {
  const traced = createStatementTracer(url)
  return async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> => {
    onStatement?.(text)
    const { rows } = await traced(text, () =>
      pool.query({ name: nameOf({ sql: text }), text, values, types }),
    )
    // Safe: the caller names the columns in its statement.
    return rows as Row[]
  }
}
