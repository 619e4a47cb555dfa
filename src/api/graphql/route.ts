/** The route /graphql: requests and event streams over HTTP, subscriptions over WebSockets. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ByteBudget } from '../../byte-budget.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { detached } from '../../tracing.ts'
import type { Admission } from '../auth/admission.ts'
import type { Caller } from '../auth/caller.ts'
import type { ApiContext } from '../context.ts'
import { addressOf } from '../http/address.ts'
import { logFailure, toApiError } from '../http/api-error.ts'
import { type ConnectionLimits, type Connections, createConnections } from '../http/connections.ts'
import type { Prefill } from '../http/prefill.ts'
import { readIdempotencyKey } from '../idempotency.ts'
import { originOfRequest, type RequestOrigin } from '../request-origin.ts'
import type { OperationFacts } from './count-operations.ts'
import { plannedTypeOf, readParameters } from './http-request.ts'
import { createGraphServer } from './server.ts'
import { createGraphSockets } from './socket.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

export interface GraphQLOptions extends ConnectionLimits {
  readonly context: ApiContext
  readonly log: Log
  readonly admission: Admission
  /** Shared by HTTP bodies and WebSocket messages. */
  readonly bodies: ByteBudget
  /** Number of trusted reverse proxies. */
  readonly trustedProxies: number
  readonly graphiql: boolean
  /** Undefined: there are none. */
  readonly trustedDocuments?: TrustedDocuments | undefined
  /** Receives each GraphQL operation. */
  readonly onOperation?: ((facts: OperationFacts) => void) | undefined
  /** Undefined: GraphiQL fills in nothing. */
  readonly prefill: Prefill | undefined
  /** Sends an error with its status and headers. `body` has the error format of the transport. */
  readonly sendRejection: (
    request: FastifyRequest,
    reply: FastifyReply,
    error: ApiError,
    body: unknown,
  ) => FastifyReply
}

const PATH = '/graphql'
const EVENTS = 'text/event-stream'
/** Retry-After for a key at its connection limit. */
const FULL_RETRY_MS = 10_000

// GraphiQL is one page with inline script, styles and workers; it contacts no other host.
const GRAPHIQL_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

interface EventSource {
  readonly body: NonNullable<Response['body']>
  readonly caller: Caller | undefined
  readonly address: string
  /** Called when the client disconnects or the stream ends. */
  readonly onClose: () => void
}

/** The body as a Node stream. `Readable.fromWeb` does not accept Yoga's own stream class. */
const readableOf = ({ body, onClose }: EventSource): Readable => {
  const reader = body.getReader()
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      )
    },
    destroy(error, callback) {
      // Ends the pending read, which would otherwise wait for the next event.
      onClose()
      reader.cancel().then(
        () => callback(error),
        () => callback(error),
      )
    },
  })
}

/**
 * Streams the events until the client disconnects, its key is revoked or the process stops.
 * @throws NOT_READY, RATE_LIMITED if too many connections are open
 */
const eventStream = (connections: Connections, source: EventSource): Readable => {
  const { caller, address } = source
  const events = readableOf(source)
  events.on('error', () => {})
  const connection = connections.open(address, () => events.destroy())
  events.once('close', () => connection.remove())
  // Without a key, the stream contains only its error and ends.
  const refusal = caller?.kind === 'key' ? connection.authenticate(caller.keyId) : undefined
  if (refusal === undefined) return events
  events.destroy()
  throw refusal === 'key'
    ? new ApiError(
        'RATE_LIMITED',
        'Too many connections of this key are open. Close one and retry.',
        [],
        {
          retryAfterMs: FULL_RETRY_MS,
        },
      )
    : new ApiError(
        'NOT_READY',
        'This process has reached its limit of open connections. Retry later.',
      )
}

