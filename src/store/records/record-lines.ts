/**
 * The text format of records for PostgreSQL: one line of JSON each. PostgreSQL parses the line
 * into columns and stores its beginning as the document, so that it does not have to build the document field by field.
 */
import type { Column } from '../../definition/column.ts'
import type { RecordRow } from '../../definition/mapping.ts'
import type { Resource } from '../../definition/resource.ts'
import { recordSql, TIMESTAMP_FIELDS } from './record-sql.ts'

/**
 * Marks the end of the document in a line, where PostgreSQL appends the timestamps. The text after it is used
 * for columns only. A tab is whitespace in JSON, and JSON.stringify never writes an unescaped one.
 */
export const DOCUMENT_END = '\t'

/** Adds the values of columns to an object. It modifies the object, because copying it takes longer. */
const addValues = (
  object: Record<string, unknown>,
  columns: readonly Column[],
  row: RecordRow,
): Record<string, unknown> => {
  for (const { field, toJson } of columns) {
    const value = row[field] ?? null
    object[field] = toJson === undefined || value === null ? value : toJson(value)
  }
  return object
}

// PostgreSQL rejects U+0000 and lone surrogates in text and jsonb; JSON.stringify escapes both.
const UNSTORABLE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/gi

/** JSON text that PostgreSQL accepts: unstorable characters are replaced with U+FFFD. */
const storable = (text: string): string =>
  text.includes('\\u')
    ? text.replace(UNSTORABLE, (match) => (/^\\u(?:0000|d)/i.test(match) ? '\\ufffd' : match))
    : text

/** A record as a line of JSON. */
export interface RecordLine {
  readonly id: string
  readonly line: string
}

/** Creates a function that serializes records of a resource as lines. */
export const createLineWriter = (resource: Resource): ((row: RecordRow) => RecordLine) => {
  const { columns, separate } = recordSql(resource)
  const kept = columns.filter(
    (column) => !TIMESTAMP_FIELDS.has(column.field) && !separate.includes(column),
  )
  return (row) => {
    const document = JSON.stringify(addValues({ id: row.id }, kept, row)).slice(0, -1)
    const others = JSON.stringify(addValues({}, separate, row)).slice(1)
    return { id: row.id, line: storable(`${document}${DOCUMENT_END},${others}`) }
  }
}

/** The last line for each id: a page may list a record twice. */
export const lastOfEach = (records: readonly RecordLine[]): string[] => [
  ...new Map(records.map(({ id, line }) => [id, line])).values(),
]
