/** Aggregates of records, computed by PostgreSQL: counts, and exact sums, averages and bounds of numbers. */
import { Prisma } from '@prisma/client'
import {
  type AggregateRequest,
  aggregateFunctions,
  MAX_GROUPS,
  tooManyGroups,
} from '../../query/aggregate.ts'
import type { Database } from '../database/database.ts'
import { filterSql } from './filter-sql.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw, join, empty } = Prisma

/** The SQL expression of a JSON object's text, from the names and JSON texts of its members. */
const objectText = (members: readonly (readonly [string, string])[]): string =>
  [
    "'{'",
    ...members.map(
      ([name, text], index) => `'${index > 0 ? ',' : ''}"${name}":' || coalesce(${text}, 'null')`,
    ),
    "'}'",
  ].join(' || ')

/** The SQL expression of a group's JSON text. The names come from definitions, never from a request. */
const groupText = ({ resource, groupBy, measures }: AggregateRequest): string => {
  const { column } = recordSql(resource)
  const key = groupBy.map((part): [string, string] => [
    part.name,
    part.jsonText(part.sql(`t.${part.column}`)),
  ])
  const functions = aggregateFunctions.flatMap((name): [string, string][] => {
    const fields = measures.filter((measure) => measure.of === name)
    if (fields.length === 0) return []
    const members = fields.map(({ field }): [string, string] => [
      field,
      // Numbers of any size and scale, as decimals.
      `'"' || ${name}(t.${column(field)})::text || '"'`,
    ])
    return [[name, objectText(members)]]
  })
  return objectText([['key', objectText(key)], ['count', 'count(*)::text'], ...functions])
}

export interface Aggregate {
  /** The JSON text of each group, in the order of the keys; one group if there are no keys. */
  readonly groups: readonly string[]
  /** The number of records in all groups. */
  readonly count: number
}

/** Aggregates records. One statement. @throws INVALID_PARAMETER if there are more than 1,000 groups */
export const aggregateRecords = async (
  { prisma }: Database,
  request: AggregateRequest,
): Promise<Aggregate> => {
  const { resource, credentialIds, filter, groupBy } = request
  const { table } = recordSql(resource)
  const keys = groupBy.map((part) => part.sql(`t.${part.column}`))
  const grouped =
    keys.length === 0
      ? empty
      : sql` GROUP BY ${join(keys.map(raw))} ORDER BY ${join(keys.map((key) => raw(`${key} NULLS LAST`)))} LIMIT ${MAX_GROUPS + 1}`
  const rows = await prisma.$queryRaw<{ json: string; count: number }[]>(sql`
    SELECT ${raw(groupText(request))} AS json, count(*)::integer AS count FROM ${table} t
    WHERE t.credential_id = ANY(${credentialIds}::uuid[])${filterSql(resource, filter, credentialIds)}${grouped}`)
  if (rows.length > MAX_GROUPS) throw tooManyGroups()
  return {
    groups: rows.map(({ json }) => json),
    count: rows.reduce((sum, { count }) => sum + count, 0),
  }
}
