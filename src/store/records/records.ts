/** Reads of records from the store. A page is JSON text that PostgreSQL builds; parse it only where necessary. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../../definition/resource.ts'
import { encodeCursor, positionOf } from '../../query/cursor.ts'
import type { ListFilter } from '../../query/filter.ts'
import { type ListRequest, MAX_PAGE_SIZE, type PageRequest } from '../../query/list-request.ts'
import type { ParentRecord, VersionedRecord } from '../../query/write-request.ts'
import type { Database, Queryable } from '../database/database.ts'
import { filterSql, keysetSql, orderSql, usesIndex } from './filter-sql.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw } = Prisma

/** One page of records in list order; by default, each is the JSON text that the API returns. */
export interface RecordPage<Row = string> {
  readonly records: readonly Row[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** The cursor of a record of this page. */
  cursorOf(record: Row): string
}

/** SQL that joins records with line breaks, which the JSON text itself does not contain. */
const lines = (alias: string): Prisma.Sql => raw(`string_agg(${alias}.json, E'\\n')`)

/** The lines of a text; none for null. */
export const splitLines = (text: string | null): string[] => (text === null ? [] : text.split('\n'))

const toText = (record: string): string => record

/** A page of a list of any credentials. */
export type PageShape = Omit<ListRequest, 'credentialIds'>

/** The number of records that a page reads: one more than its size, to detect a next page. */
const withNext = ({ size }: PageRequest): number => size + 1

/** Conditions and order of one page of rows `t`. */
const orderedRows = (shape: PageShape, credentialIds: readonly string[]): Prisma.Sql => {
  const { resource, filter, order, page } = shape
  const after = page.after ? keysetSql(shape, page.after, false, credentialIds) : Prisma.empty
  const before = page.before ? keysetSql(shape, page.before, true, credentialIds) : Prisma.empty
  return sql`${filterSql(resource, filter, credentialIds)}${after}${before}
    ${orderSql(resource, order, page.backward)}`
}

/** Conditions, order and limit of one page of rows `t`. */
export const pageTail = (
  shape: PageShape,
  credentialIds: readonly string[],
  { offset = 0, limit = withNext(shape.page) }: { offset?: number; limit?: number } = {},
): Prisma.Sql => {
  const skip = offset > 0 ? sql` OFFSET ${offset}` : Prisma.empty
  return sql`${orderedRows(shape, credentialIds)} LIMIT ${limit + (shape.page.offset - offset)}${skip}`
}

/** A page from the records that were read. `textOf` returns JSON text with a record's id and order field. */
export const toPage = <Row>(
  { order, page }: PageShape,
  records: readonly Row[],
  textOf: (record: Row) => string,
): RecordPage<Row> => {
  const hasMore = records.length > page.size
  const shown = hasMore ? records.slice(0, page.size) : records
  return {
    records: page.backward ? shown.toReversed() : shown,
    hasNext: page.backward ? page.before !== undefined : hasMore,
    hasPrevious: page.backward ? hasMore : page.after !== undefined || page.offset > 0,
    cursorOf: (record) => encodeCursor(order, positionOf(order, textOf(record))),
  }
}

const MAX_ROWS = raw(String(MAX_PAGE_SIZE + 1))

/**
 * Whether one plan suits every page of this form. With a parameter as the limit, PostgreSQL expects a tenth of the table
 * and plans each execution again, which takes 40 % of its time for a page of 50 (measured); so the statement has a
 * constant limit. PostgreSQL still plans each execution if its plans for the first five values look cheaper. Not with
 * an offset or a filter of an indexed column: for some values, another plan is faster by orders of magnitude.
 */
const hasOnePlan = ({ filter, page }: PageShape): boolean =>
  page.offset === 0 && !filter.conditions.some(usesIndex)

/**
 * SQL for `columns` of the rows `t` of a page of one or more credentials. It reads each credential through its own
 * index range.
 */
export const pageRows = (
  request: ListRequest,
  columns: Prisma.Sql,
  limit = withNext(request.page),
): Prisma.Sql => {
  const { resource, credentialIds, order, page } = request
  const { table } = recordSql(resource)
  const [credentialId] = credentialIds
  if (credentialIds.length === 1) {
    const rows = sql`SELECT ${columns} FROM ${table} t WHERE t.credential_id = ${credentialId}::uuid`
    return hasOnePlan(request)
      ? sql`SELECT * FROM (${rows}${orderedRows(request, credentialIds)} LIMIT ${MAX_ROWS}) t LIMIT ${limit}`
      : sql`${rows}${pageTail(request, credentialIds, { offset: page.offset, limit })}`
  }
  return sql`SELECT ${columns} FROM unnest(${credentialIds}::uuid[]) AS c(id)
    CROSS JOIN LATERAL (
      SELECT t.* FROM ${table} t WHERE t.credential_id = c.id${pageTail(request, credentialIds, { limit })}) t
    ${orderSql(resource, order, page.backward)} LIMIT ${limit}${
      page.offset > 0 ? sql` OFFSET ${page.offset}` : Prisma.empty
    }`
}

interface PageRow {
  readonly page: string | null
}

/** Reads a page of records of one or more credentials. One statement. */
export const listRecords = async (
  { queryRows }: Database,
  request: ListRequest,
): Promise<RecordPage> => {
  const { json } = recordSql(request.resource)
  const [row] = await queryRows<PageRow>(
    sql`SELECT ${lines('page')} AS page FROM (${pageRows(request, sql`${json} AS json`)}) page`,
  )
  return toPage(request, splitLines(row?.page ?? null), toText)
}

/** SQL for the number of records that match the filter. */
export const countSql = ({
  resource,
  credentialIds,
  filter,
}: Pick<ListRequest, 'resource' | 'credentialIds' | 'filter'>): Prisma.Sql => {
  const [credentialId] = credentialIds
  // For a list of unknown length, PostgreSQL may choose to scan the whole table.
  const isIncluded =
    credentialIds.length === 1 ? sql`= ${credentialId}::uuid` : sql`= ANY(${credentialIds}::uuid[])`
  return sql`
    SELECT count(*)::integer AS count FROM ${recordSql(resource).table} t
    WHERE t.credential_id ${isIncluded}${filterSql(resource, filter, credentialIds)}`
}

/** Counts the records that match the filter. One statement. */
export const countRecords = async (
  { prisma }: Database,
  request: Pick<ListRequest, 'resource' | 'credentialIds' | 'filter'>,
): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ count: number }[]>(countSql(request))
  return row?.count ?? 0
}

