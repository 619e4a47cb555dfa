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

/** The enum value of a word of REST, and of a field: `NEEDS_RECONNECT` for `needs_reconnect`, `API_KEY` for `apiKey`. */
export const enumValueName = (word: string): string =>
  word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()

/** The values of an enum type, from the words of REST and their descriptions. Resolvers read and return words. */
export const enumValues = (words: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(words).map(([word, description]) => [
      enumValueName(word),
      { value: word, description },
    ]),
  )

export const createEnums = (builder: Builder) => {
  const create = (name: string, { doc, words }: Enumeration) =>
    builder.enumType(name, { description: doc, values: enumValues(words) })
  const types = new Map<string, Pick<Enumeration, 'words'> & { type: ReturnType<typeof create> }>()
  return (place: EnumField, enumeration: Enumeration): ReturnType<typeof create> => {
    const name = enumeration.name ?? enumTypeName(place)
    const { words } = enumeration
    const existing = types.get(name)
    if (existing && existing.words !== words)
      throw new TypeError(`Two enumerations have the name ${name}. Name one with \`shared\`.`)
    const { type } = existing ?? { type: create(name, enumeration) }
    types.set(name, { words, type })
    return type
  }
}

export type Enums = ReturnType<typeof createEnums>
