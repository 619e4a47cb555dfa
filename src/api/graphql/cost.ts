/** The cost of a query: the maximum number of fields in its result, given its variables and page sizes. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import {
  type ComplexityEstimator,
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
  simpleEstimator,
} from 'graphql-query-complexity'
import { LRUCache } from 'lru-cache'
import { DEFAULT_PAGE_SIZE } from '../../query/list-request.ts'
import { tooComplex } from './error-form.ts'
import { countIntrospection, isIntrospectionRoot } from './introspection.ts'
import { MAX_COST, SCHEMA_FIELDS_PER_COST } from './limits.ts'
import {
  coerceVariables,
  directiveVariables,
  type VariableValues,
  variablesIn,
} from './variables.ts'

const MAX_SCHEMA_FIELDS = MAX_COST * SCHEMA_FIELDS_PER_COST
/** The arguments that set the size of a page. */
const PAGE_SIZES = ['first', 'last'] as const
/** Memory of all cached costs, by the length of their keys. */
const MAX_CACHE_BYTES = 4 * 1024 * 1024
const ENTRY_BYTES = 200

/** The cost of a list: its page size times the cost of one record. */
export const listCost = ({ args, childComplexity }: ComplexityEstimatorArgs): number => {
  const [first, last] = PAGE_SIZES.map((name) => args[name])
  const size = Number(first ?? last ?? DEFAULT_PAGE_SIZE)
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

/** The cost of `__schema` and `__type`, by the number of fields that they return for this schema. */
const estimateIntrospection =
  ({ schema, document }: Execution): ComplexityEstimator =>
  ({ field, node, args }) => {
    const type = getNamedType(field.type)
    if (!isIntrospectionRoot(field.name) || !isObjectType(type)) return
    const { selectionSet } = node
    const value = field.name === '__type' ? schema.getType(String(args.name)) : schema
    if (!selectionSet || value === undefined) return 1
    const introspection = { schema, document, type, value, selectionSet }
    const fields = countIntrospection(introspection, MAX_SCHEMA_FIELDS)
    if (fields > MAX_SCHEMA_FIELDS)
      throw tooComplex(
        `${field.name} returns more than ${MAX_SCHEMA_FIELDS} fields, the limit. Select fewer fields.`,
      )
    return 1 + Math.ceil(fields / SCHEMA_FIELDS_PER_COST)
  }

/** The cost of an operation with valid variables, or the error for invalid arguments or too many nodes. */
const computeCost = (execution: Execution): Cost | GraphQLError => {
  const { schema, document, operation, variables } = execution
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

/** The variables whose values change the cost: those in directives and in page sizes. */
const costVariables = (document: DocumentNode): ReadonlySet<string> => {
  const names = new Set(directiveVariables(document))
  visit(document, {
    Argument: (argument) => {
      if (!PAGE_SIZES.some((name) => name === argument.name.value)) return
      for (const name of variablesIn(argument)) names.add(name)
    },
  })
  return names
}

/** The part of the variables that the cost depends on: page sizes, directives, and which others are missing. */
const cacheKey = (
  { variableDefinitions }: OperationDefinitionNode,
  names: ReadonlySet<string>,
  variables: VariableValues,
): string =>
  (variableDefinitions ?? [])
    .map(({ variable: { name } }) => {
      const value = variables[name.value]
      return names.has(name.value) ? JSON.stringify(value) : value == null ? String(value) : ''
    })
    .join()

/**
 * Creates the function that returns the cost of an operation, or the error for invalid variables or arguments,
 * or for too many nodes. It walks a document once for all calls with the same page sizes and directives.
 */
export const createCosts = () => {
  const costs = new LRUCache<string, Cost>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: (_cost, key) => ENTRY_BYTES + key.length * 2,
  })
  const operations = new WeakMap<
    OperationDefinitionNode,
    { readonly id: number; readonly names: ReadonlySet<string> }
  >()
  let count = 0
  return (execution: Execution): Cost | GraphQLError => {
    const { schema, document, operation } = execution
    const { errors, coerced } = coerceVariables(schema, operation, execution.variables)
    if (errors) return errors[0] ?? new GraphQLError('The variables are invalid.')
    const facts = operations.get(operation) ?? { id: ++count, names: costVariables(document) }
    operations.set(operation, facts)
    const key = `${facts.id} ${cacheKey(operation, facts.names, coerced)}`
    const known = costs.get(key)
    if (known) return known
    const cost = computeCost(execution)
    // The cost of introspection depends on the name of the type too.
    if (!(cost instanceof GraphQLError) && !cost.readsSchema) costs.set(key, cost)
    return cost
  }
}
