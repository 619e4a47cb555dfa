/** The GraphQL server: Yoga with the limits, admission, caches and error format of this API. */
import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor'
import type { GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { ApiContext } from '../context.ts'
import type { Prefill } from '../http/prefill.ts'
import { noteCredentials } from '../request-origin.ts'
import type { GraphContext, GraphRequest } from './builder.ts'
import { useCompilation } from './compilation.ts'
import { createOperationCount, type OperationFacts } from './count-operations.ts'
import { createDocuments } from './documents.ts'
import { toGraphQLError, tooComplex } from './error-form.ts'
import { createGraphiQL } from './graphiql.ts'
import { MAX_ALIASES, MAX_DEPTH, MAX_DIRECTIVES, MAX_TOKENS } from './limits.ts'
import { createLoaders } from './loaders.ts'
import { createOperationRules, useOperationRules } from './operation-rules.ts'
import { useOperationSpans } from './operation-spans.ts'
import { createPlans, usePlans } from './plan/plans.ts'
import { createPlannedRequests } from './planned-requests.ts'
import { rejectRootConditions } from './root-conditions.ts'
import { buildSchema } from './schema.ts'
import { createStreams } from './streams.ts'
import {
  checkTrustedDocuments,
  createFindText,
  type TrustedDocuments,
  useTrustedDocuments,
} from './trusted-documents.ts'

export interface GraphServerOptions {
  readonly context: ApiContext
  /** Serves GraphiQL, and introspection without a key. */
  readonly graphiql: boolean
  /** Undefined: GraphiQL fills in nothing. */
  readonly prefill: Prefill | undefined
  /** Undefined: there are none. */
  readonly trustedDocuments?: TrustedDocuments | undefined
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

/** Runs subscriptions with the streams of this API. */
const useStreams = (): Plugin<GraphContext, GraphRequest> => {
  const subscribe = createStreams()
  return {
    onValidate: ({ addValidationRule }) => addValidationRule(rejectRootConditions),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  }
}

const NO_TRUSTED_DOCUMENTS: TrustedDocuments = { texts: new Map(), isRequired: false }

/** Creates Yoga with the plugins of this API, and the shorter way for planned requests. */
export const createGraphServer = ({
  context,
  graphiql,
  prefill,
  trustedDocuments = NO_TRUSTED_DOCUMENTS,
  onOperation,
}: GraphServerOptions) => {
  const schema = buildSchema(context.catalogue)
  const documents = createDocuments()
  const findText = createFindText(trustedDocuments)
  const findRejection = createOperationRules(schema, graphiql)
  const planOf = createPlans(context.catalogue)
  const counts = onOperation && createOperationCount(onOperation)
  const createContext = ({
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
  })
  const yoga = createYoga<GraphRequest, GraphContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    ...createGraphiQL(graphiql, prefill),
    batching: false,
    logging: false,
    multipart: false,
    // By default, Yoga allows every origin, with credentials.
    cors: false,
    // `documents` caches documents instead.
    parserAndValidationCache: false,
    // useErrorForm masks errors instead.
    maskedErrors: false,
    context: createContext,
    plugins: [
      useTrustedDocuments(findText),
      documents.plugin,
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
      useOperationRules(findRejection),
      useCompilation(),
      usePlans(planOf),
      useStreams(),
      useOperationSpans(),
      useErrorForm(),
      ...(counts ? [counts.count] : []),
    ],
  })
  checkTrustedDocuments(trustedDocuments, yoga.getEnveloped())
  const answerPlanned = createPlannedRequests({
    schema,
    findDocument: documents.find,
    createContext,
    findRejection,
    planOf,
    onOperation,
  })
  return { yoga, answerPlanned, findText }
}
