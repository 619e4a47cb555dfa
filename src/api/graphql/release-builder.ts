/** Removes the references to the schema builder from a built schema, which saves a third of the schema's memory. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

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

/**
 * Removes what only the builder needs from the types, fields, arguments and values of a schema.
 * @param resolveType the type of an object of an interface; replaces the function of Pothos, which refers to the builder
 */
export const releaseBuilder = <Source>(
  schema: GraphQLSchema,
  resolveType: GraphQLTypeResolver<Source, unknown>,
): void => {
  for (const type of Object.values(schema.getTypeMap())) {
    release(type)
    if (isInterfaceType(type)) type.resolveType = resolveType
    for (const part of partsOf(type)) release(part)
  }
}
