/** Keyset cursors: the place in an ordered list after which (or before which) a page begins. */
import type { Field } from '../definition/field.ts'
import { isUuid } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'

/** The order of a list: by one field, ties by id. */
export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** The place of one record in an order. `value` is the field's, as text; null if it has none. */
export interface Position {
  readonly value: string | null
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

/** The opaque text of a position; valid only for lists of the same order. */
export const encodeCursor = (order: Order, { value, id }: Position): string =>
  Buffer.from(JSON.stringify([orderKey(order), value, id])).toString('base64url')

const patterns: Partial<Record<Field['kind'], RegExp>> = {
  integer: /^-?\d{1,10}$/,
  number: /^-?\d{1,40}(\.\d{1,40})?$/,
  decimal: /^-?\d{1,40}(\.\d{1,40})?$/,
  timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  date: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
}

const fits = (kind: Field['kind'], value: string): boolean =>
  (patterns[kind]?.test(value) ?? (value.isWellFormed() && !value.includes('\0'))) &&
  (!(kind === 'timestamp' || kind === 'date') || !Number.isNaN(Date.parse(value))) &&
  (kind !== 'integer' || Math.abs(Number(value)) <= 2_147_483_648)

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
  const [key, value, id] = Array.isArray(parsed) && parsed.length === 3 ? parsed : []
  const fail = (expected: string): never => {
    throw new ApiError('INVALID_CURSOR', `${parameter}: expected ${expected}.`, [
      { field: parameter, expected },
    ])
  }
  if (typeof key !== 'string' || typeof id !== 'string' || !isUuid(id))
    return fail('a cursor that a list of this resource returned')
  if (key !== orderKey(order)) return fail('a cursor of a list in the same order')
  const kind = resource.allFields[order.field]?.kind ?? 'text'
  if (value !== null && !(typeof value === 'string' && fits(kind, value)))
    return fail('a cursor that a list of this resource returned')
  return { value, id }
}

/** The digits of a number as they stand in the record's JSON text: a double may not hold them all. */
const digitsOf = (recordJson: string, field: string): string | null => {
  const found = new Map<unknown, string>()
  const note = function (
    this: unknown,
    key: string,
    value: unknown,
    ...[context]: readonly { readonly source: string }[]
  ): unknown {
    if (key === field && context) found.set(this, context.source)
    return value
  }
  const root: unknown = JSON.parse(recordJson, note)
  return found.get(root) ?? null
}

/** The position of a record, from its JSON text. */
export const positionOf = (order: Order, recordJson: string): Position => {
  // The text is a record of ours: an object with an id.
  const record = JSON.parse(recordJson) as { id: string } & Record<string, unknown>
  const value = record[order.field]
  return {
    id: record.id,
    value:
      typeof value === 'number'
        ? digitsOf(recordJson, order.field)
        : typeof value === 'string'
          ? value
          : null,
  }
}
