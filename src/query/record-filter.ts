/** Applies a list filter to the JSON of one record, with the same result as the SQL filter in PostgreSQL. */
import { recordId } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import type { ExactRecord } from './exact-json.ts'
import type { FilterTerm } from './filter.ts'
import type { ListFilter } from './list-request.ts'

const meetsTerm = (
  resource: Resource,
  term: FilterTerm,
  credentialId: string,
  record: ExactRecord,
): boolean => {
  const { field, operator, filter } = term.parameter
  if (field === 'remoteId')
    return record.id === recordId(credentialId, resource.topic, String(term.value))
  const found = record[field] ?? null
  // A record without a value differs from every value.
  return operator === 'notEquals'
    ? found === null || !filter.meets(found, term, 'equals', credentialId)
    : found !== null && filter.meets(found, term, operator, credentialId)
}

/** The fields whose conditions a record does not meet; empty if the record is in the list. */
export const unmetFields = (
  resource: Resource,
  { terms, deleted }: ListFilter,
  credentialId: string,
  record: ExactRecord,
): readonly string[] => {
  const unmet = terms
    .filter((term) => !meetsTerm(resource, term, credentialId, record))
    .map(({ parameter }) => parameter.field)
  const meetsDeleted = deleted === 'included' || (deleted === 'alone') === record.remoteDeleted
  return meetsDeleted ? unmet : [...unmet, 'remoteDeleted']
}

/** `in`: the record is in the list now · `left`: it may have been before this change · `out`: neither. */
export type FilterVerdict = 'in' | 'left' | 'out'

/** The facts of a change that a filter needs. */
export interface FilteredChange {
  readonly kind: string
  readonly credentialId: string
  readonly changedFields: readonly string[]
}

/**
 * Determines how a change affects a list. A record can only have left the list if every unmet condition is on a
 * changed field: with any other unmet condition, the record was not in the list before.
 */
export const matchChange = (
  resource: Resource,
  filter: ListFilter,
  { kind, credentialId, changedFields }: FilteredChange,
  record: ExactRecord,
): FilterVerdict => {
  const unmet = unmetFields(resource, filter, credentialId, record)
  if (unmet.length === 0) return 'in'
  const hasChanged = (field: string): boolean =>
    // `changedFields` does not include the time of the change itself.
    changedFields.includes(field) || field === 'updatedAt'
  return kind !== 'created' && unmet.every(hasChanged) ? 'left' : 'out'
}
