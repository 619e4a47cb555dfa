/**
 * The rules of the GraphQL schema: names, descriptions, no unused types. They follow the schema rules of
 * graphql-eslint, which would double the number of packages that the project installs.
 */
import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'

/** A named part of the schema. */
interface Part {
  /** Where it is: `Query.credentials(app:)`. */
  readonly at: string
  readonly name: string
  readonly form: keyof typeof forms
  readonly description: string | null | undefined
  readonly deprecationReason?: string | null | undefined
}

const forms = {
  PascalCase: /^[A-Z][A-Za-z0-9]{0,99}$/,
  camelCase: /^[a-z][A-Za-z0-9]{0,99}$/,
  UPPER_CASE: /^[A-Z][A-Z0-9]{0,99}(?:_[A-Z0-9]{1,99}){0,20}$/,
} as const

type Named = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField | GraphQLEnumValue

const partOf = (at: string, form: Part['form'], part: Named): Part => ({
  at,
  form,
  name: part.name,
  description: part.description,
  deprecationReason: part.deprecationReason,
})

const argumentsOf = (at: string, args: readonly GraphQLArgument[]): readonly Part[] =>
  args.map((arg) => partOf(`${at}(${arg.name}:)`, 'camelCase', arg))

const membersOf = (type: GraphQLNamedType): readonly Part[] => {
  if (isEnumType(type))
    return type
      .getValues()
      .map((value) => partOf(`${type.name}.${value.name}`, 'UPPER_CASE', value))
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) =>
      partOf(`${type.name}.${field.name}`, 'camelCase', field),
    )
  if (isObjectType(type) || isInterfaceType(type))
    return Object.values(type.getFields()).flatMap((field) => {
      const at = `${type.name}.${field.name}`
      return [partOf(at, 'camelCase', field), ...argumentsOf(at, field.args)]
    })
  return []
}

const ownTypes = (schema: GraphQLSchema): readonly GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  )

const partsOf = (schema: GraphQLSchema): readonly Part[] => [
  ...schema
    .getDirectives()
    .filter((directive) => !isSpecifiedDirective(directive))
    .flatMap(({ name, description, args }): readonly Part[] => [
      { at: `@${name}`, name, form: 'camelCase', description },
      ...argumentsOf(`@${name}`, args),
    ]),
  ...ownTypes(schema).flatMap((type): readonly Part[] => [
    { at: type.name, name: type.name, form: 'PascalCase', description: type.description },
    ...membersOf(type),
  ]),
]

const INPUT_ENDINGS = ['Input', 'Filter', 'Order'] as const

/** Words that repeat what a type is: `CurrencyEnum`. */
const typeWord = (type: GraphQLNamedType): string | undefined => {
  if (isEnumType(type)) return 'Enum'
  if (isInterfaceType(type)) return 'Interface'
  if (isUnionType(type)) return 'Union'
  if (isScalarType(type)) return 'Scalar'
  return isObjectType(type) ? 'Type' : undefined
}

const checkTypeName = (type: GraphQLNamedType): readonly string[] => {
  const { name } = type
  const isInputName = INPUT_ENDINGS.some((ending) => name.endsWith(ending))
  const word = typeWord(type)
  return [
    ...(isInputObjectType(type) && !isInputName
      ? [`${name}: the name of an input type ends in ${INPUT_ENDINGS.join(' or ')}.`]
      : []),
    ...(word !== undefined && (name.startsWith(word) || name.endsWith(word))
      ? [`${name}: the name repeats the word ${word}.`]
      : []),
  ]
}

const CONNECTION_FIELDS = ['edges', 'nodes', 'pageInfo', 'totalCount'] as const

const checkConnection = (type: GraphQLNamedType): readonly string[] =>
  isObjectType(type) && type.name.endsWith('Connection')
    ? CONNECTION_FIELDS.filter((name) => !(name in type.getFields())).map(
        (name) => `${type.name}: a connection has the field ${name}.`,
      )
    : []

/** Prefixes of queries that repeat what a query does. */
const READS = /^(?:get|list|query|fetch)[A-Z]/

const checkQueries = (schema: GraphQLSchema): readonly string[] =>
  Object.keys(schema.getQueryType()?.getFields() ?? {})
    .filter((name) => READS.test(name))
    .map((name) => `Query.${name}: a query is named after what it returns.`)

const checkReachable = (schema: GraphQLSchema): readonly string[] => {
  const reachable = new GraphQLSchema({
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
    directives: schema.getDirectives(),
    // Types that are reached only as implementations of an interface.
    types: ownTypes(schema).filter((type) => isObjectType(type) && type.getInterfaces().length > 0),
  }).getTypeMap()
  return ownTypes(schema)
    .filter(({ name }) => !(name in reachable))
    .map(({ name }) => `${name}: no field or argument has this type.`)
}

const checkPart = ({ at, name, form, description, deprecationReason }: Part): readonly string[] => [
  ...(forms[form].test(name) ? [] : [`${at}: the name is not in ${form}.`]),
  ...(description?.trim() ? [] : [`${at}: a description is missing.`]),
  ...(deprecationReason === '' || deprecationReason === 'No longer supported'
    ? [`${at}: the deprecation has no reason, which names the replacement.`]
    : []),
]

/** What is wrong with a schema, each with its place; empty if it follows every rule. */
export const checkSchema = (schema: GraphQLSchema): readonly string[] => [
  ...(schema.description?.trim() ? [] : ['schema: a description is missing.']),
  ...partsOf(schema).flatMap(checkPart),
  ...ownTypes(schema).flatMap((type) => [...checkTypeName(type), ...checkConnection(type)]),
  ...checkQueries(schema),
  ...checkReachable(schema),
]
