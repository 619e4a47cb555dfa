/** SQL that reads and counts the records that refer to a record `k` of the level above. */
import { Prisma } from '@prisma/client'
import { filterSql, orderSql } from './filter-sql.ts'
import { recordSql } from './record-sql.ts'
import type { LinkedRequest } from './records.ts'
import type { PageLink } from './tree.ts'

const { sql, raw } = Prisma

/** The number of records that a page counts while it reads them; more are counted by a query of their own. */
const MAX_COUNTED = 100

/** The source of the rows `t` that refer to the row `k`. */
export const linkedRowsSql = ({ resource, field }: LinkedRequest): Prisma.Sql => {
  const { table, column } = recordSql(resource)
  return sql`FROM ${table} t
    WHERE t.credential_id = k.credential_id AND t.${raw(column(field))} = k.id`
}

/** The number of linked records of the row `k`. */
export const linkedCountSql = (
  { request }: PageLink,
  credentialIds: readonly string[],
): Prisma.Sql =>
  sql`(SELECT count(*) ${linkedRowsSql(request)}${filterSql(request.resource, request.filter, credentialIds)})`

/**
 * Whether the page of a link also counts the records on all pages: one index scan instead of two. In another order
 * than that of the index, PostgreSQL would sort all records, not only find the first.
 */
export const countsByPage = ({
  request: { order, page },
  page: read,
  hasCount,
}: PageLink): boolean =>
  hasCount &&
  read !== undefined &&
  page.after === undefined &&
  page.before === undefined &&
  page.offset === 0 &&
  order.every(({ field }) => field === 'createdAt')

/** The number of records of a page's order up to `MAX_COUNTED` records after the row `t`. */
export const countedSql = ({ resource, order, page }: LinkedRequest): Prisma.Sql =>
  sql`count(*) OVER (${orderSql(resource, order, page.backward)}
    ROWS BETWEEN UNBOUNDED PRECEDING AND ${raw(`${MAX_COUNTED} FOLLOWING`)}) AS counted`

/** The number of linked records of the row `k` on all pages, from the number that the first row of its page has counted. */
export const totalSql = (
  counted: Prisma.Sql,
  link: PageLink,
  credentialIds: readonly string[],
): Prisma.Sql =>
  sql`CASE WHEN ${counted} = ${raw(String(MAX_COUNTED + 1))} THEN ${linkedCountSql(link, credentialIds)}
    ELSE ${counted} END`
