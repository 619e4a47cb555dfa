/** Answers planned queries without Yoga: its Request, Response and hooks take longer than the rest of such a request. */
import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql'
import { isTracing } from '../../tracing.ts'
import type { FindRefusal } from './admission.ts'
import type { GraphContext, GraphRequest } from './builder.ts'
import { describeOperation, type OperationFacts } from './count-operations.ts'
import { type FindPlan, runWholePlan } from './plan/plans.ts'
import { coerceVariables } from './variables.ts'

/** A requested operation. */
export interface RequestedOperation {
  /** The text of its document. */
  readonly text: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

export interface PlannedRequestsOptions {
  readonly schema: GraphQLSchema
  readonly findDocument: (text: string) => DocumentNode | undefined
  readonly createContext: (request: GraphRequest) => GraphContext
  readonly findRefusal: FindRefusal
  readonly planOf: FindPlan
  readonly onOperation: ((facts: OperationFacts) => void) | undefined
}

/** The text of the response; `failed`: the plan has failed; undefined: there is no plan, or the request has an error. */
type PlannedAnswer = { readonly response: string } | 'failed' | undefined

/**
 * Creates the function that answers a query if its document is cached and all its root fields are planned. Yoga
 * answers all other requests, and those with an error, because its plugins know the format of errors.
 */
export const createPlannedRequests =
  ({
    schema,
    findDocument,
    createContext,
    findRefusal,
    planOf,
    onOperation,
  }: PlannedRequestsOptions) =>
  async (
    { text, operationName, variables }: RequestedOperation,
    request: GraphRequest,
  ): Promise<PlannedAnswer> => {
    // The spans of operations belong to Yoga's plugins.
    if (isTracing()) return
    const document = findDocument(text)
    if (!document) return
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== 'query') return
    const contextValue = createContext(request)
    const variableValues = variables ?? {}
    const args = { document, operationName, variableValues, contextValue }
    if (findRefusal(args)) return
    const { coerced } = coerceVariables(schema, operation, variableValues)
    const plan = coerced && planOf({ schema, document }, operation, coerced)
    if (!plan || plan.unplanned) return
    const response = await runWholePlan(plan, contextValue, coerced)
    if (response === undefined) return 'failed'
    onOperation?.({ ...describeOperation(args), outcome: 'ok' })
    return { response }
  }
