/**
 * Reduces the introspection of the Admin API to what the simulator serves:
 *
 *     npm pack @shopify/dev-mcp@1.16.0 && tar xzf shopify-dev-mcp-1.16.0.tgz
 *     node test/simulators/shopify/contract/reduce.ts package/dist/data/admin_2026-07.json.gz
 *
 * It writes `admin-2026-07.sdl` and `search-fields.json`, which has the filters of each `query` argument.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  buildASTSchema,
  buildClientSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  type IntrospectionQuery,
  Kind,
  type NamedTypeNode,
  parse,
  print,
  printSchema,
  type TypeNode,
} from 'graphql'
import { servedAbstract, servedFields, servedInputs, unservedArguments } from './served.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the introspection: admin_2026-07.json.gz')
const parsed: { readonly data?: IntrospectionQuery } & IntrospectionQuery = JSON.parse(
  gunzipSync(readFileSync(file)).toString(),
)
const schema = buildClientSchema(parsed.data ?? parsed)
const definitions = new Map(
  parse(printSchema(schema), { noLocation: true }).definitions.flatMap(
    (definition): [string, DefinitionNode][] =>
      'name' in definition && definition.name ? [[definition.name.value, definition]] : [],
  ),
)

const wordsOf = (text: string): readonly string[] => text.split(/\s{1,20}/).filter(Boolean)

/** Payloads, user errors, connections and edges come with what they belong to, with all their fields. */
const isCompanion = (name: string): boolean =>
  /^\w{1,80}(Payload|UserError|Connection|Edge)$/.test(name) || name === 'UserError'

const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type)

const kept = new Map<string, DefinitionNode>()

const isServed = (name: string): boolean => {
  const definition = definitions.get(name)
  switch (definition?.kind) {
    case undefined: // A scalar that GraphQL itself defines.
    case Kind.SCALAR_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_DEFINITION:
      return true
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return name in servedInputs
    default:
      if (name in servedFields || servedAbstract.includes(name)) return true
      // A connection is served if its nodes are.
      return isCompanion(name) && !/(Connection|Edge)$/.test(name)
        ? true
        : name.replace(/(Connection|Edge)$/, '') in servedFields
  }
}

/** Drops the reasons of deprecations, which are prose; that something is deprecated stays. */
const withoutReasons = (
  directives: readonly ConstDirectiveNode[] = [],
): readonly ConstDirectiveNode[] =>
  directives.map((directive) =>
    directive.name.value === 'deprecated' ? { ...directive, arguments: [] } : directive,
  )

const reduceInputs = (
  inputs: readonly InputValueDefinitionNode[] = [],
): readonly InputValueDefinitionNode[] =>
  inputs
    .filter(({ name, type }) => {
      const isUnserved =
        unservedArguments.includes(name.value) ||
        unservedArguments.includes(`${name.value}.${namedType(type)}`)
      return !isUnserved && isServed(namedType(type))
    })
    .map(({ description: _, ...input }) => {
      keep(namedType(input.type))
      return { ...input, directives: withoutReasons(input.directives) }
    })

const reduceFields = (
  fields: readonly FieldDefinitionNode[] = [],
  wanted: readonly string[] | undefined,
): readonly FieldDefinitionNode[] =>
  fields
    .filter(({ name, type }) => (wanted?.includes(name.value) ?? true) && isServed(namedType(type)))
    .map(({ description: _, arguments: inputs, ...field }) => {
      keep(namedType(field.type))
      return {
        ...field,
        arguments: reduceInputs(inputs),
        directives: withoutReasons(field.directives),
      }
    })

const reduceInterfaces = (interfaces: readonly NamedTypeNode[] = []): readonly NamedTypeNode[] =>
  interfaces.filter(({ name }) => isServed(name.value))

const wantedOf = (name: string, from: Readonly<Record<string, string>>) =>
  from[name] === undefined ? undefined : wordsOf(from[name])

const reduce = (definition: DefinitionNode): DefinitionNode => {
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const { description: _, interfaces, fields, ...rest } = definition
      const served = reduceFields(fields, wantedOf(definition.name.value, servedFields))
      const wanted = wantedOf(definition.name.value, servedFields) ?? []
      const missing = wanted.filter((name) => !served.some((field) => field.name.value === name))
      if (missing.length > 0)
        throw new Error(`${definition.name.value} has no served ${missing.join(', ')}`)
      for (const { name } of reduceInterfaces(interfaces)) keep(name.value)
      return { ...rest, interfaces: reduceInterfaces(interfaces), fields: served }
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      const { description: _, fields, ...rest } = definition
      const wanted = wantedOf(definition.name.value, servedInputs) ?? []
      const missing = wanted.filter((name) => !fields?.some((field) => field.name.value === name))
      if (missing.length > 0)
        throw new Error(`${definition.name.value} has no ${missing.join(', ')}`)
      const served = fields?.filter(({ name }) => wanted.includes(name.value))
      return { ...rest, fields: reduceInputs(served) }
    }
    case Kind.UNION_TYPE_DEFINITION: {
      const { description: _, types = [], ...rest } = definition
      const served = types.filter(({ name }) => isServed(name.value))
      for (const { name } of served) keep(name.value)
      return { ...rest, types: served }
    }
    case Kind.ENUM_TYPE_DEFINITION: {
      const { description: _, values = [], ...rest } = definition
      return {
        ...rest,
        values: values.map(({ description: __, ...value }) => ({
          ...value,
          directives: withoutReasons(value.directives),
        })),
      }
    }
    case Kind.SCALAR_TYPE_DEFINITION: {
      const { description: _, ...rest } = definition
      return rest
    }
    default:
      return definition
  }
}

/** Copies a type, and what it refers to. */
function keep(name: string): void {
  const definition = definitions.get(name)
  if (definition === undefined || kept.has(name)) return
  kept.set(name, definition)
  kept.set(name, reduce(definition))
}

/** The names and types of the filters that the description of a `query` argument lists. */
const searchFieldsOf = (full: GraphQLSchema, field: string): Readonly<Record<string, string>> => {
  const query = full
    .getQueryType()
    ?.getFields()
    [field]?.args.find(({ name }) => name === 'query')
  const rows = [...(query?.description ?? '').matchAll(/^\| ([a-z_0-9]{1,60}) \| (\w{1,20}) \|/gm)]
  return Object.fromEntries(
    rows.flatMap(([, name = '', type = '']) =>
      name === 'name' && type === 'type' ? [] : [[name, type]],
    ),
  )
}

for (const root of ['QueryRoot', 'Mutation', ...Object.keys(servedFields)]) keep(root)
const types = [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition)
const document = { kind: Kind.DOCUMENT, definitions: types } as const
const notice = `# Generated by reduce.ts from @shopify/dev-mcp 1.16.0 (dist/data/admin_2026-07.json.gz): do not edit.
# Copyright 2025-present, Shopify Inc. ISC License: see LICENSE.txt.
`
const text = `${notice}
schema {
  query: QueryRoot
  mutation: Mutation
}

${print(document)}
`
buildASTSchema(parse(text))
writeFileSync(`${import.meta.dirname}/admin-2026-07.sdl`, text)

const searched = Object.values(schema.getQueryType()?.getFields() ?? {})
  .map(({ name }) => name)
  .filter((name) => wordsOf(servedFields.QueryRoot ?? '').includes(name))
  .map((name) => [name, searchFieldsOf(schema, name)] as const)
  .filter(([, fields]) => Object.keys(fields).length > 0)
writeFileSync(
  `${import.meta.dirname}/search-fields.json`,
  `${JSON.stringify(Object.fromEntries(searched), undefined, 2)}\n`,
)
