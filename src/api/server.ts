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
import { authenticate, type Caller, CHALLENGE } from './caller.ts'
import type { ApiContext } from './context.ts'
import { addDocsRoutes } from './docs.ts'
import { toApiError } from './failure.ts'
import { createGraphServer } from './graphql/server.ts'
import { readJsonBody } from './json-body.ts'
import { addRecordRoutes } from './rest/records.ts'
import { answerUnreadableRequest } from './unreadable-request.ts'

export interface ServerOptions {
  readonly context: ApiContext
  readonly log: FastifyBaseLogger
  readonly graphiql: boolean
  /** Whether the service can answer questions: the database is there. */
  readonly isReady: () => Promise<boolean>
}

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
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', CHALLENGE)
  return reply.code(error.status).send(body)
}

const addHealthRoutes = (server: FastifyInstance, isReady: ServerOptions['isReady']): void => {
  // Alive: the process answers. Ready: it can answer with records.
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async () => {
    if (!(await isReady())) throw new ApiError('NOT_READY', 'The database is away; try again.')
    return { status: 'ready' }
  })
}

const addGraphQL = (server: FastifyInstance, { context, graphiql, log }: ServerOptions): void => {
  const graph = createGraphServer({
    context,
    graphiql,
    onUnexpected: (error, requestId) => log.error({ err: error, requestId }, 'unexpected failure'),
  })
  server.register((scope, _options, done) => {
    // GraphQL's errors have a form of their own, also those from before the operation runs.
    scope.setErrorHandler((thrown, request, reply) => {
      const { error, expected } = toApiError(thrown)
      if (!expected) log.error({ err: thrown, requestId: request.id }, 'unexpected failure')
      const { code, message, details } = error
      const extensions = { code, requestId: request.id, ...(details.length > 0 && { details }) }
      return refuse(request, reply, error, { errors: [{ message, extensions }] })
    })
    const callers = new WeakMap<FastifyRequest, Caller>()
    // Before the body is read: only a key buys work. GraphiQL asks for its page and its schema without.
    scope.addHook('onRequest', async (request) => {
      const { authorization } = request.headers
      if (authorization !== undefined || !graphiql)
        callers.set(request, await authenticate(context.access, authorization))
    })
    scope.route({
      url: '/graphql',
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const response = await graph.handleNodeRequestAndResponse(request, reply, {
          requestId: request.id,
          caller: callers.get(request),
        })
        if (response.status === 406) throw new ApiError('BAD_REQUEST', 'Accept: expected JSON.')
        for (const [name, value] of response.headers) reply.header(name, value)
        return reply.code(response.status).send(await response.text())
      },
    })
    done()
  })
}

/** The server, ready to listen. */
export const createServer = (options: ServerOptions): FastifyInstance => {
  const { context, log, isReady } = options
  const tell = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { error, expected } = toApiError(thrown)
    if (!expected) log.error({ err: thrown, requestId: request.id }, 'unexpected failure')
    refuse(request, reply, error, errorBody(error, request.id))
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
        // Without its query: filters hold the customers' data.
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })
  server.setErrorHandler(tell)
  server.setNotFoundHandler((request, reply) =>
    tell(new ApiError('NOT_FOUND', 'There is nothing at this address.'), request, reply),
  )
  addHealthRoutes(server, isReady)
  addRecordRoutes(server, context)
  addDocsRoutes(server)
  addGraphQL(server, options)
  return server
}
