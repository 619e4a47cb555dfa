/** What a list's filter means for one record, told by its JSON alone: as PostgreSQL tells it by its columns. */
import { compareDecimals, type Decimal, parseDecimal } from '../definition/decimal.ts'
import { recordId, referencedId, resolveId } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import type { ExactRecord } from './exact-json.ts'
import type { FilterTerm } from './filter.ts'
import type { ListFilter } from './list-request.ts'

const DAY_MS = 86_400_000

/** @throws TypeError if it is no decimal number */
const decimalOf = (value: unknown): Decimal => {
  const decimal = parseDecimal(String(value))
  if (decimal) return decimal
  throw new TypeError('A filter compares a number with what is none.')
}

type Order = (comparison: number) => boolean

const orders: Readonly<Record<string, Order>> = {
  equals: (comparison) => comparison === 0,
  min: (comparison) => comparison >= 0,
  max: (comparison) => comparison <= 0,
}

const meetsTime = ({ parameter, value, wholeDay }: FilterTerm, time: string): boolean => {
  const at = Date.parse(time)
  const from = Date.parse(String(value))
  if (!wholeDay) return orders[parameter.operator]?.(at - from) ?? false
  const isFromThen = at >= from
  const isUntilThen = at < from + DAY_MS
  return parameter.operator === 'min'
    ? isFromThen
    : parameter.operator === 'max'
      ? isUntilThen
      : isFromThen && isUntilThen
}

/** Whether a value that is there equals, contains, or is within the bound. */
const meetsPresent = (term: FilterTerm, credentialId: string, found: unknown): boolean => {
  const { definition, kind, operator } = term.parameter
  const wanted = String(term.value)
  if (definition.kind === 'reference')
    return referencedId(found) === resolveId(credentialId, definition.target, wanted)
  switch (kind) {
    case 'timestamp':
    case 'date':
      return meetsTime(term, String(found))
    case 'integer':
    case 'number':
    case 'decimal':
      return orders[operator === 'notEquals' ? 'equals' : operator]?.(
        compareDecimals(decimalOf(found), decimalOf(wanted)),
      ) as boolean
    case 'boolean':
      return found === term.value
    default:
      return operator === 'contains'
        ? String(found).toLowerCase().includes(wanted.toLowerCase())
        : found === wanted
  }
}

const meetsTerm = (
  resource: Resource,
  term: FilterTerm,
  credentialId: string,
  record: ExactRecord,
): boolean => {
  const { field, operator } = term.parameter
  if (field === 'remoteId')
    return record.id === recordId(credentialId, resource.topic, String(term.value))
  const found = record[field] ?? null
  // A record without a value differs from every value.
  if (operator === 'notEquals') return found === null || !meetsPresent(term, credentialId, found)
  return found !== null && meetsPresent(term, credentialId, found)
}

/** The fields of a record by which it is not in a list with this filter; none: it is. */
export const unmetFields = (
  resource: Resource,
  { terms, deleted }: ListFilter,
  credentialId: string,
  record: ExactRecord,
): readonly string[] => {
  const unmet = terms
    .filter((term) => !meetsTerm(resource, term, credentialId, record))
    .map(({ parameter }) => parameter.field)
  const isKept = deleted === 'included' || (deleted === 'alone') === record.remoteDeleted
  return isKept ? unmet : [...unmet, 'remoteDeleted']
}

/** `in`: the record is in the list now · `left`: it may have been until this change · `out`: neither. */
export type FilterVerdict = 'in' | 'left' | 'out'

/** A change of a record, as far as a filter asks. */
export interface FilteredChange {
  readonly kind: string
  readonly credentialId: string
  readonly changedFields: readonly string[]
}

/**
 * What a change means for a list. A record can have left only if every condition that it does not meet
 * is on a field that has just changed: with another unmet, it had not been in the list.
 */
export const judgeChange = (
  resource: Resource,
  filter: ListFilter,
  { kind, credentialId, changedFields }: FilteredChange,
  record: ExactRecord,
): FilterVerdict => {
  const unmet = unmetFields(resource, filter, credentialId, record)
  if (unmet.length === 0) return 'in'
  const hasChanged = (field: string): boolean =>
    // The time of the change itself is not counted among the fields.
    changedFields.includes(field) || field === 'updatedAt'
  return kind !== 'created' && unmet.every(hasChanged) ? 'left' : 'out'
}
