/**
 * SQL conditions on custom fields. Until a changed mapping has been applied to every record, a record may have a
 * value of an earlier type. Such a value does not match, and never makes the statement fail.
 */
import { Prisma } from '@prisma/client'
import type { FilterValue } from '../../definition/kinds/kind.ts'
import type { FilterTerm } from '../../query/filter.ts'

const { sql, raw } = Prisma

const DAY_MS = 86_400_000

const likePattern = (value: string): string => `%${value.replace(/[\\%_]/g, '\\$&')}%`

/** The condition that a text contains another one, ignoring case. */
export const containsSql = (text: Prisma.Sql, value: string): Prisma.Sql =>
  // ICU collation: case-insensitive matching must not depend on the database's locale.
  sql`${text} COLLATE "und-x-icu" ILIKE ${likePattern(value)}`

const comparison = { equals: '=', min: '>=', max: '<=' } as const

/** Stored times have one format, so their texts have the order of the times. */
const timeCondition = (
  text: Prisma.Sql,
  operator: keyof typeof comparison,
  { value, isWholeDay }: FilterValue,
): Prisma.Sql => {
  const first = new Date(String(value)).toISOString()
  const time = sql`${text} COLLATE "C"`
  if (!isWholeDay) return sql`${time} ${raw(comparison[operator])} ${first}`
  const next = new Date(Date.parse(first) + DAY_MS).toISOString()
  if (operator === 'equals') return sql`(${time} >= ${first} AND ${time} < ${next})`
  return operator === 'max' ? sql`${time} < ${next}` : sql`${time} >= ${first}`
}

/** The condition of a term on the custom field `name` of the row `t`. */
export const customCondition = (name: string, term: FilterTerm): Prisma.Sql => {
  const { name: place, operator, filter } = term.parameter
  const [first] = term.values
  if (first === undefined || operator === 'in' || operator === 'isNull')
    throw new TypeError(`${place} is not a condition on one value.`)
  const { value } = first
  const text = sql`(t.custom_fields->>${name}::text)`
  if (operator === 'contains') return containsSql(text, String(value))
  if (filter.sql.form === 'time' && operator !== 'notEquals')
    return timeCondition(text, operator, first)
  const isNumber = filter.sql.cast === '::numeric'
  const stored = isNumber
    ? sql`CASE WHEN length${text} < 10000 AND ${text} ~ '^-?[0-9]+([.][0-9]+)?$' THEN ${text}::numeric END`
    : text
  const requested = isNumber ? sql`${String(value)}::numeric` : sql`${String(value)}`
  // A record without a value differs from every value.
  if (operator === 'notEquals') return sql`${stored} IS DISTINCT FROM ${requested}`
  return sql`${stored} ${raw(comparison[operator])} ${requested}`
}
