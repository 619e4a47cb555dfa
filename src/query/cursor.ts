/** Keyset cursors: the place in an ordered list after which (or before which) a page begins. */
import type { Field } from '../definition/field.ts'
import { resourceTag, routeOf } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import { isoTimestamp } from '../definition/value.ts'
import { ApiError } from '../errors.ts'
import { parseExactly } from './exact-json.ts'
import { INT32_MAX, MAX_TEXT_LENGTH } from './filter.ts'

/** The order of a list: by one field, ties by id. */
export interface Order {
  readonly field: string
  readonly descending: boolean
}

/**
 * The place of one record in an order. `value` is the field's, as text; null if it has none; undefined
 * if it is too long to be carried: it is the one that the record has.
 */
export interface Position {
  readonly value: string | null | undefined
  readonly id: string
}

const orderable = new Set<Field['kind']>([
  'text',
  'integer',
  'number',
  'decimal',
  'timestamp',
  'date',
  'enumeration',
])

/** The fields that a list can be ordered by; by creation unless asked otherwise. */
export const orderFields = (resource: Resource): readonly string[] =>
  Object.entries(resource.allFields)
    .filter(([, { kind }]) => orderable.has(kind))
    .map(([name]) => name)

const orderKey = ({ field, descending }: Order): string => (descending ? `-${field}` : field)

const toText = (parts: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The opaque text of a position, no longer than a parameter may be; valid only for lists of the same order. */
export const encodeCursor = (order: Order, { value, id }: Position): string => {
  const key = orderKey(order)
  const text = value === undefined ? undefined : toText([key, value, id])
  return text !== undefined && text.length <= MAX_TEXT_LENGTH ? text : toText([key, id])
}

/** Whether PostgreSQL takes the text as a value of the field. */
const fits = (kind: Field['kind'], value: string): boolean => {
  switch (kind) {
    case 'integer':
      return /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= INT32_MAX
    case 'number':
    case 'decimal':
      return /^-?\d+(\.\d+)?$/.test(value)
    case 'timestamp':
    case 'date':
      // 30 February and the year 0 have the form of a day, and are none.
      return isoTimestamp(value) === value
    default:
      return value.isWellFormed() && !value.includes('\0')
  }
}

const parseCursor = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    // Not JSON: reported by the caller as any other text that is no cursor.
    return undefined
  }
}

/**
 * Reads a cursor that a list of this resource and order gave out. `parameter` is how the caller gave it.
 * @throws INVALID_CURSOR
 */
export const decodeCursor = (
  resource: Resource,
  order: Order,
  text: string,
  parameter: string,
): Position => {
  const parsed = parseCursor(text)
  const parts: readonly unknown[] = Array.isArray(parsed) ? parsed : []
  const [key, value, id] = parts.length === 2 ? [parts[0], undefined, parts[1]] : parts
  const fail = (expected: string): never => {
    throw new ApiError('INVALID_CURSOR', `${parameter}: expected ${expected}.`, [
      { field: parameter, expected },
    ])
  }
  const ofThisResource =
    parts.length <= 3 && typeof id === 'string' && routeOf(id)?.tag === resourceTag(resource.topic)
  if (!ofThisResource) return fail('a cursor that a list of this resource returned')
  if (key !== orderKey(order)) return fail('a cursor of a list in the same order')
  const kind = resource.allFields[order.field]?.kind ?? 'text'
  if (value == null) return { value, id }
  if (typeof value === 'string' && fits(kind, value)) return { value, id }
  return fail('a cursor that a list of this resource returned')
}

/** The position of a record, from its JSON text. */
export const positionOf = (order: Order, recordJson: string): Position => {
  // The text is a record of ours: an object with an id.
  const record = JSON.parse(recordJson) as { id: string } & Record<string, unknown>
  const value = record[order.field]
  if (typeof value === 'string') return { id: record.id, value }
  // Read exactly only here: most lists are ordered by a text, and a page may tell the place of each record.
  const isNumber = typeof value === 'number'
  return { id: record.id, value: isNumber ? String(parseExactly(recordJson)[order.field]) : null }
}
