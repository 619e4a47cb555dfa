/** Enum types of the schema; fields with the same named enumeration share one type. */
import type { Enumeration } from '../../definition/kinds/kind.ts'
import { pascalCase } from '../../definition/resource.ts'
import type { Builder } from './builder.ts'

/** The field of an enumeration: its type, the record name and the field name. */
export interface EnumField {
  readonly typeName: string
  readonly recordName: string
  readonly fieldName: string
}

/** The enum name without a repeated record name: `AccountingVendorStatus` for AccountingVendor.vendorStatus. */
const enumTypeName = ({ typeName, recordName, fieldName }: EnumField): string =>
  typeName +
  pascalCase(fieldName.startsWith(recordName) ? fieldName.slice(recordName.length) : fieldName)

export const createEnums = (builder: Builder) => {
  const create = (name: string, values: readonly string[]) => builder.enumType(name, { values })
  const types = new Map<string, ReturnType<typeof create>>()
  return (place: EnumField, enumeration: Enumeration): ReturnType<typeof create> => {
    const name = enumeration.name ?? enumTypeName(place)
    const existing = types.get(name)
    if (existing) return existing
    const type = create(name, enumeration.values)
    types.set(name, type)
    return type
  }
}

export type Enums = ReturnType<typeof createEnums>
