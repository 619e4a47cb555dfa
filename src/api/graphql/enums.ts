/** Enumerations of the schema: each made once, shared by the fields that name the same list. */
import type { EnumerationField } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import type { Builder } from './builder.ts'

/** Where an enumeration stands: the type that has the field, and the record's own name. */
export interface EnumPlace {
  readonly typeName: string
  readonly recordName: string
  readonly fieldName: string
}

/** `AccountingVendorStatus` of vendorStatus in AccountingVendor: the record's own name is not said twice. */
const enumTypeName = ({ typeName, recordName, fieldName }: EnumPlace): string =>
  typeName +
  pascalCase(fieldName.startsWith(recordName) ? fieldName.slice(recordName.length) : fieldName)

export const createEnums = (builder: Builder) => {
  const make = (name: string, values: readonly string[]) => builder.enumType(name, { values })
  const made = new Map<string, ReturnType<typeof make>>()
  return (place: EnumPlace, field: EnumerationField): ReturnType<typeof make> => {
    const name = field.enumName ?? enumTypeName(place)
    const known = made.get(name)
    if (known) return known
    const type = make(name, field.values)
    made.set(name, type)
    return type
  }
}

export type Enums = ReturnType<typeof createEnums>
