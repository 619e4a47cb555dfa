/** Removes the references to the schema builder from a built schema, which saves half of the schema's memory. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { Builder } from './builder.ts'

interface Extended {
  extensions: Readonly<Record<string | symbol, unknown>>
}

// Pothos stores these in the extensions of each part. They refer to the builder, and the builder to its unsorted
// copy of each type.
const release = (part: Extended): void => {
  const { pothosOptions: _options, pothosConfig: _config, ...others } = part.extensions
  part.extensions = others
}

/** The fields or values of a type, with the arguments of each field. */
const partsOf = (type: GraphQLNamedType): readonly Extended[] => {
  if (isEnumType(type)) return type.getValues()
  if (isInputObjectType(type)) return Object.values(type.getFields())
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
}

/** Empties the configurations of types and fields, which stay with the builder, to which some resolvers refer. */
const releaseConfigurations = ({ configStore }: Builder): void => {
  for (const part of Object.values(configStore))
    if (part instanceof Map || part instanceof Set) part.clear()
}

/**
 * Removes what only the builder needs from the types, fields, arguments and values of a schema, and empties the builder.
 * @param resolveType the type of an object of an interface; replaces the function of Pothos, which refers to the builder
 */
export const releaseBuilder = <Source>(
  builder: Builder,
  schema: GraphQLSchema,
  resolveType: GraphQLTypeResolver<Source, unknown>,
): void => {
  for (const type of Object.values(schema.getTypeMap())) {
    release(type)
    if (isInterfaceType(type)) type.resolveType = resolveType
    for (const part of partsOf(type)) release(part)
  }
  releaseConfigurations(builder)
}
