/** GraphQL over HTTP: what happens to an operation between the socket and the resolvers. */
import { useGraphQlJit } from '@envelop/graphql-jit'
import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { ApiError } from '../../errors.ts'
import { type Caller, CHALLENGE } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { toApiError } from '../failure.ts'
import type { GraphContext } from './builder.ts'
import { costOf, MAX_COST, tooComplex } from './cost.ts'
import { createLoaders } from './loaders.ts'
import { buildSchema } from './schema.ts'

/** What the HTTP server tells of a request. */
export interface GraphRequest {
  readonly requestId: string
  readonly caller: Caller | undefined
}

export interface GraphServerOptions {
  readonly context: ApiContext
  /** Serves GraphiQL, and introspection without a key. */
  readonly graphiql: boolean
  /** Hears of failures that the caller is not told of. */
  readonly onUnexpected: (error: unknown, requestId: string) => void
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

/** Yoga's note on an error: the status it asks for; `spec`: only from clients of the newer media type. */
interface HttpNote {
  readonly status?: number
  readonly spec?: boolean
}

/** What was thrown, below the errors that are put around it; undefined where GraphQL itself speaks. */
const causeOf = ({ originalError }: GraphQLError): unknown =>
  originalError instanceof GraphQLError ? causeOf(originalError) : originalError

/** Brackets within brackets, more than the parser's recursion can follow. */
const isTooNested = (cause: unknown): boolean =>
  cause instanceof RangeError && cause.message.includes('call stack')

/** The error as GraphQL shows it: the codes of REST, under `extensions`. */
const toGraphQLError = (
  thrown: GraphQLError,
  requestId: string,
  onUnexpected: GraphServerOptions['onUnexpected'],
): GraphQLError => {
  const found = causeOf(thrown)
  const cause =
    thrown.path === undefined && isTooNested(found)
      ? new ApiError('QUERY_TOO_COMPLEX', 'The document is nested too deeply.')
      : found
  // Without a cause the document is not valid, or the variables do not fit.
  const { error, expected } =
    cause === undefined
      ? { error: new ApiError('BAD_REQUEST', thrown.message), expected: true }
      : toApiError(cause)
  if (!expected) onUnexpected(cause, requestId)
  // An error of a compiled operation may be without extensions, whatever its type says.
  const extensions: GraphQLError['extensions'] | undefined = thrown.extensions
  const http = extensions?.http as HttpNote | undefined
  const headers = error.code === 'UNAUTHENTICATED' && { 'www-authenticate': CHALLENGE }
  return new GraphQLError(error.message, {
    nodes: thrown.nodes ?? null,
    source: thrown.source ?? null,
    positions: thrown.positions ?? null,
    path: thrown.path ?? null,
    extensions: {
      code: http?.status === 405 ? 'METHOD_NOT_ALLOWED' : error.code,
      requestId,
      ...(error.details.length > 0 && { details: error.details }),
      http: http ?? {
        status: error.status,
        spec: cause === undefined,
        ...(headers && { headers }),
      },
    },
  })
}

/** Gives every error of an answer its form; the status counts only if nothing came of the operation. */
const useErrorForm = (
  onUnexpected: GraphServerOptions['onUnexpected'],
): Plugin<object, GraphRequest> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    if (!('errors' in result) || !result.errors?.length) return
    const errors = result.errors.map((error) =>
      toGraphQLError(error, serverContext.requestId, onUnexpected),
    )
    const partial = Object.values(result.data ?? {}).some((value) => value !== null)
    if (partial) for (const { extensions } of errors) delete extensions.http
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

/** Refuses, before it runs, an operation without a caller and one that costs too much. */
const useAdmission = (
  schema: GraphQLSchema,
  graphiql: boolean,
): Plugin<GraphContext, GraphRequest> => ({
  onExecute: ({ args, setResultAndStopExecution }) => {
    const refuse = (error: GraphQLError): void => setResultAndStopExecution({ errors: [error] })
    const { document, operationName, variableValues, contextValue } = args
    const operation = getOperationAST(document, operationName)
    if (
      contextValue.caller === undefined &&
      !(graphiql && operation && isIntrospection(operation))
    ) {
      const error = new ApiError(
        'UNAUTHENTICATED',
        'Send the API key: Authorization: Bearer <key>.',
      )
      return refuse(new GraphQLError(error.message, { originalError: error }))
    }
    // Said here and not by who runs it: what has no cost here must not run.
    if (!operation)
      return refuse(new GraphQLError('operationName: expected the name of one of the operations.'))
    if (!schema.getRootType(operation.operation))
      return refuse(new GraphQLError(`The schema has no ${operation.operation}s.`))
    const cost = costOf(schema, document, variableValues ?? {}, operation.name?.value)
    if (cost instanceof GraphQLError) return refuse(cost)
    if (cost > MAX_COST)
      return refuse(
        tooComplex(
          `The query may answer with ${cost} fields, and ${MAX_COST} are allowed: ask for smaller pages or fewer fields.`,
        ),
      )
  },
})

/** Compiles an operation from its second run on: one that comes once is not worth compiling. */
const useCompilation = () => {
  const runs = new WeakMap<DocumentNode, number>()
  return useGraphQlJit(
    {},
    {
      enableIf: ({ document }) => {
        const count = (runs.get(document) ?? 0) + 1
        runs.set(document, count)
        return count > 1
      },
    },
  )
}

/** Yoga, with the limits and the error form of this API. */
export const createGraphServer = ({ context, graphiql, onUnexpected }: GraphServerOptions) => {
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
    // Errors are masked at one place, when the answer is made: see useErrorForm.
    maskedErrors: false,
    context: ({ requestId, caller }: GraphRequest): GraphContext => ({
      ...context,
      requestId,
      caller,
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
      useErrorForm(onUnexpected),
    ],
  })
}
