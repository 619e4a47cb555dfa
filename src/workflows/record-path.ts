/** Record paths: `orderNumber`, `customer.email`, `lineItems.0.title`. */
import { text } from '../definition/field.ts'
import type { Field } from '../definition/kinds/kind.ts'
import type { Resource } from '../definition/resource.ts'

const INDEX = /^\d{1,4}$/

const below = (field: Field | undefined, step: string): Field | undefined => {
  if (field === undefined || field.kind.isFree) return field
  const { isList, entry, fields } = field.kind
  if (isList) return INDEX.test(step) ? entry : undefined
  return fields?.[step]
}

/** The field at a path in records of a resource; undefined if there is none. Any path in free JSON is valid. */
export const fieldAt = (resource: Resource, path: string): Field | undefined => {
  const [first = '', ...steps] = path.split('.')
  const own = Object.hasOwn(resource.allFields, first) ? resource.allFields[first] : undefined
  const start = first === 'id' ? text('The id of the record.') : own
  return steps.reduce<Field | undefined>(
    (field, step) => (Object.hasOwn(Object.prototype, step) ? undefined : below(field, step)),
    start,
  )
}

/** The value at a path; undefined if the record has none. */
export const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? // An object or an array, read by key.
          (value as Record<string, unknown>)[step]
        : undefined,
    record,
  )
