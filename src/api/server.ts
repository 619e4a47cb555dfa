/** The HTTP server: hooks and routes, in the order of a request. */
import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { createByteBudget } from '../byte-budget.ts'
import { ApiError, errorBody } from '../errors.ts'
import type { Log } from '../log.ts'
import type { TemporaryFailure } from '../store/database/temporary-failure.ts'
import { type AdmissionLimits, addAdmission, createAdmission } from './auth/admission.ts'
import { CHALLENGE } from './auth/caller.ts'
import type { ApiContext } from './context.ts'
import type { OperationFacts } from './graphql/count-operations.ts'
import { addGraphQL } from './graphql/route.ts'
import type { TrustedDocuments } from './graphql/trusted-documents.ts'
import { logFailure, notReady, retryAfterSeconds, toApiError } from './http/api-error.ts'
import { BODY_BUDGET, limitBodies } from './http/body-budget.ts'
import type { ConnectionLimits } from './http/connections.ts'
import { addDocsRoutes } from './http/docs.ts'
import { addCrossOriginAccess, addSecurityHeaders, rejectOtherMethods } from './http/http-policy.ts'
import { readJsonBody } from './http/json-body.ts'
import {
  isLandingPageRequest,
  type LandingPageOptions,
  sendLandingPage,
} from './http/landing-page.ts'
import type { Prefill } from './http/prefill.ts'
import { loggedPath } from './http/redaction.ts'
import { traceRequests } from './http/request-spans.ts'
import { rejectUnreadableRequest } from './http/unreadable-request.ts'
import { operations } from './operations.ts'
import { originOfRequest } from './request-origin.ts'
import { addOperationRoutes } from './rest/operations.ts'
import { addRecordWriteRoutes } from './rest/record-writes.ts'
import { addRecordRoutes } from './rest/records.ts'

export interface ServerOptions extends AdmissionLimits, ConnectionLimits {
  readonly context: ApiContext
  readonly log: Log
  /** For messages of Fastify itself. */
  readonly logger: FastifyBaseLogger
  readonly graphiql: boolean
  /** Undefined: there are none. */
  readonly trustedDocuments?: TrustedDocuments | undefined
  /** Undefined: a production service, whose pages fill in nothing. */
  readonly prefill: Prefill | undefined
  /** Number of trusted reverse proxies. The client address is the one that the first of them received. */
  readonly trustedProxies: number
  /** Why the database cannot serve requests; undefined while it can. */
  readonly findUnreadiness: () => TemporaryFailure | undefined
  /** Receives each request. */
  readonly onRequest?: ((facts: EndedRequest) => void) | undefined
  /** Receives each GraphQL operation. */
  readonly onOperation?: ((facts: OperationFacts) => void) | undefined
  /** Adds routes that are not part of the API, such as the Connect UI. */
  readonly addPages: (server: FastifyInstance) => void
}

/** A request that has ended. */
export interface EndedRequest {
  readonly method: string
  /** The pattern of the route: `/2024-03/one/crm/accounts/:id`; `none`: the URL is unknown. */
  readonly route: string
  /** The HTTP status; `aborted`: the client has closed the connection. */
  readonly status: string
  /** Undefined for an event stream, which lasts as long as its client wants. */
  readonly tookMs: number | undefined
}

/** Routes that accept a user token, and that web pages of other origins may therefore call. */
const frontendRoutes = operations
  .filter(({ callers }) => callers.includes('user'))
  .map(({ rest }) => rest)

const BODY_LIMIT_BYTES = 1024 * 1024
const REQUEST_TIMEOUT_MS = 30_000

/** Sends an error with its status and headers. `body` has the error format of the transport. */
const sendRejection = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
  body: unknown,
): FastifyReply => {
  // Set again here: hooks do not run for a malformed URL.
  reply.header('x-request-id', request.id)
  if (error.retryAfterMs !== undefined)
    reply.header('retry-after', retryAfterSeconds(error.retryAfterMs))
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', CHALLENGE)
  return reply.code(error.status).send(body)
}

const addHealthRoutes = (
  server: FastifyInstance,
  findUnreadiness: ServerOptions['findUnreadiness'],
): void => {
  // Liveness: the process responds. Readiness: it can also read and write the database.
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async () => {
    const failure = findUnreadiness()
    if (failure) throw notReady(failure)
    return { status: 'ready' }
  })
}

