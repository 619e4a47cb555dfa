/** The meaning of a filter, implemented without SQL: the code under test must select the same records. */
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'

/** Filter parameters by name, with values as in a query string. */
export type FilterInput = Readonly<Record<string, string>>

/** A record with its stored values: decimals as digits, references as ids. */
export type StoredRecord = Readonly<Record<string, unknown>> & { readonly id: string }

const DAY_MS = 86_400_000

/** The digits times 10^30. */
const exact = (digits: string): bigint => {
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
  input: string,
): boolean => {
  const { field, operator, definition } = parameter
  const { name: kind, reference } = definition.kind
  const value = record[field] ?? null
  if (value === null) return operator === 'notEquals'
  if (operator === 'notEquals')
    return !matches({ ...parameter, operator: 'equals' }, credentialId, record, input)
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
      return compare(operator, exact(String(value)), exact(input))
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
      // A date: every instant of that day equals it, and is within its bounds.
      return (operator === 'max' || at >= from) && (operator === 'min' || at < from + DAY_MS)
    }
    default:
      throw new TypeError(`${field} has the kind ${kind}, which this oracle does not implement.`)
  }
}

/** Whether a list with this filter contains the record. */
export const isListed = (
  resource: Resource,
  credentialId: string,
  record: StoredRecord,
  { includeDeleted, ...given }: FilterInput,
): boolean => {
  if (record.remoteDeleted === true && includeDeleted !== 'true' && given.remoteDeleted !== 'true')
    return false
  return Object.entries(given).every(([name, value]) => {
    const parameter = filterParameters(resource).get(name)
    if (parameter === undefined) throw new RangeError(name)
    return matches(parameter, credentialId, record, value)
  })
}
