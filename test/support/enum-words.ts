/** Converts the words of REST to the enum values of GraphQL, and back. */
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql'

type Values = Readonly<Record<string, unknown>>

const mapValues = (values: unknown, map: (name: string, value: unknown) => unknown): unknown =>
  typeof values !== 'object' || values === null
    ? values
    : Object.fromEntries(
        Object.entries(values as Values).map(([name, value]) => [name, map(name, value)]),
      )

/** The value of an input with the names of enum values; what does not fit the type is unchanged. */
export const toEnumNames = (type: GraphQLInputType | undefined, value: unknown): unknown => {
  if (type === undefined) return value
  const known = getNullableType(type)
  if (isListType(known))
    return Array.isArray(value) ? value.map((entry) => toEnumNames(known.ofType, entry)) : value
  if (isEnumType(known))
    return known.getValues().find((candidate) => candidate.value === value)?.name ?? value
  return isInputObjectType(known)
    ? mapValues(value, (name, field) => toEnumNames(known.getFields()[name]?.type, field))
    : value
}

/** The value of a result with the words of REST. @throws GraphQLError for a name that the type does not have */
export const toWords = (type: GraphQLOutputType | undefined, value: unknown): unknown => {
  if (type === undefined || value == null) return value
  const known = getNullableType(type)
  if (isListType(known))
    return (value as readonly unknown[]).map((entry) => toWords(known.ofType, entry))
  if (isEnumType(known)) return known.parseValue(value)
  return isObjectType(known)
    ? mapValues(value, (name, field) => toWords(known.getFields()[name]?.type, field))
    : value
}
