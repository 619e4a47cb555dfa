/** What a filter means, said again without SQL: the code under test must leave the same records. */
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'

/** Filter parameters by name, as a query string gives them. */
export type GivenFilter = Readonly<Record<string, string>>

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

const meets = (
  { field, kind, operator, definition }: FilterParameter,
  credentialId: string,
  record: StoredRecord,
  given: string,
): boolean => {
  const value = record[field] ?? null
  if (value === null) return operator === 'notEquals'
  if (operator === 'notEquals')
    return !meets(
      { name: '', field, kind, operator: 'equals', definition, doc: '' },
      credentialId,
      record,
      given,
    )
  switch (kind) {
    case 'text':
      return operator === 'contains'
        ? String(value).toLowerCase().includes(given.toLowerCase())
        : value === given
    case 'enumeration':
      return value === given.toUpperCase()
    case 'boolean':
      return String(value) === given
    case 'integer':
    case 'number':
    case 'decimal':
      return compare(operator, exact(String(value)), exact(given))
    case 'reference': {
      if (definition.kind !== 'reference') throw new TypeError(field)
      return (
        value === given.toLowerCase() || value === recordId(credentialId, definition.target, given)
      )
    }
    case 'timestamp':
    case 'date': {
      const at = Date.parse(String(value))
      const from = Date.parse(given)
      if (!/^\d{4}-\d{2}-\d{2}$/.test(given)) return compare(operator, at, from)
      // A day: any instant of it equals, is at least and at most the day.
      return (operator === 'max' || at >= from) && (operator === 'min' || at < from + DAY_MS)
    }
  }
}

/** Whether a list with this filter holds the record. */
export const isListed = (
  resource: Resource,
  credentialId: string,
  record: StoredRecord,
  { includeDeleted, ...given }: GivenFilter,
): boolean => {
  if (record.remoteDeleted === true && includeDeleted !== 'true' && given.remoteDeleted !== 'true')
    return false
  return Object.entries(given).every(([name, value]) => {
    const parameter = filterParameters(resource).get(name)
    if (parameter === undefined) throw new RangeError(name)
    return meets(parameter, credentialId, record, value)
  })
}
