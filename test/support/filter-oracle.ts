/** The meaning of a filter, implemented without SQL: the code under test must select the same records. */
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'
import { type FilterLink, filterLinks } from '../../src/query/filter-links.ts'

/** Filter parameters by name, with values as in a query string; a list for a parameter of several values. */
export interface FilterInput {
  readonly [name: string]: string | readonly string[]
}

/** A filter with nested filters: `and`, `or`, `not` and links. */
export interface ComposedFilter {
  readonly [name: string]: string | readonly string[] | ComposedFilter | readonly ComposedFilter[]
}

/** A record with its stored values: decimals as digits, references as ids. */
export type StoredRecord = Readonly<Record<string, unknown>> & { readonly id: string }

/** The records of one credential. */
export interface StoredRecords {
  readonly credentialId: string
  recordsOf(resource: Resource): readonly StoredRecord[]
}

const DAY_MS = 86_400_000

/** The digits times 10^30 as an exact integer. */
const toScaledInteger = (digits: string): bigint => {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits) ?? []
  const value = BigInt(whole + fraction.padEnd(30, '0'))
  return sign === '-' ? -value : value
}

const compare = (operator: string, a: bigint | number, b: bigint | number): boolean =>
  operator === 'min' ? a >= b : operator === 'max' ? a <= b : a === b

const matches = (
  parameter: FilterParameter,
  credentialId: string,
  record: StoredRecord,
  input: string | readonly string[],
): boolean => {
  const { field, operator, definition } = parameter
  const { name: kind, reference } = definition.kind
  const value = record[field] ?? null
  if (operator === 'isNull') return (value === null) === (input === 'true')
  if (value === null) return operator === 'notEquals'
  const isEqualTo = (item: string): boolean =>
    matches({ ...parameter, operator: 'equals' }, credentialId, record, item)
  if (typeof input !== 'string') return input.some(isEqualTo)
  if (operator === 'notEquals') return !isEqualTo(input)
  switch (kind) {
    case 'text':
      return operator === 'contains'
        ? String(value).toLowerCase().includes(input.toLowerCase())
        : value === input
    case 'enumeration':
      return value === input.toUpperCase()
    case 'boolean':
      return String(value) === input
    case 'integer':
    case 'number':
    case 'decimal':
      return compare(operator, toScaledInteger(String(value)), toScaledInteger(input))
    case 'reference': {
      return (
        value === input.toLowerCase() ||
        value === recordId(credentialId, reference?.target ?? '', input)
      )
    }
    case 'timestamp':
    case 'date': {
      const at = Date.parse(String(value))
      const from = Date.parse(input)
      if (!/^\d{4}-\d{2}-\d{2}$/.test(input)) return compare(operator, at, from)
      // Compares with a date: every instant of the day equals it and is within its bounds.
      return (operator === 'max' || at >= from) && (operator === 'min' || at < from + DAY_MS)
    }
    default:
      throw new TypeError(`${field} has the kind ${kind}, which this oracle does not implement.`)
  }
}

const isLinked = (link: FilterLink, record: StoredRecord, other: StoredRecord): boolean =>
  link.holder === 'linked'
    ? other[link.field] === record.id
    : link.isList
      ? Object(record[link.field]).includes(other.id)
      : record[link.field] === other.id

const matchesLink = (
  stored: StoredRecords,
  link: FilterLink,
  record: StoredRecord,
  filter: ComposedFilter,
): boolean => {
  const linked = stored.recordsOf(link.to).filter((other) => isLinked(link, record, other))
  if (!link.isList) return linked.some((other) => isMatch(stored, link.to, other, filter))
  return Object.entries(filter).every(([quantifier, nested]) => {
    const { includeDeleted, ...conditions } = nested as ComposedFilter
    const listed = linked.filter(({ remoteDeleted }) =>
      conditions.remoteDeleted === undefined
        ? includeDeleted === 'true' || !remoteDeleted
        : String(remoteDeleted) === conditions.remoteDeleted,
    )
    const matching = listed.filter((other) => isMatch(stored, link.to, other, conditions)).length
    return quantifier === 'some'
      ? matching > 0
      : quantifier === 'none'
        ? matching === 0
        : matching === listed.length
  })
}

/** Whether a record meets the conditions of a filter. */
const isMatch = (
  stored: StoredRecords,
  resource: Resource,
  record: StoredRecord,
  filter: ComposedFilter,
): boolean =>
  Object.entries(filter).every(([name, value]) => {
    const matchesFilter = (alternative: ComposedFilter): boolean =>
      isMatch(stored, resource, record, alternative)
    if (name === 'and') return (value as readonly ComposedFilter[]).every(matchesFilter)
    if (name === 'or') return (value as readonly ComposedFilter[]).some(matchesFilter)
    if (name === 'not') return !matchesFilter(value as ComposedFilter)
    const link = filterLinks(catalogue).get(resource)?.get(name)
    if (link) return matchesLink(stored, link, record, value as ComposedFilter)
    const parameter = filterParameters(resource).get(name)
    if (parameter === undefined) throw new RangeError(name)
    return matches(parameter, stored.credentialId, record, value as string | readonly string[])
  })

/** Whether a list with this filter contains the record. */
export const isListed = (
  stored: StoredRecords,
  resource: Resource,
  record: StoredRecord,
  { includeDeleted, ...conditions }: ComposedFilter,
): boolean => {
  const isLeftOut =
    record.remoteDeleted === true &&
    includeDeleted !== 'true' &&
    conditions.remoteDeleted !== 'true'
  return !isLeftOut && isMatch(stored, resource, record, conditions)
}
