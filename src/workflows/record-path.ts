/** A value in a record, named by its path: `orderNumber`, `customer.email`, `lineItems.0.title`. */
import { type Field, type Fields, json, text } from '../definition/field.ts'
import type { Resource } from '../definition/resource.ts'

const INDEX = /^\d{1,4}$/

const below = (field: Field | undefined, step: string): Field | undefined => {
  switch (field?.kind) {
    case 'object':
      // A shape's fields, read by name.
      return (field.shape.fields as Fields)[step]
    case 'list':
      return INDEX.test(step) ? { ...field, kind: 'object' } : undefined
    case 'texts':
      return INDEX.test(step) ? text('An entry.') : undefined
    case 'reference':
      return ['id', 'remoteId', ...(field.embeds ?? [])].includes(step) && field.embeds
        ? text('Of the record that is shown in place of its id.')
        : undefined
    case 'json':
      return field
    default:
      return undefined
  }
}

/** What stands at a path in records of the resource; undefined if nothing ever does. JSON may hold anything. */
export const fieldAt = (resource: Resource, path: string): Field | undefined => {
  const [first = '', ...steps] = path.split('.')
  const own = Object.hasOwn(resource.allFields, first) ? resource.allFields[first] : undefined
  const start = first === 'id' ? text('The id of the record.') : own
  return steps.reduce<Field | undefined>(
    (field, step) => (Object.hasOwn(Object.prototype, step) ? undefined : below(field, step)),
    start?.kind === 'json' ? json(start.doc) : start,
  )
}

/** The value at a path; undefined if the record has none. */
export const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? // An object or a list, read by key.
          (value as Record<string, unknown>)[step]
        : undefined,
    record,
  )
