/** Maps a record of one app to the input for another: with constants, values and text templates. */
import { createHash } from 'node:crypto'
import type { Json } from '../definition/connector.ts'
import type { Field, Fields, Kind } from '../definition/kinds/kind.ts'
import { isText } from '../definition/kinds/text.ts'
import { nearest } from '../definition/nearest.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { type Input, readInput } from '../query/input.ts'
import { fieldAt, valueAt } from './record-path.ts'

/** A constant, `{ "from": "customer.email" }`, or a template such as `Order {orderNumber}` (`{{` is a brace). */
export type MappedValue = Json | { readonly from: string }
/** The mapped values of an upsert, by the target's field names. */
export type FieldMapping = Readonly<Record<string, MappedValue>>

const isFrom = (value: MappedValue): value is { readonly from: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'from' in value

type Part = { readonly text: string } | { readonly path: string }

/** Parses a template. @returns undefined if a brace is not closed */
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
  accepts: NonNullable<Kind['accepts']>,
  where: string,
): void => {
  const field = fieldAt(source, path)
  if (!field) {
    const near = nearest(path, Object.keys(source.allFields))
    throw invalidParameter(where, `the path of a field of ${source.topic}, such as ${near}`)
  }
  const { name, isScalar } = field.kind
  if (accepts === 'scalars' ? isScalar : accepts.includes(name)) return
  const expected = accepts === 'scalars' ? 'with one value' : `of kind ${accepts.join(', ')}`
  throw invalidParameter(where, `a field ${expected} (${path} is ${name})`)
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
    const { accepts } = target.kind
    // References accept no field: an id of one app has no meaning in another.
    if (!accepts)
      throw invalidParameter(where, `a constant (${name} is of kind ${target.kind.name})`)
    checkPath(from, source, accepts, `${where}.from`)
    return
  }
  if (typeof value === 'string') {
    const parts = parseTemplate(value)
    if (!parts)
      throw invalidParameter(
        where,
        'a text with closed braces (write {{ and }} for literal braces)',
      )
    const paths = parts.flatMap((part) => ('path' in part ? [part.path] : []))
    if (paths.length > 0 && !isText(target))
      throw invalidParameter(
        where,
        `a constant or { "from": "path" } (${name} is ${target.kind.name})`,
      )
    for (const path of paths) checkPath(path, source, 'scalars', where)
    if (paths.length > 0) return
  }
  try {
    readInput({ [name]: target }, { [name]: constant(value) })
  } catch (error) {
    // Report the path in the definition, not in the record.
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
    if (found === undefined || found === null) return target.kind.isList ? [] : null
    return isText(target) ? scalarText(found, value.from) : found
  }
  if (typeof value !== 'string') return value
  return (parseTemplate(value) ?? [])
    .map((part) => ('text' in part ? part.text : scalarText(valueAt(record, part.path), part.path)))
    .join('')
}

/**
 * Maps a record to the input of a write, and validates it like a caller's input.
 * @throws INVALID_PARAMETER if a value of the record does not fit its target field
 */
export const mapFields = (mapping: FieldMapping, target: Resource, record: unknown): Input => {
  const named = Object.entries(mapping).flatMap(([name, value]) => {
    const field = (target.fields as Fields)[name]
    return field ? [{ name, field, value: mappedValue(value, field, record) }] : []
  })
  const fields = Object.fromEntries(named.map(({ name, field }) => [name, field]))
  return readInput(fields, Object.fromEntries(named.map(({ name, value }) => [name, value])))
}

/** A hash of an input, to detect an upsert with the same values. */
export const fingerprintOf = (input: Input): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
