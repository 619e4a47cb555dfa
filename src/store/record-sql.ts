/** The SQL text that follows from a resource's definition: its columns, and its records as JSON. */
import { Prisma } from '@prisma/client'
import { type Column, columnsOf } from '../definition/column.ts'
import type { Resource } from '../definition/resource.ts'

const { raw } = Prisma

export interface RecordSql {
  readonly table: Prisma.Sql
  readonly columns: readonly Column[]
  /** The JSON text of the row `t`, exactly as the API shows it. */
  readonly json: Prisma.Sql
  /** The column of a field. */
  column(field: string): string
}

/** `YYYY-MM-DDTHH:MM:SS.sssZ`; sessions run in UTC. */
const isoText = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const embedded = (resource: Resource, { field, name }: Column): string | undefined => {
  const definition = resource.fields[field]
  if (definition?.kind !== 'reference' || definition.embeds === undefined) return
  const [category, plural] = definition.target.split('/')
  const pairs = definition.embeds.map((embed) => `'${embed}', e.${snake(embed)}`).join(', ')
  return `(SELECT json_build_object('id', e.id, 'remoteId', e.remote_id, ${pairs})
    FROM ${category}_${snake(plural ?? '')} e
    WHERE e.credential_id = t.credential_id AND e.id = t.${name})`
}

const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const jsonValue = (resource: Resource, column: Column): string => {
  const name = `t.${column.name}`
  switch (column.kind) {
    case 'timestamp':
    case 'date':
      return isoText(name)
    case 'decimal':
      return `${name}::text`
    default:
      return embedded(resource, column) ?? name
  }
}

const cache = new WeakMap<Resource, RecordSql>()

/** The SQL of a resource; names come from definitions, never from a caller. */
export const recordSql = (resource: Resource): RecordSql => {
  const known = cache.get(resource)
  if (known) return known
  const columns = columnsOf(resource)
  const names = new Map(columns.map(({ field, name }) => [field, name]))
  const pairs = columns.map((column) => `'${column.field}', ${jsonValue(resource, column)}`)
  const sql: RecordSql = {
    table: raw(resource.table),
    columns,
    json: raw(`json_build_object('id', t.id, ${pairs.join(', ')})::text`),
    column: (field) => {
      const name = names.get(field)
      if (name === undefined) throw new RangeError(`${resource.topic} has no field ${field}.`)
      return name
    },
  }
  cache.set(resource, sql)
  return sql
}
