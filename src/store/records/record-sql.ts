/** SQL generated from a resource's definition: its columns, and its records as JSON. */
import { Prisma } from '@prisma/client'
import { type Column, columnsOf, documentColumns } from '../../definition/column.ts'
import { type Resource, snakeCase } from '../../definition/resource.ts'
import { memoize } from '../../memoize.ts'

const { raw } = Prisma

/**
 * The column that stores a record in the API's JSON. It is written with the record, because records are read
 * more often than they change. If it is null (the definition changed, or other SQL wrote the row), reads build it.
 */
export const DOCUMENT = 'document'

export interface RecordSql {
  readonly table: Prisma.Sql
  readonly columns: readonly Column[]
  /** Columns that are not part of the document: references to embedded records, and the custom fields. */
  readonly separate: readonly Column[]
  /** The JSON text of the row `t`, exactly as the API returns it. */
  readonly json: Prisma.Sql
  /** The same without embedded records: the stored document, after the custom fields if the record has some. */
  readonly stored: Prisma.Sql
  /** The document of the row `t`: without embedded records and custom fields, and the id first. */
  readonly plain: Prisma.Sql
  /**
   * The JSON text of the row `t` with its id and only these fields of the document, in the order of the set.
   * Cached by the object of fields.
   */
  part(fields: ReadonlySet<string>): Prisma.Sql
  /** The document's text for a row whose id and columns have these expressions. */
  document(id: string, expression: (column: Column) => string): string
  /** The column of a field. */
  column(field: string): string
}

/** Fields that the store sets itself. */
export const TIMESTAMP_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])

/** A member of a JSON object, as part of an SQL string literal that is interrupted by the value's expression. */
const memberText = (name: string, text: string): string =>
  `"${name}":' || coalesce(${text}, 'null') || '`

/** A JSON object of the members. Measured: 75 % of the time of json_build_object, and 50 % of concat(). */
const objectText = (members: readonly string[]): string => `'{${members.join(',')}}'`

/** The record that an embedding reference of the row `t` points to, as JSON text. */
const embeddedText = ({ fields }: Resource, { field, name }: Column): string | undefined => {
  const { target, embeds } = fields[field]?.kind.reference ?? {}
  if (target === undefined || embeds === undefined) return
  const pairs = embeds.map((embed) => `'${embed}', e.${snakeCase(embed)}`)
  return `(SELECT json_build_object('id', e.id, 'remoteId', e.remote_id, ${pairs.join(', ')})::text
    FROM ${snakeCase(target).replace('/', '_')} e
    WHERE e.credential_id = t.credential_id AND e.id = t.${name})`
}

/** The start of a record's JSON, with its custom fields if it has some. */
const START = `coalesce('{"customFields":' || t.custom_fields::text || ',', '{')`

const cache = new WeakMap<Resource, RecordSql>()

/** The SQL of a resource. Its identifiers come from definitions, never from a request. */
export const recordSql = (resource: Resource): RecordSql => {
  const cached = cache.get(resource)
  if (cached) return cached
  const columns = columnsOf(resource)
  const names = new Map(columns.map(({ field, name }) => [field, name]))
  const embedded = columns.flatMap((column) => {
    const text = embeddedText(resource, column)
    return text === undefined ? [] : [{ column, text }]
  })
  const kept = documentColumns(resource)

  const textOf = (
    members: readonly Column[],
    id: string,
    expression: (column: Column) => string,
  ): string =>
    objectText([
      `"id":"' || ${id} || '"`,
      ...members.map((column) => memberText(column.field, column.jsonText(expression(column)))),
    ])
  const ofRow = ({ name }: Column): string => `t.${name}`
  const document: RecordSql['document'] = (id, expression) => textOf(kept, id, expression)
  const made = document('t.id', ofRow)
  const plain = `coalesce(t.${DOCUMENT}, ${made})`
  /** The document without its first character. */
  const rest = `substr(${plain}, 2)`
  // Most records have no custom fields: their document is not copied.
  const stored = `coalesce(CASE WHEN t.custom_fields IS NULL THEN t.${DOCUMENT} END, ${START} || ${rest})`
  const members = embedded.map(({ column, text }) => memberText(column.field, text))
  const sql: RecordSql = {
    table: raw(resource.table),
    columns,
    separate: columns.filter((column) => !kept.some(({ field }) => field === column.field)),
    json: raw(members.length === 0 ? stored : `(${START} || '${members.join(',')},' || ${rest})`),
    stored: raw(stored),
    plain: raw(plain),
    part: memoize((fields: ReadonlySet<string>) =>
      raw(
        textOf(
          [...fields].flatMap((field) => kept.filter((column) => column.field === field)),
          't.id',
          ofRow,
        ),
      ),
    ),
    document,
    column: (field) => {
      const name = names.get(field)
      if (name === undefined) throw new RangeError(`${resource.topic} has no field ${field}.`)
      return name
    },
  }
  cache.set(resource, sql)
  return sql
}
