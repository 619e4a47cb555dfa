/** How a record of one app becomes what is written to another: constants, values and texts with values in them. */
import { createHash } from 'node:crypto'
import { nearest } from '../definition/catalogue.ts'
import type { Json } from '../definition/connector.ts'
import type { Field, Fields } from '../definition/field.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { type Input, readInput } from '../query/input.ts'
import { fieldAt, valueAt } from './record-path.ts'

/** A constant, `{ "from": "customer.email" }`, or a text such as `Order {orderNumber}` (`{{` is a brace). */
export type MappedValue = Json | { readonly from: string }
export type FieldMapping = Readonly<Record<string, MappedValue>>

const scalars = [
  ...['text', 'label', 'enumeration', 'integer', 'number', 'decimal', 'boolean'],
  ...['timestamp', 'date', 'json'],
]

/** The kinds of value that a field takes from a record. References do not: an id means nothing in another app. */
const taken: Partial<Record<Field['kind'], readonly string[]>> = {
  text: scalars,
  integer: ['integer', 'json'],
  number: ['integer', 'number', 'decimal', 'json'],
  decimal: ['integer', 'number', 'decimal', 'json'],
  boolean: ['boolean', 'json'],
  timestamp: ['timestamp', 'date', 'json'],
  date: ['timestamp', 'date', 'json'],
  enumeration: ['text', 'enumeration', 'label', 'json'],
  label: ['text', 'enumeration', 'label', 'json'],
  texts: ['texts'],
}

const isFrom = (value: MappedValue): value is { readonly from: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'from' in value

type Part = { readonly text: string } | { readonly path: string }

/** The parts of a text; undefined where a brace is left open. */
const parseTemplate = (template: string): readonly Part[] | undefined => {
  const parts: Part[] = []
  let rest = template
  while (rest !== '') {
    const found = /^(?:\{\{|\}\}|\{([^{}]+)\}|[^{}]+)/.exec(rest)
    if (!found) return
    const [token, path] = found
    if (path !== undefined) parts.push({ path: path.trim() })
    else parts.push({ text: token === '{{' ? '{' : token === '}}' ? '}' : token })
    rest = rest.slice(token.length)
  }
  return parts
}

const checkPath = (
  path: string,
  source: Resource,
  kinds: readonly string[],
  where: string,
): void => {
  const field = fieldAt(source, path)
  if (!field) {
    const near = nearest(path.slice(0, 64), Object.keys(source.allFields))
    throw invalidParameter(where, `the path of a field of ${source.topic}, such as ${near}`)
  }
  if (!kinds.includes(field.kind))
    throw invalidParameter(where, `a field of kind ${kinds.join(', ')} (${path} is ${field.kind})`)
}

/**
 * Checks one value of a mapping. `where` is its path in the definition.
 * @throws INVALID_PARAMETER
 */
export const checkMappedValue = (
  { name, target, source }: { name: string; target: Field; source: Resource },
  value: MappedValue,
  where: string,
): void => {
  if (isFrom(value)) {
    const { from, ...rest } = value
    if (typeof from !== 'string' || Object.keys(rest).length > 0)
      throw invalidParameter(where, 'a constant, a text with {paths}, or { "from": "path" }')
    const kinds = taken[target.kind]
    if (!kinds) throw invalidParameter(where, `a constant (${name} is of kind ${target.kind})`)
    checkPath(from, source, kinds, `${where}.from`)
    return
  }
  if (typeof value === 'string') {
    const parts = parseTemplate(value)
    if (!parts)
      throw invalidParameter(where, 'a text whose braces are closed ({{ and }} stand for braces)')
    const paths = parts.flatMap((part) => ('path' in part ? [part.path] : []))
    if (paths.length > 0 && target.kind !== 'text')
      throw invalidParameter(where, `a constant or { "from": "path" } (${name} is ${target.kind})`)
    for (const path of paths) checkPath(path, source, scalars, where)
    if (paths.length > 0) return
  }
  try {
    readInput({ [name]: target }, { [name]: constant(value) })
  } catch (error) {
    // Told at its place in the definition, not in the record.
    const detail = (error as { details?: readonly { expected: string }[] }).details?.[0]
    throw detail ? invalidParameter(where, detail.expected) : error
  }
}

const constant = (value: Json): Json =>
  typeof value === 'string'
    ? (parseTemplate(value) ?? []).map((part) => ('text' in part ? part.text : '')).join('')
    : value

const scalarText = (value: unknown, path: string): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw invalidParameter(path, 'a text, a number, true or false')
  return String(value)
}

const mappedValue = (value: MappedValue, target: Field, record: unknown): unknown => {
  if (isFrom(value)) {
    const found = valueAt(record, value.from)
    if (found === undefined || found === null) return target.kind === 'texts' ? [] : null
    return target.kind === 'text' ? scalarText(found, value.from) : found
  }
  if (typeof value !== 'string') return value
  return (parseTemplate(value) ?? [])
    .map((part) => ('text' in part ? part.text : scalarText(valueAt(record, part.path), part.path)))
    .join('')
}

/**
 * What is to be written, read as any caller's input is.
 * @throws INVALID_PARAMETER if a value of the record does not fit the field that it is meant for
 */
export const mapFields = (mapping: FieldMapping, target: Resource, record: unknown): Input => {
  const named = Object.entries(mapping).flatMap(([name, value]) => {
    const field = (target.fields as Fields)[name]
    return field ? [{ name, field, value: mappedValue(value, field, record) }] : []
  })
  const fields = Object.fromEntries(named.map(({ name, field }) => [name, field]))
  return readInput(fields, Object.fromEntries(named.map(({ name, value }) => [name, value])))
}

/** Tells whether the same would be written again. */
export const fingerprintOf = (input: Input): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
