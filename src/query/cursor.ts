/** Keyset cursors: the position in an ordered list that a page starts after (or ends before). */
import { resourceTag, routeOf } from '../definition/identity.ts'
import { MAX_TEXT_LENGTH } from '../definition/kinds/limits.ts'
import type { Resource } from '../definition/resource.ts'
import { parseExactly } from './exact-json.ts'
import { invalidCursor } from './listed.ts'

/** A field of an order, and its direction. */
export interface OrderTerm {
  readonly field: string
  readonly isDescending: boolean
}

/** The order of a list: by one field or several, then by id, in the direction of the last field. */
export type Order = readonly [OrderTerm, ...OrderTerm[]]

/** The number of fields of an order. */
export const MAX_ORDER_FIELDS = 5

/**
 * The position of a record in an order. `values` are the values of the order's fields as text; null if the record
 * has none; undefined if they are too long for a cursor, and are then read from the record.
 */
export interface Position {
  readonly values: readonly (string | null)[] | undefined
  readonly id: string
}

/** The fields that a list can be ordered by. */
export const orderFields = (resource: Resource): readonly string[] =>
  Object.entries(resource.allFields)
    .filter(([, { kind }]) => kind.order)
    .map(([name]) => name)

const orderKey = (order: Order): string =>
  order.map(({ field, isDescending }) => (isDescending ? `-${field}` : field)).join()

const toText = (parts: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Encodes a position as opaque text, within the limit of a parameter. It is valid for lists of the same order only. */
export const encodeCursor = (order: Order, { values, id }: Position): string => {
  const key = orderKey(order)
  const text = values && toText([key, ...values, id])
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

const OF_RESOURCE = 'a cursor that a list of this resource returned'

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
  const [key, id] = [parts[0], parts.at(-1)]
  const values = parts.length === 2 ? undefined : parts.slice(1, -1)
  const isOfResource =
    parts.length >= 2 && typeof id === 'string' && routeOf(id)?.tag === resourceTag(resource.topic)
  if (!isOfResource) throw invalidCursor(parameter, OF_RESOURCE)
  if (key !== orderKey(order))
    throw invalidCursor(parameter, 'a cursor of a list in the same order')
  if (values === undefined) return { values, id }
  const isValid = order.every(({ field }, index) => {
    const value = values[index]
    const ordered = resource.allFields[field]?.kind.order
    return value === null || (typeof value === 'string' && ordered?.isValue(value))
  })
  if (!isValid || values.length !== order.length) throw invalidCursor(parameter, OF_RESOURCE)
  // Checked above: each is a text or null.
  return { values: values as (string | null)[], id }
}

/** Reads the position of a record from its JSON text. */
export const positionOf = (order: Order, recordJson: string): Position => {
  // Stored records are objects with an id.
  const record = JSON.parse(recordJson) as { id: string } & Record<string, unknown>
  const values = order.map(({ field }) => {
    const value = record[field]
    if (typeof value === 'string') return value
    // Exact parsing is slow, so only numbers need it: a page may contain a cursor for each record.
    return typeof value === 'number' ? String(parseExactly(recordJson)[field]) : null
  })
  return { id: record.id, values }
}
