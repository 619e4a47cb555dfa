/** Custom fields: values of an app's records that an integrator adds to a resource by API, without a deployment. */
import { boolean, date, decimal, type Field, number, text, texts, timestamp } from './field.ts'
import type { ValueContext } from './kinds/kind.ts'
import { readPath } from './mapping/read.ts'
import { normalizeValue } from './value.ts'

const DOC = 'A custom field.'

const fields = {
  text: text(DOC),
  number: number(DOC),
  decimal: decimal(DOC),
  boolean: boolean(DOC),
  date: date(DOC),
  timestamp: timestamp(DOC),
  texts: texts(DOC),
} as const satisfies Readonly<Record<string, Field>>

/** The type of a custom field. `number` is a JSON number, `decimal` a string of exact digits, `texts` a list. */
export type CustomFieldType = keyof typeof fields

/** The types in the order of the documentation. */
export const customFieldTypes = [
  'text',
  'number',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'texts',
] as const satisfies readonly CustomFieldType[]

/** The field that validates, converts and filters values of a type. */
export const fieldOfType = (type: CustomFieldType): Field => fields[type]

/** A custom field of one resource of a credential. */
export interface CustomField {
  /** The name in `customFields`. */
  readonly name: string
  readonly type: CustomFieldType
  /** The path of the value in the app's record: `properties.tier`. */
  readonly remoteField: string
}

/** The values of a record's custom fields by name, as they are stored; missing ones are null, or an empty list. */
export type CustomValues = Readonly<Record<string, unknown>>

/** Creates a function that reads the custom fields from a raw record. Values that do not fit are reported. */
export const createCustomReader = (
  customFields: readonly CustomField[],
): ((raw: unknown, context: ValueContext) => CustomValues) => {
  const readers = customFields.map(({ name, type, remoteField }) => ({
    name,
    field: fieldOfType(type),
    read: readPath(remoteField),
  }))
  return (raw, context) =>
    Object.fromEntries(
      readers.map(({ name, field, read }) => {
        const value = normalizeValue(field, read(raw), context, `customFields.${name}`)
        const { toJson } = field.kind.column
        return [name, value === null || toJson === undefined ? value : toJson(value)]
      }),
    )
}

/** A field of an app's records, as the app describes it. */
export interface AppField {
  /** The path of the value in the app's record. */
  readonly remoteField: string
  /** The label in the app. */
  readonly label: string
  /** The type of a custom field that fits it; null: none does. */
  readonly type: CustomFieldType | null
  /** Whether a write may set it. */
  readonly writable: boolean
  /** The values that the app accepts. Absent: any value of the type. */
  readonly options?: readonly string[]
}
