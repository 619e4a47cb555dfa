/** The GraphQL endpoint: documents are validated against the contract, costed, charged and executed. */
import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFieldResolver,
  getNamedType,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import type { Limit } from '../engine/limits.ts'
import type { Call, Reply } from '../engine/profile.ts'
import type { Context } from './context.ts'
import { costOfOperation } from './cost.ts'
import { ApiError } from './errors.ts'
import { resolvers } from './root.ts'
import { schema } from './schema.ts'
import { scopesFor } from './scopes.ts'
import { numberOf, writeTime } from './shop.ts'

/** The fields of a stored record that the store has. */
const STORED: Readonly<
  Record<string, (id: string, createdAtMs: number, updatedAtMs: number) => unknown>
> = {
  id: (id) => id,
  legacyResourceId: (id) => String(numberOf(id)),
  createdAt: (_, createdAtMs) => writeTime(createdAtMs),
  updatedAt: (_, __, updatedAtMs) => writeTime(updatedAtMs),
}

const readField = (source: unknown, field: string): unknown => {
  if (typeof source !== 'object' || source === null) return undefined
  const [value, createdAtMs]: readonly unknown[] = [
    Reflect.get(source, 'value'),
    Reflect.get(source, 'createdAtMs'),
  ]
  if (typeof createdAtMs !== 'number' || !isJsonObject(value)) return Reflect.get(source, field)
  const read = STORED[field]
  return read
    ? read(
        String(Reflect.get(source, 'id')),
        createdAtMs,
        Number(Reflect.get(source, 'updatedAtMs')),
      )
    : value[field]
}

const checkScopes = (parentType: string, field: string, type: string, context: Context): void => {
  const wanted = scopesFor(parentType, field, type)
  if (!wanted || wanted.some((scope) => context.scopes.includes(scope))) return
  const shown = wanted.map((scope) => `\`${scope}\``).join(', ')
  throw new ApiError(
    'ACCESS_DENIED',
    `Access denied for ${field} field. Required access: ${shown} access scope.`,
    { requiredAccess: `${shown} access scope.` },
  )
}

const fieldResolver: GraphQLFieldResolver<unknown, Context> = (source, args, context, info) => {
  const { parentType, fieldName, returnType } = info
  checkScopes(parentType.name, fieldName, getNamedType(returnType).name, context)
  const resolve = resolvers[parentType.name]?.[fieldName]
  // The parent's resolver returned the source, and the arguments fit the contract.
  return resolve ? resolve(source as never, args as never, context) : readField(source, fieldName)
}

const typeResolver = (source: unknown): string => {
  const type = isJsonObject(source) ? source.type : undefined
  return typeof type === 'string' ? type : ''
}

/** @throws what a resolver throws that is not an error of the vendor: a defect of the simulator */
export const executeDocument = (
  document: DocumentNode,
  contextValue: Context,
  request: { readonly variableValues?: object; readonly operationName?: string } = {},
): ExecutionResult => {
  const result = executeSync({
    schema,
    document,
    contextValue,
    fieldResolver,
    typeResolver,
    rootValue: {},
    variableValues: { ...request.variableValues },
    operationName: request.operationName ?? null,
  })
  for (const error of result.errors ?? [])
    if (!(error.originalError instanceof ApiError) && !('code' in error.extensions))
      throw error.originalError ?? error
  return result
}

interface PreparedOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

const validated = new Map<string, DocumentNode | readonly GraphQLError[]>()
const MAX_CACHED_DOCUMENTS = 500

/** The document, or its errors. */
const readDocument = (query: string): DocumentNode | readonly GraphQLError[] => {
  const known = validated.get(query)
  if (known) return known
  const read = (): DocumentNode | readonly GraphQLError[] => {
    try {
      const document = parse(query)
      const errors = validate(schema, document)
      return errors.length > 0 ? errors : document
    } catch (error) {
      if (error instanceof GraphQLError) return [error]
      throw error
    }
  }
  const result = read()
  if (validated.size >= MAX_CACHED_DOCUMENTS) validated.clear()
  validated.set(query, result)
  return result
}

const errorReply = (errors: readonly GraphQLError[]): Reply => ({
  status: 200,
  // The JSON of errors is what the specification of GraphQL declares.
  body: { errors: JSON.parse(JSON.stringify(errors)) },
})

const prepare = (query: string, operationName: string | undefined): PreparedOperation | Reply => {
  const document = readDocument(query)
  if (!('kind' in document)) return errorReply(document)
  const operation = getOperationAST(document, operationName)
  if (!operation)
    return errorReply([new ApiError('BAD_REQUEST', `There is no operation ${operationName ?? ''}`)])
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  )
  return { document, operation, fragments }
}

const MAX_COST = 1000

/** The part `extensions` of a response. */
export const costExtensions = (
  points: Limit,
  key: string,
  { requested, actual }: { readonly requested: number; readonly actual: number | null },
  restoreRate: number,
): JsonObject => {
  const { max, used } = points.state(key)
  const throttleStatus = {
    maximumAvailable: max,
    currentlyAvailable: Math.max(0, Math.floor(max - used)),
    restoreRate,
  }
  return { cost: { requestedQueryCost: requested, actualQueryCost: actual, throttleStatus } }
}

export const throttledReply = (extensions: JsonObject): Reply => ({
  status: 200,
  body: {
    errors: [
      {
        message: 'Throttled',
        extensions: {
          code: 'THROTTLED',
          documentation: 'https://shopify.dev/api/usage/rate-limits',
        },
      },
    ],
    extensions,
  },
})

export interface Charge {
  readonly points: Limit
  /** The key under which points are counted. */
  readonly key: string
  readonly restoreRate: number
}

const readVariables = ({ variables }: JsonObject): JsonObject =>
  isJsonObject(variables) ? variables : {}

const findUndeclared = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: JsonObject,
): string | undefined =>
  Object.keys(variables).find(
    (name) => !variableDefinitions.some(({ variable }) => variable.name.value === name),
  )

/** Responds to a request of GraphQL. */
export const respondToGraphql = (
  { body }: Pick<Call, 'body'>,
  context: Context,
  { points, key, restoreRate }: Charge,
): Reply => {
  const operationName = typeof body.operationName === 'string' ? body.operationName : undefined
  const prepared = prepare(String(body.query), operationName)
  if ('status' in prepared) return prepared
  const { document, operation, fragments } = prepared
  const sent = readVariables(body)
  const undeclared = findUndeclared(operation, sent)
  if (undeclared !== undefined)
    return errorReply([new ApiError('BAD_REQUEST', `Variable $${undeclared} is not declared`)])
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], sent)
  if (errors) return errorReply(errors)
  const costed = { operation, fragments, variables: coerced }
  const requested = costOfOperation(costed)
  if (requested > MAX_COST)
    return errorReply([
      new ApiError(
        'MAX_COST_EXCEEDED',
        `Query cost is ${requested}, which exceeds the single query max cost limit (${MAX_COST}).`,
        { cost: requested, maxCost: MAX_COST },
      ),
    ])
  if (points.waitMs(key, requested) > 0)
    return throttledReply(costExtensions(points, key, { requested, actual: null }, restoreRate))
  const request = { variableValues: sent, ...(operationName && { operationName }) }
  const result = executeDocument(document, context, request)
  const actual = costOfOperation(costed, result.data ?? null)
  points.take(key, actual)
  const extensions = costExtensions(points, key, { requested, actual }, restoreRate)
  // graphql-js creates objects without a prototype; JSON is what a client gets.
  return { status: 200, body: { ...JSON.parse(JSON.stringify(result)), extensions } }
}