/** The credentials of a list as rows of `k`, each with its place, starting at 1. */
const credentialTable = ({ credentialIds }: Pick<ListRequest, 'credentialIds'>): Prisma.Sql =>
  sql`unnest(${credentialIds}::uuid[]) WITH ORDINALITY AS k(id, place)`

/** Reads a page of the records of each credential, in the order of the credentials. One statement. */
export const listRecordsOfEach = async (
  { prisma }: Database,
  request: ListRequest,
): Promise<RecordPage[]> => {
  const { table, json } = recordSql(request.resource)
  const rows = await prisma.$queryRaw<PageRow[]>(sql`
    SELECT listed.page FROM ${credentialTable(request)}
    CROSS JOIN LATERAL (SELECT ${lines('page')} AS page FROM (
      SELECT ${json} AS json FROM ${table} t
      WHERE t.credential_id = k.id${pageTail(request, request.credentialIds)}) page) listed
    ORDER BY k.place`)
  return rows.map(({ page }) => toPage(request, splitLines(page), toText))
}

/** Counts the records of each credential that match the filter, in the order of the credentials. One statement. */
export const countRecordsOfEach = async (
  { prisma }: Database,
  request: Pick<ListRequest, 'resource' | 'credentialIds' | 'filter'>,
): Promise<number[]> => {
  const { resource, credentialIds, filter } = request
  const rows = await prisma.$queryRaw<{ count: number }[]>(sql`
    SELECT (SELECT count(*)::integer FROM ${recordSql(resource).table} t
      WHERE t.credential_id = k.id${filterSql(resource, filter, credentialIds)}) AS count
    FROM ${credentialTable(request)} ORDER BY k.place`)
  return rows.map(({ count }) => count)
}

/** The primary key of every record table. */
export interface RecordKey {
  readonly credentialId: string
  readonly id: string
}

/** The keys as rows of `k`, each with its position, starting at 1. */
const keyTable = (keys: readonly RecordKey[]): Prisma.Sql =>
  sql`unnest(${keys.map(({ credentialId }) => credentialId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[])
    WITH ORDINALITY AS k(credential_id, id, place)`

/** The credentials of the keys, each once. */
const credentialsOf = (keys: readonly RecordKey[]): string[] => [
  ...new Set(keys.map(({ credentialId }) => credentialId)),
]

