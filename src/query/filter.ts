/** Filters of a list: which parameters a resource offers, and what a caller's values mean. */
import { type Field, type Operator, operatorSuffix } from '../definition/field.ts'
import type { Resource } from '../definition/resource.ts'
import { isoTimestamp } from '../definition/value.ts'
import { invalidParameter } from '../errors.ts'

/** One query parameter, which is also one field of the GraphQL filter input. */
export interface FilterParameter {
  readonly name: string
  readonly field: string
  readonly kind: FilterKind
  readonly operator: Operator
  readonly definition: Field
  readonly doc: string
}

type FilterKind = Exclude<
  Field['kind'],
  'references' | 'texts' | 'list' | 'object' | 'json' | 'label'
>

/** A comparison that a record must satisfy. `wholeDay`: the value is a day, not an instant. */
export interface FilterTerm {
  readonly parameter: FilterParameter
  readonly value: string | number | boolean
  readonly wholeDay: boolean
}

const meaning: Readonly<Record<Operator, string>> = {
  equals: 'equals',
  notEquals: 'differs',
  contains: 'contains, whatever the case of letters',
  min: 'at least',
  max: 'at most',
}

const isFilterKind = (kind: Field['kind']): kind is FilterKind =>
  !['references', 'texts', 'list', 'object', 'json', 'label'].includes(kind)

const cache = new WeakMap<Resource, ReadonlyMap<string, FilterParameter>>()

/** The filter parameters of a resource's lists, by name, in the order of its fields. */
export const filterParameters = (resource: Resource): ReadonlyMap<string, FilterParameter> => {
  const known = cache.get(resource)
  if (known) return known
  const parameters = new Map<string, FilterParameter>()
  for (const [field, definition] of Object.entries(resource.allFields)) {
    if (!isFilterKind(definition.kind)) continue
    for (const operator of definition.filters) {
      const name = field + operatorSuffix[operator]
      const doc = `${definition.doc.replace(/\.$/, '')}: ${meaning[operator]}.`
      parameters.set(name, { name, field, kind: definition.kind, operator, definition, doc })
    }
  }
  cache.set(resource, parameters)
  return parameters
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
// ISO 8601 as in RFC 3339, section 5.6; the seconds' fraction may be left out.
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i
// As JSON writes a number, by which the document calls it one.
const DECIMAL = /^-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i
const INTEGER = /^-?\d{1,10}$/
export const INT32_MAX = 2_147_483_647
export const MAX_TEXT_LENGTH = 1000

/** Text that PostgreSQL and JSON can hold. @throws INVALID_PARAMETER */
export const checkText = (name: string, value: string): string => {
  if (value.includes('\0')) throw invalidParameter(name, 'text without NUL characters')
  if (!value.isWellFormed()) throw invalidParameter(name, 'well-formed Unicode text')
  if (value.length > MAX_TEXT_LENGTH)
    throw invalidParameter(name, `text of at most ${MAX_TEXT_LENGTH} characters`)
  return value
}

/** Whether a text is a day that exists: `2024-02-30` does not. */
export const isDay = (text: string): boolean =>
  DAY.test(text) && (isoTimestamp(text)?.startsWith(text) ?? false)

/** The instant that a timestamp means, in UTC; undefined if it is none, a day alone among them. */
export const instantOf = (text: string): string | undefined =>
  isDay(INSTANT.exec(text)?.[1] ?? '') ? isoTimestamp(text) : undefined

const parseTime = (
  { name, kind, operator }: FilterParameter,
  value: string,
): { value: string; wholeDay: boolean } => {
  if (isDay(value)) return { value, wholeDay: true }
  const dayOnly = kind === 'date' && operator === 'equals'
  const iso = dayOnly ? undefined : instantOf(value)
  if (iso !== undefined) return { value: iso, wholeDay: false }
  throw invalidParameter(
    name,
    dayOnly ? 'a date YYYY-MM-DD' : 'a date YYYY-MM-DD or a timestamp YYYY-MM-DDTHH:MM:SS.sssZ',
  )
}

/**
 * What a caller's value means: text from a query string, or a typed value from GraphQL.
 * A bare date stands for its whole day in UTC.
 * @throws INVALID_PARAMETER naming the parameter and what it takes
 */
export const parseFilterValue = (parameter: FilterParameter, given: unknown): FilterTerm => {
  const { name, kind, definition } = parameter
  const term = (value: FilterTerm['value'], wholeDay = false): FilterTerm => ({
    parameter,
    value,
    wholeDay,
  })
  switch (kind) {
    case 'integer': {
      const digits = String(given)
      if (INTEGER.test(digits) && Math.abs(Number(digits)) <= INT32_MAX) return term(Number(digits))
      throw invalidParameter(name, `a whole number from -${INT32_MAX} to ${INT32_MAX}`)
    }
    case 'number':
    case 'decimal': {
      const digits = String(given)
      if (Number.isFinite(given) || DECIMAL.test(digits)) return term(digits)
      throw invalidParameter(name, 'a decimal number such as 12.50')
    }
    case 'boolean':
      if (given === true || given === 'true') return term(true)
      if (given === false || given === 'false') return term(false)
      throw invalidParameter(name, 'true or false')
    default:
  }
  if (typeof given !== 'string') throw invalidParameter(name, 'text')
  const value = checkText(name, given)
  if (kind === 'timestamp' || kind === 'date') {
    const time = parseTime(parameter, value)
    return term(time.value, time.wholeDay)
  }
  if (definition.kind === 'enumeration') {
    const word = definition.values.find((known) => known === value.toUpperCase())
    if (word === undefined)
      throw invalidParameter(
        name,
        definition.values.length > 20
          ? `a code such as ${definition.values.slice(0, 3).join(', ')}`
          : `one of ${definition.values.join(', ')}`,
      )
    return term(word)
  }
  if (kind === 'reference' && value === '') throw invalidParameter(name, 'an identifier')
  return term(value)
}
