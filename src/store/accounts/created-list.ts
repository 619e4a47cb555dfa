/** Lists in the order of creation, oldest first: pages by number, or after a cursor. */
import { Prisma } from '@prisma/client'
import {
  createCounts,
  cursorsOf,
  type ForwardPage,
  invalidCursor,
  type Listed,
} from '../../query/listed.ts'
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

/** The list with each entry in another form. */
export const mapEntries = <Row, Entry, Result>(
  { toEntry, ...list }: CreatedList<Row, Entry>,
  toResult: (entry: Entry) => Result,
): CreatedList<Row, Result> => ({ ...list, toEntry: (row) => toResult(toEntry(row)) })

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
  raw(
    `(extract(epoch FROM ${alias}.created_at) * 1000000)::bigint AS "placeMicros", ${alias}.id::text AS "placeId"`,
  )

/** The place of a row in its list. */
interface Place {
  readonly placeMicros: bigint
  readonly placeId: string
}

const encode = ({ placeMicros, placeId }: Place): string =>
  Buffer.from(`c${placeMicros}.${placeId}`).toString('base64url')

/** The condition, preceded by AND, that a row is after a cursor. @throws INVALID_CURSOR */
const isAfter = (alias: string, cursor: string | undefined): Prisma.Sql => {
  if (cursor === undefined) return empty
  const [, micros, placeId] =
    PLACE.exec(Buffer.from(cursor.slice(0, 100), 'base64url').toString('latin1')) ?? []
  const place = micros && placeId && { placeMicros: BigInt(micros), placeId }
  if (!place || encode(place) !== cursor)
    throw invalidCursor('after', 'a cursor that this list returned')
  return sql`AND (${raw(`${alias}.created_at, ${alias}.id`)}) >
    (timestamptz 'epoch' + ${place.placeMicros}::bigint * interval '1 microsecond', ${placeId}::uuid)`
}

const toListed = <Row, Entry>(
  toEntry: (row: Row) => Entry,
  rows: readonly (Row & Place)[],
  { size, after }: ForwardPage,
  count: () => Promise<number>,
): Listed<Entry> => {
  const shown = rows.slice(0, size)
  return {
    // The members of Place are not members of any entry.
    nodes: shown.map(({ placeMicros: _micros, placeId: _id, ...row }) => toEntry(row as Row)),
    cursorAt: cursorsOf(shown, encode),
    hasNext: rows.length > size,
    hasPrevious: after !== undefined,
    count,
  }
}

/** SQL for the rows of a page, and one more, which shows whether another page follows. */
const pageSql = (
  { alias, columns, from, where }: CreatedList<never, unknown>,
  { size, after }: ForwardPage,
): Prisma.Sql => sql`
  SELECT ${columns}, ${placeSql(alias)} FROM ${from} WHERE ${where} ${isAfter(alias, after)}
  ${orderOf(alias)} LIMIT ${size + 1}`

/** Reads a page after a cursor. One statement, and another one for the count. @throws INVALID_CURSOR */
export const readForward = async <Row, Entry>(
  database: Queryable,
  list: CreatedList<Row, Entry>,
  page: ForwardPage,
): Promise<Listed<Entry>> => {
  const rows = await database.prisma.$queryRaw<(Row & Place)[]>(pageSql(list, page))
  return toListed(list.toEntry, rows, page, () => countRows(database, list))
}

/** The lists of several owners: `column` has the id of the owner. */
export interface OwnedLists {
  readonly column: Prisma.Sql
  readonly ids: readonly string[]
}

/**
 * Reads a page of the list of each owner. One statement, and another one for all counts. @throws INVALID_CURSOR
 */
export const readForwardOfEach = async <Row, Entry>(
  { prisma }: Queryable,
  list: CreatedList<Row, Entry>,
  { column, ids }: OwnedLists,
  page: ForwardPage,
): Promise<readonly Listed<Entry>[]> => {
  const { from, where, toEntry } = list
  const owned = { ...list, where: sql`${where} AND ${column} = k.id` }
  const rows = await prisma.$queryRaw<(Row & Place & { readonly owner: string })[]>(sql`
    SELECT k.id::text AS owner, p.* FROM unnest(${ids}::uuid[]) AS k(id)
    CROSS JOIN LATERAL (${pageSql(owned, page)}) p ORDER BY p."placeMicros", p."placeId"`)
  const countOf = createCounts(() =>
    prisma.$queryRaw(sql`
      SELECT ${column}::text AS owner, count(*)::integer AS count FROM ${from}
      WHERE ${where} AND ${column} = ANY(${ids}::uuid[]) GROUP BY ${column}`),
  )
  const byOwner = Map.groupBy(rows, ({ owner }) => owner)
  return ids.map((id) => {
    // Safe: TypeScript cannot tell that a generic row without its owner is the row.
    const own = (byOwner.get(id) ?? []).map(({ owner: _, ...row }) => row as unknown as Row & Place)
    return toListed(toEntry, own, page, () => countOf(id))
  })
}