const noSchema = (): never => {
  throw new Error('Routes have no schema of Fastify: the definitions check requests and responses.')
}

const notFound = (): ApiError =>
  new ApiError('NOT_FOUND', 'No route matches this URL. The routes are listed at /docs.')

const countRequests = (server: FastifyInstance, onRequest: (facts: EndedRequest) => void): void => {
  const routeOf = ({ routeOptions, is404 }: FastifyRequest): string =>
    (is404 ? undefined : routeOptions.url) ?? 'none'
  server.addHook('onResponse', async (request, reply) => {
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
    const tookMs = isStream ? undefined : reply.elapsedTime
    const status = String(reply.statusCode)
    onRequest({ method: request.method, route: routeOf(request), status, tookMs })
  })
  server.addHook('onRequestAbort', async (request) => {
    const { method } = request
    onRequest({ method, route: routeOf(request), status: 'aborted', tookMs: undefined })
  })
}

/**
 * Rejects requests to unknown URLs before the body is read: the caller is not authenticated there. `/` is one
 * of them for API clients, and a page for browsers.
 */
const rejectUnknownUrls = (server: FastifyInstance, landing: LandingPageOptions): void => {
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    if (!isLandingPageRequest(request)) throw notFound()
    await sendLandingPage(reply, landing)
  })
}

/** Rejects requests that arrive over open connections after the shutdown has begun. */
const rejectWhileClosing = (server: FastifyInstance): void => {
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
  })
  server.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return
    reply.header('connection', 'close')
    throw new ApiError('NOT_READY', 'The process is shutting down. Retry over a new connection.')
  })
}

/** Creates the server with every route of the API; the caller starts listening. */
export const createServer = (options: ServerOptions): FastifyInstance => {
  const { context, log, graphiql, prefill, findUnreadiness, trustedProxies } = options
  const originOf = (request: FastifyRequest) => originOfRequest(request, trustedProxies)
  const sendError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const reported = toApiError(thrown, request)
    request.errorCode = reported.error.code
    logFailure(log, originOf(request), thrown, reported)
    sendRejection(request, reply, reported.error, errorBody(reported.error, request.id))
  }
  const server = Fastify({
    loggerInstance: options.logger,
    // onResponse logs one line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    // No route has a schema: without these, Fastify would load its compilers of schemas.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    clientErrorHandler: rejectUnreadableRequest,
    // Fastify's own 503 has another error format: see rejectWhileClosing.
    return503OnClosing: false,
    // Fastify types this reply by a route's schema, but no route has matched yet.
    frameworkErrors: (thrown, request, reply) => sendError(thrown, request, reply as never),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)
  traceRequests(server)
  server.decorateRequest('errorCode', undefined)
  server.decorateRequest('credentialId', undefined)
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  server.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        path: loggedPath(request.url),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        // The response ends outside of the span.
        ...(request.span && { traceId: request.span.traceId }),
        ...(request.errorCode && { code: request.errorCode, ...originOf(request) }),
      },
      'request',
    )
  })
  // Aborted requests never reach `onResponse`, so log them here.
  server.addHook('onRequestAbort', async (request) => {
    const { method, url } = request
    log.info({ method, path: loggedPath(url), ...originOf(request) }, 'request aborted')
  })
  if (options.onRequest) countRequests(server, options.onRequest)
  server.setErrorHandler(sendError)
  server.setNotFoundHandler((request, reply) => sendError(notFound(), request, reply))
  addSecurityHeaders(server)
  const addMethodRejections = rejectOtherMethods(server)
  // Before the rate limit, so that a page can read a 429 too.
  addCrossOriginAccess(server, frontendRoutes)
  rejectWhileClosing(server)
  const admission = createAdmission(context, options)
  addAdmission(server, admission, trustedProxies)
  rejectUnknownUrls(server, {
    isDevelopment: prefill !== undefined,
    graphiql,
    isReady: () => findUnreadiness() === undefined,
  })
  const bodies = createByteBudget(BODY_BUDGET)
  limitBodies(server, bodies)
  addHealthRoutes(server, findUnreadiness)
  addRecordRoutes(server, context)
  addRecordWriteRoutes(server, context)
  addOperationRoutes(server, context, operations)
  addDocsRoutes(server, prefill)
  options.addPages(server)
  addMethodRejections()
  addGraphQL(server, { ...options, admission, bodies, sendRejection })
  return server
}
