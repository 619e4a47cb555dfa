/** SQL conditions for the filter of a list and for the start of a page. */
import { Prisma } from '@prisma/client'
import { recordId, resolveId } from '../../definition/identity.ts'
import type { FilterValue } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import type { Order, OrderTerm, Position } from '../../query/cursor.ts'
import type {
  DeletedRecords,
  FilterCondition,
  FilterTerm,
  LinkCondition,
  ListFilter,
} from '../../query/filter.ts'
import type { FilterLink } from '../../query/filter-links.ts'
import { containsSql, customCondition } from './custom-filter-sql.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw, join, empty } = Prisma

const comparison = { equals: '=', min: '>=', max: '<=' } as const

const timeCondition = (
  column: Prisma.Sql,
  operator: keyof typeof comparison,
  { value, isWholeDay }: FilterValue,
): Prisma.Sql => {
  if (isWholeDay && operator === 'equals')
    return sql`(${column} >= ${value}::timestamptz AND ${column} < ${value}::timestamptz + interval '1 day')`
  if (isWholeDay && operator === 'max')
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

/** The row that conditions are about: its resource and the alias of its table. */
interface Row {
  readonly resource: Resource
  readonly alias: string
  readonly credentialIds: readonly string[]
}

const columnOf = ({ resource, alias }: Row, field: string): Prisma.Sql =>
  raw(`${alias}.${recordSql(resource).column(field)}`)

/** A condition that a column is equal to one of several values. */
const inCondition = (column: Prisma.Sql, { parameter, values }: FilterTerm): Prisma.Sql => {
  const { form, cast } = parameter.filter.sql
  if (form === 'time')
    return values.length === 0
      ? sql`FALSE`
      : sql`(${join(
          values.map((value) => timeCondition(column, 'equals', value)),
          ' OR ',
        )})`
  return sql`${column} = ANY(${values.map(({ value }) => value)}${raw(`${cast || '::text'}[]`)})`
}

const termSql = (row: Row, term: FilterTerm): Prisma.Sql => {
  const { resource, alias, credentialIds } = row
  const { definition, field, operator, filter, customField } = term.parameter
  if (customField !== undefined) return customCondition(customField, term)
  const { form, cast } = filter.sql
  const idsOf = (toId: (credentialId: string, value: string) => string): readonly string[] =>
    credentialIds.flatMap((id) => term.values.map(({ value }) => toId(id, String(value))))
  if (field === 'remoteId') {
    const ids = idsOf((id, value) => recordId(id, resource.topic, value))
    return identityCondition(raw(`${alias}.id`), ids, false)
  }
  const column = columnOf(row, field)
  const [first] = term.values
  if (operator === 'isNull')
    return first?.value === true ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`
  if (form === 'identity') {
    const { target = '' } = definition.kind.reference ?? {}
    const ids = idsOf((id, value) => resolveId(id, target, value))
    return identityCondition(column, ids, operator === 'notEquals')
  }
  if (operator === 'in') return inCondition(column, term)
  if (first === undefined) throw new TypeError(`${term.parameter.name} has no value.`)
  const { value } = first
  if (operator === 'contains') return containsSql(column, String(value))
  // A record without a value differs from every value.
  if (operator === 'notEquals') return sql`${column} IS DISTINCT FROM ${value}${raw(cast)}`
  if (form === 'time') return timeCondition(column, operator, first)
  return sql`${column} ${raw(comparison[operator])} ${value}${raw(cast)}`
}

/** The condition that the row `linked` is linked to `row`. They belong to the same credential, and so to one tenant. */
const linkSql = (row: Row, linked: Row, { holder, field, isList }: FilterLink): Prisma.Sql => {
  const id = raw(`${(holder === 'linked' ? row : linked).alias}.id`)
  const reference = columnOf(holder === 'linked' ? linked : row, field)
  const same =
    holder === 'filtered' && isList ? sql`${id} = ANY(${reference})` : sql`${id} = ${reference}`
  return sql`${raw(`${linked.alias}.credential_id = ${row.alias}.credential_id`)} AND ${same}`
}

const linkConditionSql = (row: Row, condition: LinkCondition, level: number): Prisma.Sql => {
  const { link, quantifier, conditions, deleted } = condition
  const linked = { resource: link.to, alias: `t${level}`, credentialIds: row.credentialIds }
  const meets = all(conditions.map((one) => conditionSql(linked, one, level + 1)))
  const matches = quantifier === 'every' ? sql`(${meets}) IS NOT TRUE` : meets
  const listed = all([linkSql(row, linked, link), ...deletedSql(linked, deleted), matches])
  const exists = sql`EXISTS (SELECT FROM ${recordSql(link.to).table} ${raw(linked.alias)} WHERE ${listed})`
  return quantifier === 'every' || quantifier === 'none' ? sql`NOT ${exists}` : exists
}

const all = (conditions: readonly Prisma.Sql[]): Prisma.Sql =>
  conditions.length === 0 ? sql`TRUE` : join([...conditions], ' AND ')

const conditionSql = (row: Row, condition: FilterCondition, level: number): Prisma.Sql => {
  if (condition.form === 'term') return termSql(row, condition)
  if (condition.form === 'link') return linkConditionSql(row, condition, level)
  const members = condition.conditions.map((one) => conditionSql(row, one, level))
  if (condition.form === 'or') return sql`(${join(members, ' OR ')})`
  // A comparison with a missing value is neither true nor false; `not` selects what its conditions do not.
  return condition.form === 'not' ? sql`(${all(members)}) IS NOT TRUE` : sql`(${all(members)})`
}

const deletedSql = ({ alias }: Row, deleted: DeletedRecords): readonly Prisma.Sql[] => {
  if (deleted === 'included') return []
  const isDeleted = raw(`${alias}.remote_deleted`)
  return [deleted === 'alone' ? isDeleted : sql`NOT ${isDeleted}`]
}

/** The filter's conditions on the row `t`, each preceded by ` AND `. */
export const filterSql = (
  resource: Resource,
  { conditions, deleted }: ListFilter,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const row = { resource, alias: 't', credentialIds }
  const members = [
    ...conditions.map((condition) => conditionSql(row, condition, 1)),
    ...deletedSql(row, deleted),
  ]
  return members.length === 0 ? empty : sql` AND ${join(members, ' AND ')}`
}

const indexedTimes = new Set(['createdAt', 'updatedAt'])

/**
 * Whether an index may find the records that meet a condition. Without one, every plan reads the records of the
 * credential until the page is full: in their order, or all of them to sort those that match.
 */
export const usesIndex = (condition: FilterCondition): boolean => {
  if (condition.form === 'link') return true
  if (condition.form !== 'term') return condition.conditions.some(usesIndex)
  const { field, filter, customField } = condition.parameter
  if (customField !== undefined) return false
  return field === 'remoteId' || filter.sql.form === 'identity' || indexedTimes.has(field)
}

const neverNull = new Set(['createdAt', 'updatedAt', 'remoteId'])

const sortType = (resource: Resource, field: string): string =>
  recordSql(resource).columns.find((column) => column.field === field)?.sqlType ?? 'text'

/** The `ORDER BY` clause for the row `t`. Records without a value are last; `reversed` reverses the order. */
export const orderSql = (resource: Resource, order: Order, reversed: boolean): Prisma.Sql => {
  const { column } = recordSql(resource)
  const terms = order.map(({ field, isDescending }) => {
    const nulls = neverNull.has(field) ? '' : reversed ? ' NULLS FIRST' : ' NULLS LAST'
    return `t.${column(field)} ${directionOf(isDescending, reversed)}${nulls}`
  })
  return raw(`ORDER BY ${terms.join(', ')}, t.id ${directionOf(lastDescends(order), reversed)}`)
}

const directionOf = (isDescending: boolean, reversed: boolean): 'ASC' | 'DESC' =>
  isDescending === reversed ? 'ASC' : 'DESC'

/** The direction of the ids of records whose values are equal. */
const lastDescends = (order: Order): boolean => order.at(-1)?.isDescending ?? false

const signOf = (isDescending: boolean, reversed: boolean): Prisma.Sql =>
  raw(isDescending === reversed ? '>' : '<')

/** The place of a page's start: the id of a record, and for each field of the order its value in SQL. */
interface Place {
  readonly id: Prisma.Sql
  readonly values: readonly Prisma.Sql[]
}

/** The condition that the row `t` is beyond a place in an order by several fields. */
const beyondSql = ({ resource, order }: Ordered, place: Place, reversed: boolean): Prisma.Sql => {
  const ofId = sql`t.id ${signOf(lastDescends(order), reversed)} ${place.id}`
  return order.reduceRight((rest, { field, isDescending }, index) => {
    const column = raw(`t.${recordSql(resource).column(field)}`)
    const value = place.values[index] ?? sql`NULL`
    const sign = signOf(isDescending, reversed)
    // Records without a value are last.
    const [missing, present] = reversed ? [value, column] : [column, value]
    return sql`(${column} ${sign} ${value} OR (${missing} IS NULL AND ${present} IS NOT NULL)
      OR (${column} IS NOT DISTINCT FROM ${value} AND ${rest}))`
  }, ofId)
}

/** A list with an order. */
interface Ordered {
  readonly resource: Resource
  readonly order: Order
}

/**
 * The condition, preceded by ` AND `, that the row `t` is after the position, or before it if `reversed`. The
 * position is that of a record of one of the credentials.
 */
export const keysetSql = (
  list: Ordered,
  { values, id }: Position,
  reversed: boolean,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const { resource, order } = list
  const { table, column: columnOf } = recordSql(resource)
  const valueSql = ({ field }: OrderTerm, index: number): Prisma.Sql =>
    values === undefined
      ? sql`(SELECT p.${raw(columnOf(field))} FROM ${table} p WHERE p.credential_id = ANY(${credentialIds}::uuid[]) AND p.id = ${id}::uuid)`
      : sql`${values[index]}${raw(`::${sortType(resource, field)}`)}`
  const place = { id: sql`${id}::uuid`, values: order.map(valueSql) }
  if (order.length > 1) return sql` AND ${beyondSql(list, place, reversed)}`

  // By one field, with a row comparison, which the index of the field supports.
  const [{ field, isDescending }] = order
  const column = raw(`t.${columnOf(field)}`)
  const sign = signOf(isDescending, reversed)
  if (values?.[0] === null)
    return reversed
      ? sql` AND (${column} IS NOT NULL OR t.id ${sign} ${place.id})`
      : sql` AND ${column} IS NULL AND t.id ${sign} ${place.id}`
  const beyond = sql`(${column}, t.id) ${sign} (${place.values[0] ?? sql`NULL`}, ${place.id})`
  return neverNull.has(field) || reversed
    ? sql` AND ${beyond}`
    : sql` AND (${beyond} OR ${column} IS NULL)`
}
