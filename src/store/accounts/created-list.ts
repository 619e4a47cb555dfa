/** Lists in the order in which their rows were created, oldest first: pages by number, or after a cursor. */
import { Prisma } from '@prisma/client'
import { type ForwardPage, invalidCursor, type Listed } from '../../query/listed.ts'
import type { Queryable } from '../database/database.ts'

const { sql, raw, empty } = Prisma

/** A page of a list; without a size, the whole list. */
export interface NumberedPage {
  readonly size: number | undefined
  /** Starts at 1. */
  readonly number: number
}

/** The whole list as one page. */
export const ALL: NumberedPage = { size: undefined, number: 1 }

/** A list of rows with a unique id and the time of their creation. */
export interface CreatedList<Row, Entry> {
  /** The alias of the rows in the other members. */
  readonly alias: string
  readonly columns: Prisma.Sql
  /** The tables, without FROM. */
  readonly from: Prisma.Sql
  readonly where: Prisma.Sql
  toEntry(row: Row): Entry
}

const orderOf = (alias: string): Prisma.Sql => raw(`ORDER BY ${alias}.created_at, ${alias}.id`)

/** Reads a page by its number. One statement. */
export const readNumbered = async <Row, Entry>(
  { prisma }: Queryable,
  { alias, columns, from, where, toEntry }: CreatedList<Row, Entry>,
  { size, number }: NumberedPage,
): Promise<Entry[]> => {
  const limit = size === undefined ? empty : sql`LIMIT ${size} OFFSET ${size * (number - 1)}`
  const rows = await prisma.$queryRaw<Row[]>(
    sql`SELECT ${columns} FROM ${from} WHERE ${where} ${orderOf(alias)} ${limit}`,
  )
  return rows.map(toEntry)
}

/** Counts the rows of a list. One statement. */
const countRows = async (
  { prisma }: Queryable,
  { from, where }: Pick<CreatedList<never, unknown>, 'from' | 'where'>,
): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ count: number }[]>(
    sql`SELECT count(*)::integer AS count FROM ${from} WHERE ${where}`,
  )
  return row?.count ?? 0
}

const PLACE = /^c(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** SQL for the place of a row in its list: microseconds since 1970, and its id. */
const placeSql = (alias: string): Prisma.Sql =>
  raw(`(extract(epoch FROM ${alias}.created_at) * 1000000)::bigint || '.' || ${alias}.id`)

const encode = (place: string): string => Buffer.from(`c${place}`).toString('base64url')

/** The condition that a row is after a cursor. @throws INVALID_CURSOR */
const isAfter = (alias: string, cursor: string): Prisma.Sql => {
  const [, micros, id] =
    PLACE.exec(Buffer.from(cursor.slice(0, 100), 'base64url').toString('latin1')) ?? []
  if (micros === undefined || id === undefined || encode(`${micros}.${id}`) !== cursor)
    throw invalidCursor('after', 'a cursor that this list returned')
  return sql`(${raw(`${alias}.created_at, ${alias}.id`)}) >
    (timestamptz 'epoch' + ${micros}::text::bigint * interval '1 microsecond', ${id}::uuid)`
}

type Placed<Row> = Row & { readonly place: string }

const toListed = <Row, Entry>(
  { toEntry }: Pick<CreatedList<Row, Entry>, 'toEntry'>,
  rows: readonly Placed<Row>[],
  { size, after }: ForwardPage,
  count: () => Promise<number>,
): Listed<Entry> => {
  const shown = rows.slice(0, size)
  return {
    // `place` is not a member of any entry.
    nodes: shown.map(({ place: _, ...row }) => toEntry(row as Row)),
    cursorAt: (index) => encode(shown[index]?.place ?? ''),
    hasNext: rows.length > size,
    hasPrevious: after !== undefined,
    count,
  }
}

/** Reads a page after a cursor. One statement, and another one for the count. @throws INVALID_CURSOR */
export const readForward = async <Row, Entry>(
  { prisma }: Queryable,
  list: CreatedList<Row, Entry>,
  page: ForwardPage,
): Promise<Listed<Entry>> => {
  const { alias, columns, from, where } = list
  const after = page.after === undefined ? empty : sql`AND ${isAfter(alias, page.after)}`
  // One more row than the page shows whether another page follows.
  const rows = await prisma.$queryRaw<Placed<Row>[]>(sql`
    SELECT ${columns}, ${placeSql(alias)} AS place FROM ${from} WHERE ${where} ${after}
    ${orderOf(alias)} LIMIT ${page.size + 1}`)
  return toListed(list, rows, page, () => countRows({ prisma }, list))
}
