/** Records, read from the store alone. A page is JSON text that PostgreSQL built: parse it where you must. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../definition/resource.ts'
import { encodeCursor, positionOf } from '../query/cursor.ts'
import type { ListFilter, ListRequest } from '../query/list-request.ts'
import type { Database } from './database.ts'
import { beyondSql, filterSql, orderSql } from './filter-sql.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw } = Prisma

/** One page: records in the order of the list, each as the JSON text that the API shows. */
export interface RecordPage {
  readonly records: readonly string[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** Cursor of one of the records. */
  cursorOf(record: string): string
}

/** The records one to a line: JSON text has no line breaks of its own. */
const lines = (alias: string): Prisma.Sql => raw(`string_agg(${alias}.json, E'\\n')`)

const splitLines = (text: string | null): string[] => (text === null ? [] : text.split('\n'))

type PageShape = Omit<ListRequest, 'credentialIds'>

/** The conditions, order and limit of one page on the row `t`; one record more than asked tells if there are more. */
const pageTail = (
  shape: PageShape,
  credentialIds: readonly string[],
  offset: number,
): Prisma.Sql => {
  const { resource, filter, order, page } = shape
  const after = page.after ? beyondSql(shape, page.after, false, credentialIds) : Prisma.empty
  const before = page.before ? beyondSql(shape, page.before, true, credentialIds) : Prisma.empty
  const skip = offset > 0 ? sql` OFFSET ${offset}` : Prisma.empty
  return sql`${filterSql(resource, filter, credentialIds)}${after}${before}
    ${orderSql(resource, order, page.backward)} LIMIT ${page.size + 1 + (page.offset - offset)}${skip}`
}

const toPage = ({ order, page }: PageShape, found: readonly string[]): RecordPage => {
  const more = found.length > page.size
  const kept = more ? found.slice(0, page.size) : found
  return {
    records: page.backward ? kept.toReversed() : kept,
    hasNext: page.backward ? page.before !== undefined : more,
    hasPrevious: page.backward ? more : page.after !== undefined || page.offset > 0,
    cursorOf: (record) => encodeCursor(order, positionOf(order, record)),
  }
}

/** One statement, whatever the number of credentials; each credential is read by its own index range. */
const listStatement = (request: ListRequest): Prisma.Sql => {
  const { resource, credentialIds, order, page } = request
  const { table, json } = recordSql(resource)
  const [credentialId] = credentialIds
  if (credentialIds.length === 1)
    return sql`SELECT ${lines('page')} AS page FROM (
      SELECT ${json} AS json FROM ${table} t
      WHERE t.credential_id = ${credentialId}::uuid${pageTail(request, credentialIds, page.offset)}) page`
  return sql`SELECT ${lines('page')} AS page FROM (
    SELECT ${json} AS json FROM unnest(${credentialIds}::uuid[]) AS c(id)
    CROSS JOIN LATERAL (
      SELECT t.* FROM ${table} t WHERE t.credential_id = c.id${pageTail(request, credentialIds, 0)}) t
    ${orderSql(resource, order, page.backward)} LIMIT ${page.size + 1}${
      page.offset > 0 ? sql` OFFSET ${page.offset}` : Prisma.empty
    }) page`
}

interface PageRow {
  readonly page: string | null
}

/** A page of records of one or several credentials. One statement. */
export const listRecords = async (
  { prisma }: Database,
  request: ListRequest,
): Promise<RecordPage> => {
  const [row] = await prisma.$queryRaw<PageRow[]>(listStatement(request))
  return toPage(request, splitLines(row?.page ?? null))
}

/** How many records the filter leaves. One statement. */
export const countRecords = async (
  { prisma }: Database,
  { resource, credentialIds, filter }: Pick<ListRequest, 'resource' | 'credentialIds' | 'filter'>,
): Promise<number> => {
  const { table } = recordSql(resource)
  const [row] = await prisma.$queryRaw<{ count: number }[]>(sql`
    SELECT count(*)::integer AS count FROM ${table} t
    WHERE t.credential_id = ANY(${credentialIds}::uuid[])${filterSql(resource, filter, credentialIds)}`)
  return row?.count ?? 0
}

/** What a record is looked up by: the key of every record table. */
export interface RecordKey {
  readonly credentialId: string
  readonly id: string
}

/** The keys as rows of `k`, each with its place from 1 on. */
const keyTable = (keys: readonly RecordKey[]): Prisma.Sql =>
  sql`unnest(${keys.map(({ credentialId }) => credentialId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[])
    WITH ORDINALITY AS k(credential_id, id, place)`

/** The credentials of the keys, each once. */
const credentialsOf = (keys: readonly RecordKey[]): string[] => [
  ...new Set(keys.map(({ credentialId }) => credentialId)),
]

/** The JSON text of each record, or undefined where there is none. One statement for all. */
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
  const found: (string | undefined)[] = keys.map(() => undefined)
  for (const row of rows) found[row.place - 1] = row.json
  return found
}

/** The JSON text of a record, and when it was read, by the database's clock. One statement. */
export const readRecord = async (
  { prisma }: Database,
  resource: Resource,
  { credentialId, id }: RecordKey,
): Promise<{ readonly text: string; readonly readAt: Date } | undefined> => {
  const { table, json } = recordSql(resource)
  const [row] = await prisma.$queryRaw<{ text: string; readAt: Date }[]>(sql`
    SELECT ${json} AS text, statement_timestamp() AS "readAt" FROM ${table} t
    WHERE t.credential_id = ${credentialId}::uuid AND t.id = ${id}::uuid`)
  return row
}

// The last pair before the brace that ends the text is one of the record itself, whatever is nested in it.
const LAST_FIELD = /"updatedAt":"([^"]+)"\}$/
const LAST_FIELD_LENGTH = '"updatedAt":"0000-00-00T00:00:00.000Z"}'.length

/** The time of a record's last change here, its version: the last field of its JSON, which is not parsed. */
export const updatedAtOf = (record: string): string => {
  const [, updatedAt] = LAST_FIELD.exec(record.slice(-LAST_FIELD_LENGTH)) ?? []
  if (updatedAt === undefined)
    throw new TypeError('The text is no record: updatedAt is not its end.')
  return updatedAt
}

/** Of these records of a credential, those that were stored before an instant. One statement. */
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

/** The records whose reference `field` points to each target: a page for each. */
export interface LinkedRequest extends PageShape {
  readonly field: string
}

/** One statement for all targets. */
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
      WHERE t.credential_id = k.credential_id AND t.${raw(column(request.field))} = k.id${pageTail(request, credentialsOf(keys), 0)}) page) linked`)
  const pages = keys.map((): string | null => null)
  for (const row of rows) pages[row.place - 1] = row.page
  return pages.map((page) => toPage(request, splitLines(page)))
}

/** How many records point to each target. One statement for all. */
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
