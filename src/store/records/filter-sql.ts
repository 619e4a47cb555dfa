/** SQL conditions for the filter of a list and for the start of a page. */
import { Prisma } from '@prisma/client'
import { recordId, resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import type { Order, Position } from '../../query/cursor.ts'
import type { FilterTerm } from '../../query/filter.ts'
import type { ListFilter } from '../../query/list-request.ts'
import { containsSql, customCondition } from './custom-filter-sql.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw, join, empty } = Prisma

const comparison = { equals: '=', min: '>=', max: '<=' } as const

const timeCondition = (
  column: Prisma.Sql,
  operator: keyof typeof comparison,
  { value, wholeDay }: FilterTerm,
): Prisma.Sql => {
  if (wholeDay && operator === 'equals')
    return sql`(${column} >= ${value}::timestamptz AND ${column} < ${value}::timestamptz + interval '1 day')`
  if (wholeDay && operator === 'max')
    return sql`${column} < ${value}::timestamptz + interval '1 day'`
  return sql`${column} ${raw(comparison[operator])} ${value}::timestamptz`
}

/** References and remote ids are compared as ids, so a filter accepts the service's id and the app's. */
const identityCondition = (
  column: Prisma.Sql,
  ids: readonly string[],
  differs: boolean,
): Prisma.Sql => {
  const [id] = ids
  const same =
    ids.length === 1 ? sql`${column} = ${id}::uuid` : sql`${column} = ANY(${ids}::uuid[])`
  return differs ? sql`(${same}) IS NOT TRUE` : same
}

const condition = (
  resource: Resource,
  term: FilterTerm,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const { parameter, value } = term
  if (parameter.customField !== undefined) return customCondition(parameter.customField, term)
  const { definition, field, operator, filter } = parameter
  const { form, cast } = filter.sql
  if (field === 'remoteId') {
    const ids = credentialIds.map((id) => recordId(id, resource.topic, String(value)))
    return identityCondition(raw('t.id'), ids, false)
  }
  const column = raw(`t.${recordSql(resource).column(field)}`)
  if (form === 'identity') {
    const { target = '' } = definition.kind.reference ?? {}
    const ids = credentialIds.map((id) => resolveId(id, target, String(value)))
    return identityCondition(column, ids, operator === 'notEquals')
  }
  if (operator === 'contains') return containsSql(column, String(value))
  // A record without a value differs from every value.
  if (operator === 'notEquals') return sql`${column} IS DISTINCT FROM ${value}${raw(cast)}`
  if (form === 'time') return timeCondition(column, operator, term)
  return sql`${column} ${raw(comparison[operator])} ${value}${raw(cast)}`
}

/** The filter's conditions on the row `t`, each preceded by ` AND `. */
export const filterSql = (
  resource: Resource,
  { terms, deleted }: ListFilter,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const conditions = terms.map((term) => condition(resource, term, credentialIds))
  if (deleted === 'left-out') conditions.push(sql`NOT t.remote_deleted`)
  if (deleted === 'alone') conditions.push(sql`t.remote_deleted`)
  return conditions.length === 0 ? empty : sql` AND ${join(conditions, ' AND ')}`
}

const neverNull = new Set(['createdAt', 'updatedAt', 'remoteId'])

const sortType = (resource: Resource, field: string): string =>
  recordSql(resource).columns.find((column) => column.field === field)?.sqlType ?? 'text'

/** The `ORDER BY` clause for the row `t`. Records without a value are last; `reversed` reverses the order. */
export const orderSql = (resource: Resource, order: Order, reversed: boolean): Prisma.Sql => {
  const column = recordSql(resource).column(order.field)
  const direction = order.descending === reversed ? 'ASC' : 'DESC'
  const nulls = neverNull.has(order.field) ? '' : reversed ? ' NULLS FIRST' : ' NULLS LAST'
  return raw(`ORDER BY t.${column} ${direction}${nulls}, t.id ${direction}`)
}

/**
 * The condition, preceded by ` AND `, that the row `t` is after the position, or before it if `reversed`. The
 * position is that of a record of one of the credentials.
 */
export const keysetSql = (
  { resource, order }: { readonly resource: Resource; readonly order: Order },
  { value, id }: Position,
  reversed: boolean,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const { table, column: columnOf } = recordSql(resource)
  const name = columnOf(order.field)
  const column = raw(`t.${name}`)
  const sign = raw(order.descending === reversed ? '>' : '<')
  if (value === null)
    return reversed
      ? sql` AND (${column} IS NOT NULL OR t.id ${sign} ${id}::uuid)`
      : sql` AND ${column} IS NULL AND t.id ${sign} ${id}::uuid`
  const place =
    value === undefined
      ? sql`(SELECT p.${raw(name)} FROM ${table} p WHERE p.credential_id = ANY(${credentialIds}::uuid[]) AND p.id = ${id}::uuid)`
      : sql`${value}${raw(`::${sortType(resource, order.field)}`)}`
  const beyond = sql`(${column}, t.id) ${sign} (${place}, ${id}::uuid)`
  return neverNull.has(order.field) || reversed
    ? sql` AND ${beyond}`
    : sql` AND (${beyond} OR ${column} IS NULL)`
}