/** Adds GraphQL to the server. */
export const addGraphQL = (server: FastifyInstance, options: GraphQLOptions): void => {
  const { context, log, admission, bodies, trustedProxies, graphiql, prefill, sendRejection } =
    options
  const { onOperation, trustedDocuments } = options
  const graph = createGraphServer({ context, graphiql, prefill, trustedDocuments, onOperation })
  const connections = createConnections(context.access, options)
  const sockets = createGraphSockets({
    graph,
    admission,
    bodies,
    connections,
    log,
    trustedProxies,
  })
  server.server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?', 1)[0] === PATH) sockets.upgrade(request, socket, head)
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  server.addHook('onReady', async () => connections.start())
  server.addHook('preClose', async () => {
    connections.stop()
    await sockets.stop()
  })

  const originOf = (request: FastifyRequest): RequestOrigin => ({
    requestId: request.id,
    get errorCode() {
      return request.errorCode
    },
    noteCredential: (credentialId) => {
      request.credentialId ??= credentialId
    },
    noteError: (code, cause) => {
      request.errorCode ??= code
      if (cause !== undefined) logFailure(log, originOfRequest(request, trustedProxies), cause)
    },
  })

  /** Whether a request is a GraphQL request: not for the GraphiQL page, and not by another method. */
  const isGraphRequest = ({ method, headers }: FastifyRequest): boolean =>
    method === 'POST' || (method === 'GET' && !(graphiql && headers.accept?.includes('text/html')))
  server.register((scope, _options, done) => {
    // Errors before the operation runs have GraphQL's format too.
    scope.setErrorHandler((thrown, request, reply) => {
      const reported = toApiError(thrown, request)
      request.errorCode = reported.error.code
      logFailure(log, originOfRequest(request, trustedProxies), thrown, reported)
      const { error } = reported
      const { code, message, details } = error
      const extensions = { code, requestId: request.id, ...(details.length > 0 && { details }) }
      return sendRejection(request, reply, error, { errors: [{ message, extensions }] })
    })
    // GraphiQL loads its page and the schema without a key.
    const callerOf = async (request: FastifyRequest): Promise<Caller | undefined> =>
      request.headers.authorization === undefined && graphiql ? undefined : request.requireCaller()
    // Authenticate before the body is read, so that anonymous requests cost little.
    scope.addHook('onRequest', async (request) => void (await callerOf(request)))
    scope.route({
      url: PATH,
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const parameters = isGraphRequest(request) ? readParameters(request) : undefined
        const text = parameters && graph.findText(parameters)
        const caller = await callerOf(request)
        const graphRequest = {
          text,
          origin: originOf(request),
          caller,
          idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
          acceptsEventStream: request.headers.accept?.includes(EVENTS) ?? false,
        }
        const plannedType = plannedTypeOf(request, PATH)
        const planned =
          plannedType !== undefined && text !== undefined
            ? await graph.answerPlanned({ ...parameters, text }, graphRequest)
            : undefined
        if (typeof planned === 'object')
          return reply.header('content-type', plannedType).send(planned.response)
        const disconnect = new AbortController()
        const response = await graph.yoga.handleNodeRequestAndResponse(request, reply, {
          ...graphRequest,
          disconnected: disconnect.signal,
          hasFailedPlan: planned === 'failed',
        })
        if (response.status === 406)
          throw new ApiError('BAD_REQUEST', 'Accept: expected application/json.')
        for (const [name, value] of response.headers) reply.header(name, value)
        const type = response.headers.get('content-type')
        if (type?.startsWith('text/html')) reply.header('content-security-policy', GRAPHIQL_POLICY)
        reply.code(response.status)
        if (!type?.startsWith(EVENTS) || !response.body) return reply.send(await response.text())
        const address = addressOf(request.raw, trustedProxies)
        const { body } = response
        const onClose = (): void => disconnect.abort()
        // The span of the request does not grow with each event.
        return detached(() =>
          reply.send(eventStream(connections, { body, caller, address, onClose })),
        )
      },
    })
    done()
  })
}
