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
  const nullableType = getNullableType(type)
  if (isListType(nullableType))
    return Array.isArray(value)
      ? value.map((entry) => toEnumNames(nullableType.ofType, entry))
      : value
  if (isEnumType(nullableType))
    return nullableType.getValues().find((candidate) => candidate.value === value)?.name ?? value
  return isInputObjectType(nullableType)
    ? mapValues(value, (name, field) => toEnumNames(nullableType.getFields()[name]?.type, field))
    : value
}

/** The value of a result with the words of REST. @throws GraphQLError for a name that the type does not have */
export const toWords = (type: GraphQLOutputType | undefined, value: unknown): unknown => {
  if (type === undefined || value == null) return value
  const nullableType = getNullableType(type)
  if (isListType(nullableType))
    return (value as readonly unknown[]).map((entry) => toWords(nullableType.ofType, entry))
  if (isEnumType(nullableType)) return nullableType.parseValue(value)
  return isObjectType(nullableType)
    ? mapValues(value, (name, field) => toWords(nullableType.getFields()[name]?.type, field))
    : value
}
