/** The rules of properties: all values are text, and empty text clears one (NOTES "values are text"). */
import type { Json, Steps } from '../../definition/connector.ts'
import { WriteRejection } from '../../definition/connector.ts'
import type { AppField } from '../../definition/custom-field.ts'
import { orElse } from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'
import { dayIn, isoTimeOf, noonIn } from './days.ts'
import type { ObjectType } from './object-type.ts'
import { portal, propertyNames, readProperties } from './portal.ts'

/** A property that is read unchanged. */
export const property = (name: string): Converter =>
  orElse({ from: `properties.${name}`, write: String }, '')

/** A property with a time. The unified field shows its day in the time zone of the account. */
export const dayProperty = (name: string): Converter => ({
  ...property(name),
  read: (value, _record, context) => dayIn(portal.of(context).timeZone, value),
  write: (day, { context }) => noonIn(portal.of(context).timeZone, String(day)),
})

/** A property with a time that HubSpot sets. */
export const timeProperty = (name: string): Converter => ({
  from: `properties.${name}`,
  on: [],
  read: isoTimeOf,
})

/** The id of the only owner with this name, or of the one with this id. @throws WriteRejection */
const ownerId = (name: string, owners: Readonly<Record<string, string>>, path: string): string => {
  if (Object.hasOwn(owners, name)) return name
  const found = Object.entries(owners).filter(([, one]) => one.toLowerCase() === name.toLowerCase())
  const [first, second] = found
  if (first && !second) return first[0]
  throw new WriteRejection(
    first
      ? 'Several users of HubSpot have this name; pass the id of the owner.'
      : 'No user of HubSpot has this name.',
    path,
  )
}

/** The owner of a record, shown by name. */
export const ownerName: Converter = {
  ...property('hubspot_owner_id'),
  read: (id, _record, context) => portal.of(context).owners[String(id)] ?? null,
  write: (name, { context, path }) => ownerId(String(name), portal.of(context).owners, path),
}

/** A reference: the first associated record of a type (NOTES "references are associations"). */
export const link = (target: string): Converter => ({
  from: `associations.${target}.0`,
  to: `associations.${target}`,
})

/** A value in the form of a property. */
export const textOf = (value: Json): string =>
  value === null ? '' : Array.isArray(value) ? value.map(textOf).join(';') : String(value)

const TYPES: Readonly<Record<string, AppField['type']>> = {
  string: 'text',
  phone_number: 'text',
  enumeration: 'text',
  number: 'decimal',
  bool: 'boolean',
  date: 'date',
  datetime: 'timestamp',
}

/** The steps that read the properties of a type of objects, of those that its records contain. */
export const describeFields = (type: ObjectType) =>
  function* (context?: unknown): Steps<readonly AppField[]> {
    const read = new Set(propertyNames(type, context))
    const described = (yield* readProperties(type)).filter(({ name }) => read.has(String(name)))
    return described.map((one) => {
      const options = entriesOf(one.options).filter(({ hidden }) => hidden !== true)
      const isFixed =
        one.calculated === true || valuesOf(one.modificationMetadata).readOnlyValue === true
      return {
        remoteField: `properties.${one.name}`,
        label: typeof one.label === 'string' && one.label !== '' ? one.label : String(one.name),
        type: TYPES[String(one.type)] ?? null,
        writable: !isFixed,
        ...(options.length > 0 && { options: options.map(({ value }) => String(value)) }),
      }
    })
  }
