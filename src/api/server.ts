/** The HTTP server: the life of a request, from the socket to REST or GraphQL and back. */
import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ApiError, errorBody } from '../errors.ts'
import { type AdmissionLimits, addAdmission, createAdmission } from './admission.ts'
import { CHALLENGE } from './caller.ts'
import type { ConnectionLimits } from './connections.ts'
import type { ApiContext } from './context.ts'
import { addDocsRoutes } from './docs.ts'
import { logFailure, toApiError } from './failure.ts'
import { addGraphQL } from './graphql/route.ts'
import { addCrossOriginAccess, addSecurityHeaders, refuseOtherMethods } from './http-policy.ts'
import { readJsonBody } from './json-body.ts'
import { operations } from './operations.ts'
import { addOperationRoutes } from './rest/operations.ts'
import { addRecordWriteRoutes } from './rest/record-writes.ts'
import { addRecordRoutes } from './rest/records.ts'
import { answerUnreadableRequest } from './unreadable-request.ts'

export interface ServerOptions extends AdmissionLimits, ConnectionLimits {
  readonly context: ApiContext
  readonly log: FastifyBaseLogger
  readonly graphiql: boolean
  /** How many proxies stand before it; the caller's address is the one that the first of them saw. */
  readonly trustedProxies: number
  /** Whether the service can answer questions: the database is there. */
  readonly isReady: () => boolean
  /** Adds what is served beside the API. */
  readonly addPages: (server: FastifyInstance) => void
}

/** The routes of a frontend: those that the token of an end user opens. */
const openToPages = operations
  .filter(({ callers }) => callers.includes('user'))
  .map(({ rest }) => rest)

const BODY_LIMIT_BYTES = 1024 * 1024
const REQUEST_TIMEOUT_MS = 30_000

/** Sends an error: `body` is the form that it has where it happened. */
const refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
  body: unknown,
): FastifyReply => {
  // Said again for an address that is not well formed: no hook has seen that request.
  reply.header('x-request-id', request.id)
  if (error.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfterMs / 1000)))
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', CHALLENGE)
  return reply.code(error.status).send(body)
}

// A secret of ours where an id belongs: it is refused, and must not stay in the log.
const SECRET_IN_PATH = /tl_(?:dev|prod)_[0-9a-f]+|whsec_[\w+/=%-]+|eyJ[\w-]+\.[\w-]+\.[\w-]*/gi

/** The address as the log shows it: without its query, for filters hold the customers' data. */
const loggedPath = (url: string): string | undefined =>
  url.split('?', 1)[0]?.replaceAll(SECRET_IN_PATH, '[redacted]')

const addHealthRoutes = (server: FastifyInstance, isReady: ServerOptions['isReady']): void => {
  // Alive: the process answers. Ready: it can answer with records.
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async () => {
    if (!isReady()) throw new ApiError('NOT_READY', 'The database is away; try again.')
    return { status: 'ready' }
  })
}

/** Refuses what still comes over a connection that is open, once the server is to close. */
const refuseWhileClosing = (server: FastifyInstance): void => {
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
  })
  server.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return
    reply.header('connection', 'close')
    throw new ApiError('NOT_READY', 'The process is stopping; ask again, over another connection.')
  })
}

/** The server, ready to listen. */
export const createServer = (options: ServerOptions): FastifyInstance => {
  const { context, log, isReady } = options
  const tell = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = toApiError(thrown, request)
    logFailure(log, request.id, thrown, told)
    refuse(request, reply, told.error, errorBody(told.error, request.id))
  }
  const server = Fastify({
    loggerInstance: log,
    // One line a request, when it ends: see onResponse.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    clientErrorHandler: answerUnreadableRequest,
    // Fastify's own refusal is not of our form: see refuseWhileClosing.
    return503OnClosing: false,
    // Fastify types this reply by a route's schema, and there is no route yet.
    frameworkErrors: (thrown, request, reply) => tell(thrown, request, reply as never),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)
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
      },
      'request',
    )
  })
  // Of a caller who has hung up there is no answer, and so no line above.
  server.addHook('onRequestAbort', async ({ id, method, url }) => {
    log.info({ requestId: id, method, path: loggedPath(url) }, 'the caller hung up')
  })
  server.setErrorHandler(tell)
  server.setNotFoundHandler((request, reply) =>
    tell(new ApiError('NOT_FOUND', 'There is nothing at this address.'), request, reply),
  )
  addSecurityHeaders(server)
  const refuseOthers = refuseOtherMethods(server)
  // Before the limit, whose refusals a page is to read too.
  addCrossOriginAccess(server, openToPages)
  refuseWhileClosing(server)
  const admission = createAdmission(context, options)
  addAdmission(server, admission, options.trustedProxies)
  addHealthRoutes(server, isReady)
  addRecordRoutes(server, context)
  addRecordWriteRoutes(server, context)
  addOperationRoutes(server, context, operations)
  addDocsRoutes(server)
  options.addPages(server)
  refuseOthers()
  addGraphQL(server, { ...options, admission, refuse })
  return server
}
