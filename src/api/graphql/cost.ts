/** The cost of a query: the maximum number of fields in its result, given its variables and page sizes. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import {
  type ComplexityEstimator,
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
  simpleEstimator,
} from 'graphql-query-complexity'
import { DEFAULT_PAGE_SIZE } from '../../query/list-request.ts'
import { tooComplex } from './error-form.ts'
import { countIntrospection, isIntrospectionRoot } from './introspection.ts'

/** Enough for ten pages of 100 full records, or for 100 records with 20 linked records each. */
export const MAX_COST = 50_000
// Without this limit, a list of 200,000 invalid values becomes as many errors, which takes seconds.
const MAX_VARIABLE_ERRORS = 1

/** The cost of a list: its page size times the cost of one record. */
export const listCost = ({ args, childComplexity }: ComplexityEstimatorArgs): number => {
  const size = Number(args.first ?? args.last ?? DEFAULT_PAGE_SIZE)
  return 1 + (Number.isFinite(size) ? Math.max(size, 1) : DEFAULT_PAGE_SIZE) * childComplexity
}

/** An operation with its variables, before it runs. */
export interface Execution {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Readonly<Record<string, unknown>>
}

/** The cost of an operation. */
export interface Cost {
  readonly fields: number
  readonly readsSchema: boolean
}

/** The cost of `__schema` and `__type`: the number of fields that they return for this schema. */
const estimateIntrospection =
  ({ schema, document }: Execution): ComplexityEstimator =>
  ({ field, node, args }) => {
    const type = getNamedType(field.type)
    if (!isIntrospectionRoot(field.name) || !isObjectType(type)) return
    const { selectionSet } = node
    const value = field.name === '__type' ? schema.getType(String(args.name)) : schema
    if (!selectionSet || value === undefined) return 1
    const fields = countIntrospection({ schema, document, type, value, selectionSet }, MAX_COST)
    if (fields > MAX_COST)
      throw tooComplex(
        `${field.name} returns more than ${MAX_COST} fields, the limit. Select fewer fields.`,
      )
    return 1 + fields
  }

/** The cost of an operation, or the error for invalid variables or arguments, or for too many nodes. */
export const costOf = (execution: Execution): Cost | GraphQLError => {
  const { schema, document, operation, variables } = execution
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: MAX_VARIABLE_ERRORS,
  })
  if (errors?.[0]) return errors[0]
  let readsSchema = false
  const noteIntrospection: ComplexityEstimator = ({ field }) => {
    if (isIntrospectionRoot(field.name)) readsSchema = true
  }
  try {
    const fields = getComplexity({
      schema,
      query: document,
      variables,
      estimators: [
        noteIntrospection,
        estimateIntrospection(execution),
        fieldExtensionsEstimator(),
        simpleEstimator({ defaultComplexity: 1 }),
      ],
      // An unnamed operation is the only one in its document.
      ...(operation.name && { operationName: operation.name.value }),
    })
    return { fields, readsSchema }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    // Errors about arguments have a location in the document. The error about too many nodes has none: nested
    // fragments count as often as they are spread, up to a limit.
    return error.nodes === undefined ? tooComplex(error.message) : error
  }
}
