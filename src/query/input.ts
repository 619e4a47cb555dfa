/** What a caller gives to be written: read strictly, field by field, and refused by name. */
import { nearest } from '../definition/catalogue.ts'
import type { Json } from '../definition/connector.ts'
import { DECIMAL } from '../definition/decimal.ts'
import type { Field, Fields, TimestampField } from '../definition/field.ts'
import { isObject, storableText } from '../definition/value.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { INT32_MAX, instantOf, isDay } from './filter.ts'

/** Characters of one text; a note or a description may be long, a body is limited as a whole. */
export const MAX_INPUT_TEXT = 100_000
/** Entries of one list. */
export const MAX_INPUT_ENTRIES = 1000
/** Characters of one identifier. */
export const MAX_INPUT_ID = 512
/** How deep the lists and objects of free JSON may be nested: all that walks it later may be recursive. */
export const MAX_JSON_LEVELS = 64
const MAX_DIGITS = 60

export type Input = Readonly<Record<string, Json>>

/** Text that every database and app can hold. @throws INVALID_PARAMETER */
const readText = (path: string, value: unknown): string => {
  if (typeof value !== 'string') throw invalidParameter(path, 'a text')
  if (value.includes('\0')) throw invalidParameter(path, 'text without NUL characters')
  if (!value.isWellFormed()) throw invalidParameter(path, 'well-formed Unicode text')
  if (value.length > MAX_INPUT_TEXT)
    throw invalidParameter(path, `text of at most ${MAX_INPUT_TEXT} characters`)
  return value
}

/** Any JSON, as long as its texts can be stored and it is not nested too deep. @throws INVALID_PARAMETER */
const readJson = (field: string, given: unknown): Json => {
  const read = (path: string, value: unknown, levels: number): Json => {
    if (typeof value === 'string') return readText(path, value)
    // What is left of parsed JSON, or of a GraphQL value: null, a boolean or a number.
    if (typeof value !== 'object' || value === null) return value as Json
    if (levels === 0) throw invalidParameter(field, `JSON at most ${MAX_JSON_LEVELS} levels deep`)
    if (Array.isArray(value))
      return value.map((entry, index) => read(`${path}[${index}]`, entry, levels - 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        readText(path, name)
        return [name, read(`${path}.${name}`, entry, levels - 1)]
      }),
    )
  }
  return read(field, given, MAX_JSON_LEVELS)
}

const entries = (path: string, value: unknown, expected: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw invalidParameter(path, expected)
  if (value.length > MAX_INPUT_ENTRIES)
    throw invalidParameter(path, `at most ${MAX_INPUT_ENTRIES} entries`)
  return value
}

const identifier = (path: string, value: unknown): string => {
  const id = typeof value === 'number' ? String(value) : readText(path, value)
  if (id === '' || id.length > MAX_INPUT_ID) throw invalidParameter(path, 'an identifier')
  return id
}

const TIMESTAMP = 'a timestamp YYYY-MM-DDTHH:MM:SS.sssZ'

/** An instant in UTC; a day alone is none. @throws INVALID_PARAMETER */
export const readInstant = (path: string, value: unknown, expected = TIMESTAMP): string => {
  const iso = typeof value === 'string' ? instantOf(value) : undefined
  if (iso === undefined) throw invalidParameter(path, expected)
  return iso
}

/** An instant in UTC; a day alone stands for its first, or its last millisecond. */
const time = (path: string, value: unknown, ofDay: TimestampField['ofDay']): string => {
  const clock = ofDay === 'last' ? '23:59:59.999' : '00:00:00.000'
  return typeof value === 'string' && isDay(value)
    ? `${value}T${clock}Z`
    : readInstant(path, value, `${TIMESTAMP} or a date YYYY-MM-DD`)
}

const word = (path: string, value: unknown, values: readonly string[]): string => {
  const upper = typeof value === 'string' ? value.toUpperCase() : undefined
  const found = values.find((known) => known === upper || known === value)
  if (found !== undefined) return found
  throw invalidParameter(
    path,
    values.length > 20
      ? `a code such as ${values.slice(0, 3).join(', ')}`
      : `one of ${values.join(', ')}`,
  )
}

/** A number's digits as text, or, inside an object, a number. */
const digits = (path: string, value: unknown): string => {
  const text = String(value)
  const fits =
    (typeof value === 'string' || Number.isFinite(value)) &&
    DECIMAL.test(text) &&
    text.length <= MAX_DIGITS
  if (!fits) throw invalidParameter(path, 'a decimal number such as 12.50')
  return text
}

const readValue = (field: Field, value: unknown, path: string, nested: boolean): Json => {
  switch (field.kind) {
    case 'text':
      return readText(path, value)
    case 'integer':
      if (!Number.isInteger(value) || Math.abs(Number(value)) > INT32_MAX)
        throw invalidParameter(path, `a whole number from -${INT32_MAX} to ${INT32_MAX}`)
      return Number(value)
    case 'number':
      return nested ? Number(digits(path, value)) : digits(path, value)
    case 'decimal':
      return digits(path, value)
    case 'boolean':
      if (typeof value !== 'boolean') throw invalidParameter(path, 'true or false')
      return value
    case 'timestamp':
      return time(path, value, field.ofDay)
    case 'date':
      // A day is taken as it is written: an offset must not move it to the day before.
      time(path, value, 'first')
      return String(value).slice(0, 10)
    case 'enumeration':
    case 'label':
      return word(path, value, field.values)
    case 'reference':
      return identifier(path, value)
    case 'references':
      return entries(path, value, 'a list of identifiers').map((entry, index) =>
        identifier(`${path}[${index}]`, entry),
      )
    case 'texts':
      return entries(path, value, 'a list of texts').map((entry, index) =>
        readText(`${path}[${index}]`, entry),
      )
    case 'list':
      return entries(path, value, 'a list of objects').map((entry, index) =>
        readFields(field.shape.fields, entry, `${path}[${index}]`, true),
      )
    case 'object':
      return readFields(field.shape.fields, value, path, true)
    case 'json':
      return readJson(path, value)
  }
}

const readFields = (fields: Fields, given: unknown, path: string, nested: boolean): Input => {
  if (!isObject(given)) throw invalidParameter(path || 'body', 'an object')
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name)) {
      const shown = below(storableText(name, 64))
      const known = nearest(name.slice(0, 64), Object.keys(fields))
      throw new ApiError('INVALID_PARAMETER', `${shown} is not a field of this input.`, [
        {
          field: shown,
          expected: known === undefined ? 'no fields' : `a known field, such as ${known}`,
        },
      ])
    }
  const input: Record<string, Json> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name]
    if (value === undefined || (value === null && field.required)) {
      if (field.required) throw invalidParameter(below(name), 'a value (required)')
    } else input[name] = value === null ? null : readValue(field, value, below(name), nested)
  }
  return input
}

/**
 * Reads an object of these fields: a JSON body, or the input of a mutation. A field that is not given is
 * not in the result; null stands for "empty". Decimals and numbers become texts of digits (numbers inside
 * of objects stay numbers), times ISO 8601 in UTC, days `YYYY-MM-DD`, words those of the definition.
 * @throws INVALID_PARAMETER naming the field by its path (`addresses[0].street1`) and what was expected
 */
export const readInput = (fields: Fields, given: unknown): Input =>
  readFields(fields, given, '', false)
