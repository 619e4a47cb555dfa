/** Decides whether an operation may run, by its caller, transport and cost. */
import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { ApiError } from '../../errors.ts'
import type { GraphContext } from './builder.ts'
import { createCosts } from './cost.ts'
import { noOperation, tooComplex } from './error-form.ts'
import { limitIntrospection } from './introspection.ts'
import { MAX_COST } from './limits.ts'

/** Whether an operation selects only introspection fields. */
const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
  )

/** The execution arguments that decide whether an operation is allowed. */
type Requested = Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'> & {
  readonly contextValue: GraphContext
}

/** Returns the error if an operation may not run; otherwise undefined. */
export type FindRejection = (requested: Requested) => GraphQLError | undefined

interface OperationRules {
  readonly schema: GraphQLSchema
  readonly graphiql: boolean
  readonly costOf: ReturnType<typeof createCosts>
}

const rejection = (error: ApiError): GraphQLError =>
  new GraphQLError(error.message, { originalError: error })

/** The error if an operation may not run, because of its caller, transport or cost; otherwise undefined. */
const rejectionOf = (
  { schema, graphiql, costOf }: OperationRules,
  { document, operationName, variableValues, contextValue }: Requested,
): GraphQLError | undefined => {
  const { caller, acceptsEventStream } = contextValue
  const operation = getOperationAST(document, operationName)
  if (caller === undefined && !(graphiql && operation && isIntrospection(operation)))
    return rejection(
      new ApiError('UNAUTHENTICATED', 'Send the API key: Authorization: Bearer <key>.'),
    )
  // Rejected here and not by the executor: an operation without a known cost must not run.
  if (!operation) return noOperation()
  if (operation.operation === 'subscription' && !acceptsEventStream)
    return rejection(
      new ApiError('BAD_REQUEST', 'Accept: expected text/event-stream for a subscription.'),
    )
  const cost = costOf({ schema, document, operation, variables: variableValues ?? {} })
  if (cost instanceof GraphQLError) return cost
  if (cost.readsSchema && caller?.kind === 'user' && !graphiql)
    return rejection(
      new ApiError('FORBIDDEN', 'A user token cannot read the schema. Use an API key.'),
    )
  if (cost.fields > MAX_COST)
    return tooComplex(
      `The query may return ${cost.fields} fields; the limit is ${MAX_COST}. Request smaller pages or fewer fields.`,
    )
  return undefined
}

/** Creates the function that decides; it caches the costs of operations. */
export const createOperationRules = (schema: GraphQLSchema, graphiql: boolean): FindRejection => {
  const rules = { schema, graphiql, costOf: createCosts() }
  return (requested) => rejectionOf(rules, requested)
}

/** Rejects operations before they run. */
export const useOperationRules = (findRejection: FindRejection): Plugin<GraphContext> => ({
  onValidate: ({ addValidationRule }) => addValidationRule(limitIntrospection),
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = findRejection(args)
    if (error) setResultAndStopExecution({ errors: [error] })
  },
  onSubscribe: ({ args, setResultAndStopExecution }) => {
    const error = findRejection(args)
    if (error) setResultAndStopExecution({ errors: [error] })
  },
})
