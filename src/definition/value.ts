/** From what an app says to what a record holds: one value of one field. */
import { DECIMAL } from './decimal.ts'
import type { Field, Fields, Shape } from './field.ts'
import { recordId } from './identity.ts'

/** A value that does not fit its field; the record is kept, the field is null. */
export interface ValueProblem {
  /** `lineItems[2].quantity` */
  readonly path: string
  readonly expected: string
}

export interface ValueContext {
  readonly credentialId: string
  readonly report: (problem: ValueProblem) => void
}

const INTEGER_MAX = 2_147_483_647

export const capitalise = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

/** `2026-11-21T08:00:00.000Z` of a date, an ISO 8601 text or milliseconds; undefined if it is none. */
export const isoTimestamp = (value: unknown): string | undefined => {
  if (!(value instanceof Date) && typeof value !== 'string' && typeof value !== 'number') return
  const date = new Date(value)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

const firstInstant = (iso: string): string => `${iso.slice(0, 10)}T00:00:00.000Z`

/**
 * What PostgreSQL can store of a text: it takes neither U+0000 nor half a surrogate pair, and the world
 * says anything. Each becomes U+FFFD. `maxLength`: UTF-16 units kept of its beginning, all unless given.
 */
export const storableText = (text: string, maxLength?: number): string =>
  text.slice(0, maxLength).replaceAll('\0', '\ufffd').toWellFormed()

/** Whether a value is an object that is read by its keys: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const normalizeShape = (
  shape: Shape,
  value: unknown,
  context: ValueContext,
  path: string,
): Readonly<Record<string, unknown>> | undefined => {
  if (!isObject(value)) return
  const result: Record<string, unknown> = {}
  for (const name in shape.fields) {
    const field = (shape.fields as Fields)[name]
    if (field) result[name] = normalizeNested(field, value[name], context, `${path}.${name}`)
  }
  return result
}

/** Inside a record a number is a JSON number; only columns keep a decimal's digits as text. */
const normalizeNested = (
  field: Field,
  value: unknown,
  context: ValueContext,
  path: string,
): unknown => {
  const normal = normalizeValue(field, value, context, path)
  return field.kind === 'number' && normal !== null ? Number(normal) : normal
}

const expectations: Partial<Record<Field['kind'], string>> = {
  text: 'a text',
  integer: 'a whole number of 32 bits',
  number: 'a decimal number',
  decimal: 'a decimal number',
  boolean: 'true or false',
  timestamp: 'an ISO 8601 timestamp',
  date: 'an ISO 8601 date',
  reference: 'an identifier',
  references: 'a list of identifiers',
  texts: 'a list of texts',
  list: 'a list of objects',
  object: 'an object',
}

/**
 * The value as the store takes it: decimals as text, references as ids, timestamps as ISO 8601.
 * What does not fit is reported and becomes null (an empty list where the field is a list).
 */
export const normalizeValue = (
  field: Field,
  value: unknown,
  context: ValueContext,
  path: string,
): unknown => {
  const isList = field.kind === 'list' || field.kind === 'texts' || field.kind === 'references'
  if (value === null || value === undefined) return isList ? [] : null
  const normal = convert(field, value, context, path)
  if (normal !== undefined) return normal
  const expected =
    field.kind === 'enumeration' || field.kind === 'label'
      ? `one of ${field.values.slice(0, 20).join(', ')}`
      : (expectations[field.kind] ?? 'JSON')
  context.report({ path, expected })
  return isList ? [] : null
}

const identifier = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

const convert = (field: Field, value: unknown, context: ValueContext, path: string): unknown => {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string'
        ? value
        : typeof value === 'number' || typeof value === 'boolean'
          ? String(value)
          : undefined
    case 'integer': {
      const whole = typeof value === 'string' && value !== '' ? Number(value) : value
      return Number.isInteger(whole) && Math.abs(Number(whole)) <= INTEGER_MAX ? whole : undefined
    }
    case 'number':
    case 'decimal': {
      const digits = String(value)
      return typeof value !== 'boolean' && DECIMAL.test(digits) ? digits : undefined
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'timestamp':
      return isoTimestamp(value)
    case 'date': {
      // A day is taken as it is written: an offset must not move it to the day before.
      const iso = isoTimestamp(typeof value === 'string' ? value.slice(0, 10) : value)
      return iso === undefined ? undefined : firstInstant(iso)
    }
    case 'enumeration':
      return typeof value !== 'string'
        ? undefined
        : field.values.find((word) => word === value || word === value.toUpperCase())
    case 'label':
      // Apps have more kinds of address and number than the contract names: a foreign word is kept.
      return typeof value === 'string' ? capitalise(value) : undefined
    case 'reference': {
      const remoteId = identifier(value)
      return remoteId === undefined
        ? undefined
        : recordId(context.credentialId, field.target, remoteId)
    }
    case 'references':
      if (!Array.isArray(value)) return
      return value.flatMap((entry) => {
        const remoteId = identifier(entry)
        return remoteId === undefined
          ? []
          : [recordId(context.credentialId, field.target, remoteId)]
      })
    case 'texts':
      return Array.isArray(value)
        ? value.filter((entry) => entry !== null && entry !== undefined).map(String)
        : undefined
    case 'list':
      if (!Array.isArray(value)) return
      return value.flatMap(
        (entry, index) => normalizeShape(field.shape, entry, context, `${path}[${index}]`) ?? [],
      )
    case 'object':
      return normalizeShape(field.shape, value, context, path)
    case 'json':
      return value
  }
}
