/** Shopify's contract: the introspection of its Admin API, and responses that conform to it. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import {
  buildClientSchema,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  graphql,
  isEnumType,
  isLeafType,
  isListType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { AppRequest, AppResponse } from '../../../src/definition/connector.ts'
import { textsAt, valuesOf } from '../../../src/definition/raw-values.ts'

const FILE = fileURLToPath(
  new URL('./node_modules/@shopify/dev-mcp/dist/data/admin_2026-07.json.gz', import.meta.url),
)

/** The reason why the contract cannot be read here, in one line; undefined if it can. */
export const contractMissing = (): string | undefined =>
  existsSync(FILE)
    ? undefined
    : "Shopify's schema is not installed: npm ci --prefix test/apps/shopify"

/** The access that a type, or a field of it, requires: one of some scopes; any credential if there are none. */
interface Access {
  readonly typeName: string
  readonly fieldName?: string
  readonly offlineScopes: readonly string[]
}

export interface Contract {
  readonly schema: GraphQLSchema
  readonly access: readonly Access[]
}

/** Reads the contract. @throws Error if it is not installed */
export const readContract = (): Contract => {
  const file = JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8'))
  return { schema: buildClientSchema(file.data), access: file.offline_scopes.items }
}

const scalars: Readonly<Record<string, unknown>> = {
  Boolean: true,
  DateTime: '2026-01-02T03:04:05Z',
  Decimal: '12.50',
  Float: 1.5,
  Int: 2,
  Money: '12.50',
  UnsignedInt64: '2',
  URL: 'https://shop.example/x',
}

/** Input values that a write needs in order to change anything. */
const chosen: Readonly<Record<string, unknown>> = {
  'BasicEvent.action': 'destroy',
  'FulfillmentOrder.status': 'OPEN',
  // The contract lists the country AC first, which the API does not accept.
  'MailingAddress.countryCodeV2': 'DE',
  'PageInfo.hasNextPage': false,
}

const leafValue = (
  type: GraphQLOutputType,
  { parentType, fieldName }: GraphQLResolveInfo,
): unknown => {
  const name = getNamedType(type)
  const place = `${parentType.name}.${fieldName}`
  if (place in chosen) return chosen[place]
  if (isEnumType(name)) return name.getValues().find((value) => !value.deprecationReason)?.value
  if (name.name === 'ID') return `gid://shopify/${parentType.name}/1`
  return scalars[name.name] ?? fieldName
}

/** The concrete type of an interface or a union: the first one that the document has a fragment on. */
const selectedType = (info: GraphQLResolveInfo): string | undefined =>
  info.fieldNodes
    .flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
    .flatMap((selection) =>
      selection.kind === Kind.INLINE_FRAGMENT ? [selection.typeCondition?.name.value ?? ''] : [],
    )[0]

/** One object for each object, one entry for each list, and no user errors. */
const resolve: GraphQLFieldResolver<unknown, unknown> = (_source, _arguments, _context, info) => {
  if (info.fieldName === 'userErrors') return []
  const buildValue = (type: GraphQLOutputType): unknown => {
    const nullable = getNullableType(type)
    if (isListType(nullable)) return [buildValue(nullable.ofType)]
    return isLeafType(nullable) ? leafValue(nullable, info) : {}
  }
  return buildValue(info.returnType)
}

/** Executes a request against the contract, which checks the document, the variables and the response. */
export const respond = async ({ schema }: Contract, request: AppRequest): Promise<AppResponse> => {
  const [source = ''] = textsAt(request.body, 'query')
  const { data, errors } = await graphql({
    schema,
    source,
    variableValues: valuesOf(valuesOf(request.body).variables),
    fieldResolver: resolve,
    typeResolver: (_value, _context, info) => selectedType(info),
  })
  if (errors) throw new Error(`${errors.map(String).join('\n')}\n${source}`)
  // graphql-js creates objects without a prototype.
  return { status: 200, headers: {}, body: JSON.parse(JSON.stringify({ data })) }
}

/** The types and fields in a document that no granted scope permits: `Customer`, `Mutation.orderDelete`. */
export const forbiddenIn = (
  { schema, access }: Contract,
  source: string,
  scopes: readonly string[],
): readonly string[] => {
  const info = new TypeInfo(schema)
  const found = new Set<string>()
  const check = (typeName: string, fieldName?: string): void => {
    const rule = access.find(
      (entry) => entry.typeName === typeName && entry.fieldName === fieldName,
    )
    const required = rule?.offlineScopes ?? []
    if (required.length > 0 && !required.some((scope) => scopes.includes(scope)))
      found.add(fieldName === undefined ? typeName : `${typeName}.${fieldName}`)
  }
  visit(
    parse(source),
    visitWithTypeInfo(info, {
      Field: ({ name }) => {
        const parent = info.getParentType()
        const type = info.getType()
        if (parent) check(parent.name, name.value)
        if (type) check(getNamedType(type).name)
      },
    }),
  )
  return [...found]
}
