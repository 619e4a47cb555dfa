/** GraphQL over HTTP: what happens to an operation between the socket and the resolvers. */
import { useGraphQlJit } from '@envelop/graphql-jit'
import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import type { GraphContext } from './builder.ts'
import { costOf, MAX_COST, tooComplex } from './cost.ts'
import { noOperation, type OnFailure, toGraphQLError } from './error-form.ts'
import { createLoaders } from './loaders.ts'
import { refuseRootConditions } from './root-conditions.ts'
import { buildSchema } from './schema.ts'
import { createStreams } from './streams.ts'

/** What the HTTP server tells of a request. */
export interface GraphRequest {
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly idempotencyKey: string | undefined
  /** Whether the answer may be a stream of events. */
  readonly takesEvents: boolean
  /** Aborted when the caller of a stream of events has gone. */
  readonly left: AbortSignal
}

export interface GraphServerOptions {
  readonly context: ApiContext
  /** Serves GraphiQL, and introspection without a key. */
  readonly graphiql: boolean
  readonly onFailure: OnFailure
}

const MAX_DEPTH = 14
const MAX_TOKENS = 4000
const MAX_ALIASES = 50
const MAX_DIRECTIVES = 50

const EXAMPLE_QUERY = `# Put the key into Headers, below: { "Authorization": "Bearer tl_dev_…" }
# and the id of a credential where it says so.
query Example {
  crmAccounts(credentialId: "…", first: 10) {
    totalCount
    nodes {
      id
      accountName
      contacts(first: 3) {
        nodes {
          firstName
          lastName
        }
      }
    }
  }
}
`

/** Gives every error of an answer its form; the status counts only if nothing came of the operation. */
const useErrorForm = (onFailure: OnFailure): Plugin<object, GraphRequest> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    if (!('errors' in result) || !result.errors?.length) return
    const errors = result.errors.map((error) =>
      toGraphQLError(error, serverContext.requestId, onFailure),
    )
    const partial = Object.values(result.data ?? {}).some((value) => value !== null)
    // In a stream of events the errors are an event: a client that meets another status reads none.
    if (partial || serverContext.takesEvents)
      for (const { extensions } of errors) delete extensions.http
    setResult({ ...result, errors })
  },
})

/** A limit that reports through the shared error form, not as a syntax error. */
const limit = (n: number) => ({
  n,
  onReject: [
    (_context: unknown, { message }: GraphQLError): never => {
      throw tooComplex(message.replace(/^Syntax Error: /, ''))
    },
  ],
})

/** Whether an operation asks for the schema and nothing else. */
const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
  )

/** What is said of an operation before it runs. */
type Admitted = Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'> & {
  readonly contextValue: GraphContext
}

const refused = (error: ApiError): GraphQLError =>
  new GraphQLError(error.message, { originalError: error })

/** Why an operation may not run: it has no caller, or costs too much, or cannot be answered this way. */
const refusalOf = (
  schema: GraphQLSchema,
  graphiql: boolean,
  { document, operationName, variableValues, contextValue }: Admitted,
): GraphQLError | undefined => {
  const operation = getOperationAST(document, operationName)
  if (contextValue.caller === undefined && !(graphiql && operation && isIntrospection(operation)))
    return refused(
      new ApiError('UNAUTHENTICATED', 'Send the API key: Authorization: Bearer <key>.'),
    )
  // Said here and not by who runs it: what has no cost here must not run.
  if (!operation) return noOperation()
  if (operation.operation === 'subscription' && !contextValue.takesEvents)
    return refused(
      new ApiError('BAD_REQUEST', 'Accept: expected text/event-stream for a subscription.'),
    )
  const cost = costOf(schema, document, variableValues ?? {}, operation.name?.value)
  if (cost instanceof GraphQLError) return cost
  if (cost > MAX_COST)
    return tooComplex(
      `The query may answer with ${cost} fields, and ${MAX_COST} are allowed: ask for smaller pages or fewer fields.`,
    )
  return undefined
}

/** Refuses operations before they run. */
const useAdmission = (
  schema: GraphQLSchema,
  graphiql: boolean,
): Plugin<GraphContext, GraphRequest> => ({
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = refusalOf(schema, graphiql, args)
    if (error) setResultAndStopExecution({ errors: [error] })
  },
  onSubscribe: ({ args, setResultAndStopExecution }) => {
    const error = refusalOf(schema, graphiql, args)
    if (error) setResultAndStopExecution({ errors: [error] })
  },
})

/** Answers subscriptions by the streams of this API. */
const useStreams = (onFailure: OnFailure): Plugin<GraphContext, GraphRequest> => {
  const subscribe = createStreams(onFailure)
  return {
    onValidate: ({ addValidationRule }) => addValidationRule(refuseRootConditions),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  }
}

/** Compiles an operation from its second run on: one that comes once is not worth compiling. */
const useCompilation = () => {
  const runs = new WeakMap<DocumentNode, number>()
  return useGraphQlJit(
    {},
    {
      enableIf: ({ document, operationName }) => {
        // A subscription is run by ourselves: see useStreams.
        if (getOperationAST(document, operationName)?.operation === 'subscription') return false
        const count = (runs.get(document) ?? 0) + 1
        runs.set(document, count)
        return count > 1
      },
    },
  )
}

/** Yoga, with the limits and the error form of this API. */
export const createGraphServer = ({ context, graphiql, onFailure }: GraphServerOptions) => {
  const schema = buildSchema(context.catalogue)
  return createYoga<GraphRequest, GraphContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: graphiql && { title: 'Trunkline', defaultQuery: EXAMPLE_QUERY },
    renderGraphiQL,
    batching: false,
    logging: false,
    multipart: false,
    // Unless told otherwise, Yoga lets pages of every origin in, and with cookies.
    cors: false,
    // Errors are masked at one place, when the answer is made: see useErrorForm.
    maskedErrors: false,
    context: ({ requestId, caller, idempotencyKey, takesEvents }: GraphRequest): GraphContext => ({
      ...context,
      ...{ requestId, caller, idempotencyKey, takesEvents },
      loaders: createLoaders(context),
    }),
    plugins: [
      // Refused while parsing and validating: tokens, depth, aliases, directives.
      EnvelopArmorPlugin({
        maxTokens: limit(MAX_TOKENS),
        maxDepth: { ...limit(MAX_DEPTH), ignoreIntrospection: true },
        maxAliases: limit(MAX_ALIASES),
        maxDirectives: limit(MAX_DIRECTIVES),
        blockFieldSuggestion: { enabled: false },
        // The cost is counted with variables, which these rules do not see.
        costLimit: { enabled: false },
      }),
      useAdmission(schema, graphiql),
      useCompilation(),
      useStreams(onFailure),
      useErrorForm(onFailure),
    ],
  })
}