/** The JSON text of each record, or undefined if the record does not exist. One statement for all. */
export const getRecords = async (
  { prisma }: Database,
  resource: Resource,
  keys: readonly RecordKey[],
): Promise<(string | undefined)[]> => {
  const { table, json } = recordSql(resource)
  const rows = await prisma.$queryRaw<{ place: number; json: string }[]>(sql`
    SELECT k.place::integer AS place, ${json} AS json
    FROM ${keyTable(keys)}
    JOIN ${table} t ON t.credential_id = k.credential_id AND t.id = k.id`)
  const records: (string | undefined)[] = keys.map(() => undefined)
  for (const row of rows) records[row.place - 1] = row.json
  return records
}

/** One record, with the time of the read by the database's clock. */
export interface ReadRecord extends VersionedRecord {
  readonly readAt: Date
}

/**
 * Reads one record; undefined if it does not exist or does not belong to the parent. One statement.
 * @param below the reference field that points to the parent, and the parent's id
 */
export const readRecord = async (
  { prisma }: Queryable,
  resource: Resource,
  { credentialId, id }: RecordKey,
  below?: ParentRecord,
): Promise<ReadRecord | undefined> => {
  const { table, json, column } = recordSql(resource)
  const ofParent = below
    ? sql` AND t.${raw(column(below.field))} = ${below.id}::uuid`
    : Prisma.empty
  const [row] = await prisma.$queryRaw<{ json: string; updatedAt: Date; readAt: Date }[]>(sql`
    SELECT ${json} AS json, t.updated_at AS "updatedAt", statement_timestamp() AS "readAt"
    FROM ${table} t
    WHERE t.credential_id = ${credentialId}::uuid AND t.id = ${id}::uuid${ofParent}`)
  return row && { id, json: row.json, updatedAt: row.updatedAt.toISOString(), readAt: row.readAt }
}

/** The ids of those records of a credential that were first stored before a time. One statement. */
export const idsStoredBefore = async (
  { prisma }: Database,
  resource: Resource,
  credentialId: string,
  ids: readonly string[],
  before: Date,
): Promise<ReadonlySet<string>> => {
  const { table } = recordSql(resource)
  const rows = await prisma.$queryRaw<{ id: string }[]>(sql`
    SELECT t.id::text AS id FROM ${table} t
    WHERE t.credential_id = ${credentialId}::uuid AND t.id = ANY(${ids}::uuid[])
      AND t.created_at < ${before}`)
  return new Set(rows.map(({ id }) => id))
}

/** A request for the records whose reference `field` points to a target: one page for each target. */
export interface LinkedRequest extends PageShape {
  readonly field: string
}

/** Reads a page of linked records for each target. One statement for all targets. */
export const listLinkedRecords = async (
  { prisma }: Database,
  request: LinkedRequest,
  keys: readonly RecordKey[],
): Promise<RecordPage[]> => {
  const { table, json, column } = recordSql(request.resource)
  const rows = await prisma.$queryRaw<(PageRow & { place: number })[]>(sql`
    SELECT k.place::integer AS place, linked.page
    FROM ${keyTable(keys)}
    CROSS JOIN LATERAL (SELECT ${lines('page')} AS page FROM (
      SELECT ${json} AS json FROM ${table} t
      WHERE t.credential_id = k.credential_id AND t.${raw(column(request.field))} = k.id${pageTail(request, credentialsOf(keys))}) page) linked`)
  const pages = keys.map((): string | null => null)
  for (const row of rows) pages[row.place - 1] = row.page
  return pages.map((page) => toPage(request, splitLines(page), toText))
}

/** Counts the records that point to each target. One statement for all targets. */
export const countLinkedRecords = async (
  { prisma }: Database,
  { resource, field, filter }: { resource: Resource; field: string; filter: ListFilter },
  keys: readonly RecordKey[],
): Promise<number[]> => {
  const { table, column } = recordSql(resource)
  const rows = await prisma.$queryRaw<{ place: number; count: number }[]>(sql`
    SELECT k.place::integer AS place, count(t.id)::integer AS count
    FROM ${keyTable(keys)}
    JOIN ${table} t ON t.credential_id = k.credential_id AND t.${raw(column(field))} = k.id${filterSql(resource, filter, credentialsOf(keys))}
    GROUP BY k.place`)
  const counts = keys.map(() => 0)
  for (const row of rows) counts[row.place - 1] = row.count
  return counts
}
