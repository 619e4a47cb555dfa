/**
 * The text in which records travel to PostgreSQL: a line of JSON each, which it reads into columns and whose
 * beginning it keeps as the document. Text that is made here it need not make field by field.
 */
import type { Column } from '../definition/column.ts'
import { formatDecimal, parseDecimal } from '../definition/decimal.ts'
import type { RecordRow } from '../definition/mapping.ts'
import type { Resource } from '../definition/resource.ts'
import { recordSql, STAMPS } from './record-sql.ts'

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as it stands (V8 has it, TypeScript 6.0 does not know it yet). */
    rawJSON(text: string): unknown
  }
}

/**
 * Stands in a line where the document breaks off, for PostgreSQL to add its stamps; what follows is for
 * columns alone. To JSON it is a space, and no text of JSON.stringify has one elsewhere.
 */
export const KEPT_END = '\t'

// Written as `numeric` writes it: no exponent, no idle zero in front, and a zero has no sign.
const PLAIN_DECIMAL = /^(?!-[0.]+$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** A decimal as a column of `numeric` shows it, with all its digits: `1.50e1` is `15.0`. */
export const plainDecimal = (text: string): string => {
  if (PLAIN_DECIMAL.test(text)) return text
  const decimal = parseDecimal(text)
  if (decimal) return formatDecimal(decimal)
  throw new TypeError('A record holds a number that is none.')
}

const shown = (kind: Column['kind'], value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (kind === 'decimal') return plainDecimal(String(value))
  // A number keeps its digits: 1.50 stays 1.50.
  if (kind === 'number') return JSON.rawJSON(plainDecimal(String(value)))
  return value
}

const objectOf = (columns: readonly Column[], row: RecordRow): Record<string, unknown> => {
  const object: Record<string, unknown> = {}
  for (const { field, kind } of columns) object[field] = shown(kind, row[field])
  return object
}

// What PostgreSQL refuses in text and jsonb: U+0000 and halves of surrogate pairs, which JSON.stringify escapes.
const UNSTORABLE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/gi

/** JSON text that PostgreSQL takes: an unstorable character becomes U+FFFD. */
const storable = (text: string): string =>
  text.includes('\\u')
    ? text.replace(UNSTORABLE, (found) => (/^\\u(?:0000|d)/i.test(found) ? '\\ufffd' : found))
    : text

/** A record as it travels: a line of JSON. */
export interface RecordLine {
  readonly id: string
  readonly line: string
}

/** Prepares the writing of one resource's records as lines. */
export const createLineWriter = (resource: Resource): ((row: RecordRow) => RecordLine) => {
  const { columns, embedded } = recordSql(resource)
  const kept = columns.filter((column) => !STAMPS.has(column.field) && !embedded.includes(column))
  return (row) => {
    const document = JSON.stringify({ id: row.id, ...objectOf(kept, row) }).slice(0, -1)
    const others =
      embedded.length === 0 ? '}' : `,${JSON.stringify(objectOf(embedded, row)).slice(1)}`
    return { id: row.id, line: storable(`${document}${KEPT_END}${others}`) }
  }
}
