/** Applies a list filter to the JSON of one record, with the same result as the SQL filter in PostgreSQL. */
import { recordId } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import type { ExactRecord } from './exact-json.ts'
import type { FilterCondition, FilterTerm, ListFilter } from './filter.ts'

/** A record with what a condition needs to know of it. */
interface FilteredRecord {
  readonly resource: Resource
  readonly credentialId: string
  readonly record: ExactRecord
}

const meetsTerm = (
  { resource, credentialId, record }: FilteredRecord,
  { parameter, values }: FilterTerm,
): boolean => {
  const { field, operator, filter } = parameter
  if (field === 'remoteId')
    return values.some(
      ({ value }) => record.id === recordId(credentialId, resource.topic, String(value)),
    )
  const found = record[field] ?? null
  if (operator === 'isNull') return values.some(({ value }) => value === (found === null))
  // A record without a value differs from every value.
  if (found === null) return operator === 'notEquals'
  if (operator === 'notEquals')
    return !values.some((value) => filter.meets(found, value, 'equals', credentialId))
  const compared = operator === 'in' ? 'equals' : operator
  return values.some((value) => filter.meets(found, value, compared, credentialId))
}

const meetsCondition = (subject: FilteredRecord, condition: FilterCondition): boolean => {
  const meets = meetsCondition.bind(undefined, subject)
  if (condition.form === 'term') return meetsTerm(subject, condition)
  if (condition.form === 'and') return condition.conditions.every(meets)
  if (condition.form === 'or') return condition.conditions.some(meets)
  if (condition.form === 'not') return !condition.conditions.every(meets)
  throw new TypeError('A filter of linked records cannot be applied to one record.')
}

/** The fields that a condition reads. */
const fieldsOf = (condition: FilterCondition): readonly string[] => {
  if (condition.form === 'term') return [condition.parameter.field]
  return condition.form === 'link' ? [condition.link.field] : condition.conditions.flatMap(fieldsOf)
}

/** The fields of each condition that a record does not meet; empty if the record is in the list. */
export const unmetFields = (
  resource: Resource,
  { conditions, deleted }: ListFilter,
  credentialId: string,
  record: ExactRecord,
): readonly (readonly string[])[] => {
  const subject = { resource, credentialId, record }
  const unmet = conditions.filter((condition) => !meetsCondition(subject, condition)).map(fieldsOf)
  const meetsDeleted = deleted === 'included' || (deleted === 'alone') === record.remoteDeleted
  return meetsDeleted ? unmet : [...unmet, ['remoteDeleted']]
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
 * Determines how a change affects a list. A record can only have left the list if a field of every unmet condition
 * has changed: with any other unmet condition, the record was not in the list before.
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
  return kind !== 'created' && unmet.every((fields) => fields.some(hasChanged)) ? 'left' : 'out'
}
