/** Keyset cursors: the position in an ordered list that a page starts after (or ends before). */
import { resourceTag, routeOf } from '../definition/identity.ts'
import { MAX_TEXT_LENGTH } from '../definition/kinds/limits.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'
import { parseExactly } from './exact-json.ts'

/** The order of a list: by one field, then by id. */
export interface Order {
  readonly field: string
  readonly descending: boolean
}

/**
 * The position of a record in an order. `value` is the value of the order's field as text; null if the record
 * has none; undefined if it is too long for a cursor, and is then read from the record.
 */
export interface Position {
  readonly value: string | null | undefined
  readonly id: string
}

/** The fields that a list can be ordered by. */
export const orderFields = (resource: Resource): readonly string[] =>
  Object.entries(resource.allFields)
    .filter(([, { kind }]) => kind.order)
    .map(([name]) => name)

const orderKey = ({ field, descending }: Order): string => (descending ? `-${field}` : field)

const toText = (parts: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Encodes a position as opaque text, within the limit of a parameter. It is valid for lists of the same order only. */
export const encodeCursor = (order: Order, { value, id }: Position): string => {
  const key = orderKey(order)
  const text = value === undefined ? undefined : toText([key, value, id])
  return text !== undefined && text.length <= MAX_TEXT_LENGTH ? text : toText([key, id])
}

const parseCursor = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    // Not JSON: the caller reports it like any other invalid cursor.
    return undefined
  }
}

/**
 * Decodes a cursor that a list of this resource and order returned. `parameter` names it in errors.
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
  const isOfResource =
    parts.length <= 3 && typeof id === 'string' && routeOf(id)?.tag === resourceTag(resource.topic)
  if (!isOfResource) return fail('a cursor that a list of this resource returned')
  if (key !== orderKey(order)) return fail('a cursor of a list in the same order')
  if (value == null) return { value, id }
  const ordered = resource.allFields[order.field]?.kind.order
  if (typeof value === 'string' && ordered?.isValue(value)) return { value, id }
  return fail('a cursor that a list of this resource returned')
}

/** Reads the position of a record from its JSON text. */
export const positionOf = (order: Order, recordJson: string): Position => {
  // Stored records are objects with an id.
  const record = JSON.parse(recordJson) as { id: string } & Record<string, unknown>
  const value = record[order.field]
  if (typeof value === 'string') return { id: record.id, value }
  // Exact parsing is slow, so only numbers need it: a page may contain a cursor for each record.
  const isNumber = typeof value === 'number'
  return { id: record.id, value: isNumber ? String(parseExactly(recordJson)[order.field]) : null }
}
