/** The GraphQL server: Yoga with the limits, admission, caches and error format of this API. */
import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor'
import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../auth/caller.ts'
import type { ApiContext } from '../context.ts'
import type { Prefill } from '../http/prefill.ts'
import { noteCredentials, type RequestOrigin } from '../request-origin.ts'
import type { GraphContext } from './builder.ts'
import { useCompilation } from './compilation.ts'
import { createCosts } from './cost.ts'
import { createOperationCount, type OperationFacts } from './count-operations.ts'
import { useDocuments } from './documents.ts'
import { noOperation, toGraphQLError, tooComplex } from './error-form.ts'
import { createGraphiQL } from './graphiql.ts'
import { limitIntrospection } from './introspection.ts'
import { MAX_ALIASES, MAX_COST, MAX_DEPTH, MAX_DIRECTIVES, MAX_TOKENS } from './limits.ts'
import { createLoaders } from './loaders.ts'
import { useOperationSpans } from './operation-spans.ts'
import { usePlans } from './plan/plans.ts'
import { rejectRootConditions } from './root-conditions.ts'
import { buildSchema } from './schema.ts'
import { createStreams } from './streams.ts'

/** The properties of a request that the HTTP route passes to Yoga. */
export interface GraphRequest {
  readonly origin: RequestOrigin
  readonly caller: Caller | undefined
  readonly idempotencyKey: string | undefined
  /** Whether the client accepts `text/event-stream`. */
  readonly acceptsEventStream: boolean
  /** Aborted when the client of an event stream disconnects. */
  readonly disconnected: AbortSignal
}

export interface GraphServerOptions {
  readonly context: ApiContext
  /** Serves GraphiQL, and introspection without a key. */
  readonly graphiql: boolean
  /** Undefined: GraphiQL fills in nothing. */
  readonly prefill: Prefill | undefined
  /** Receives each operation. */
  readonly onOperation?: ((facts: OperationFacts) => void) | undefined
}

/** Formats the errors of a result. Their HTTP status applies only if the operation returned no data. */
const useErrorForm = (): Plugin<object, GraphRequest> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    if (!('errors' in result) || !result.errors?.length) return
    const errors = result.errors.map((error) => toGraphQLError(error, serverContext.origin))
    const partial = Object.values(result.data ?? {}).some((value) => value !== null)
    // In an event stream the errors are an event: clients do not read events of a failed response.
    if (partial || serverContext.acceptsEventStream)
      for (const { extensions } of errors) delete extensions.http
    setResult({ ...result, errors })
  },
})

/** A limit of GraphQL Armor that reports QUERY_TOO_COMPLEX instead of a syntax error. */
const limit = (n: number) => ({
  n,
  onReject: [
    (_context: unknown, { message }: GraphQLError): never => {
      throw tooComplex(message.replace(/^Syntax Error: /, ''))
    },
  ],
})

/** Whether an operation selects only introspection fields. */
const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
  )

/** The execution arguments that decide whether an operation is allowed. */
type Requested = Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'> & {
  readonly contextValue: GraphContext
}

interface AdmissionRules {
  readonly schema: GraphQLSchema
  readonly graphiql: boolean
  readonly costOf: ReturnType<typeof createCosts>
}

const refused = (error: ApiError): GraphQLError =>
  new GraphQLError(error.message, { originalError: error })

/** The error if an operation may not run, because of its caller, transport or cost; otherwise undefined. */
const refusalOf = (
  { schema, graphiql, costOf }: AdmissionRules,
  { document, operationName, variableValues, contextValue }: Requested,
): GraphQLError | undefined => {
  const { caller, acceptsEventStream } = contextValue
  const operation = getOperationAST(document, operationName)
  if (caller === undefined && !(graphiql && operation && isIntrospection(operation)))
    return refused(
      new ApiError('UNAUTHENTICATED', 'Send the API key: Authorization: Bearer <key>.'),
    )
  // Rejected here and not by the executor: an operation without a known cost must not run.
  if (!operation) return noOperation()
  if (operation.operation === 'subscription' && !acceptsEventStream)
    return refused(
      new ApiError('BAD_REQUEST', 'Accept: expected text/event-stream for a subscription.'),
    )
  const cost = costOf({ schema, document, operation, variables: variableValues ?? {} })
  if (cost instanceof GraphQLError) return cost
  if (cost.readsSchema && caller?.kind === 'user' && !graphiql)
    return refused(
      new ApiError('FORBIDDEN', 'A user token cannot read the schema. Use an API key.'),
    )
  if (cost.fields > MAX_COST)
    return tooComplex(
      `The query may return ${cost.fields} fields; the limit is ${MAX_COST}. Request smaller pages or fewer fields.`,
    )
  return undefined
}

/** Rejects operations before they run. */
const useAdmission = (
  schema: GraphQLSchema,
  graphiql: boolean,
): Plugin<GraphContext, GraphRequest> => {
  const rules = { schema, graphiql, costOf: createCosts() }
  return {
    onValidate: ({ addValidationRule }) => addValidationRule(limitIntrospection),
    onExecute: ({ args, setResultAndStopExecution }) => {
      const error = refusalOf(rules, args)
      if (error) setResultAndStopExecution({ errors: [error] })
    },
    onSubscribe: ({ args, setResultAndStopExecution }) => {
      const error = refusalOf(rules, args)
      if (error) setResultAndStopExecution({ errors: [error] })
    },
  }
}

/** Runs subscriptions with the streams of this API. */
const useStreams = (): Plugin<GraphContext, GraphRequest> => {
  const subscribe = createStreams()
  return {
    onValidate: ({ addValidationRule }) => addValidationRule(rejectRootConditions),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  }
}

/** Creates Yoga with the plugins of this API. */
export const createGraphServer = ({
  context,
  graphiql,
  prefill,
  onOperation,
}: GraphServerOptions) => {
  const schema = buildSchema(context.catalogue)
  const counts = onOperation && createOperationCount(onOperation)
  return createYoga<GraphRequest, GraphContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    ...createGraphiQL(graphiql, prefill),
    batching: false,
    logging: false,
    multipart: false,
    // By default, Yoga allows every origin, with credentials.
    cors: false,
    // useDocuments caches documents instead.
    parserAndValidationCache: false,
    // useErrorForm masks errors instead.
    maskedErrors: false,
    context: ({
      origin,
      caller,
      idempotencyKey,
      acceptsEventStream,
    }: GraphRequest): GraphContext => ({
      ...context,
      access: noteCredentials(context.access, origin),
      origin,
      caller,
      idempotencyKey,
      acceptsEventStream,
      loaders: createLoaders(context),
    }),
    plugins: [
      useDocuments(),
      // Limits while parsing and validating: tokens, depth, aliases, directives.
      EnvelopArmorPlugin({
        maxTokens: limit(MAX_TOKENS),
        maxDepth: { ...limit(MAX_DEPTH), ignoreIntrospection: true },
        maxAliases: limit(MAX_ALIASES),
        maxDirectives: limit(MAX_DIRECTIVES),
        blockFieldSuggestion: { enabled: false },
        // Our cost includes variables, which Armor's rules do not receive.
        costLimit: { enabled: false },
      }),
      ...(counts ? [counts.describe] : []),
      useAdmission(schema, graphiql),
      useCompilation(),
      usePlans(context.catalogue),
      useStreams(),
      useOperationSpans(),
      useErrorForm(),
      ...(counts ? [counts.count] : []),
    ],
  })
}
