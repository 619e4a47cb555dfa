/** GraphQL at its address: questions and streams of events over HTTP, subscriptions over WebSockets. */
import { Readable } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../definition/value.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { addressOf } from '../address.ts'
import type { Admission } from '../admission.ts'
import type { Caller } from '../caller.ts'
import { type ConnectionLimits, type Connections, createConnections } from '../connections.ts'
import type { ApiContext } from '../context.ts'
import { logFailure, toApiError } from '../failure.ts'
import { readIdempotencyKey } from '../idempotency.ts'
import { createGraphServer } from './server.ts'
import { createGraphSockets } from './socket.ts'

export interface GraphQLOptions extends ConnectionLimits {
  readonly context: ApiContext
  readonly log: FastifyBaseLogger
  readonly admission: Admission
  /** How many proxies stand before the server. */
  readonly trustedProxies: number
  readonly graphiql: boolean
  /** Sends an error in the form that `body` gives it. */
  readonly refuse: (
    request: FastifyRequest,
    reply: FastifyReply,
    error: ApiError,
    body: unknown,
  ) => FastifyReply
}

const PATH = '/graphql'
const EVENTS = 'text/event-stream'
/** When a key that has as many streams as it may have is to try again: one may have ended by then. */
const FULL_RETRY_MS = 10_000

// GraphiQL is one page with its script, its styles and its workers inside; it asks no other host.
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
  /** Called when nobody is there any more to be told. */
  readonly leave: () => void
}

/** The body as a stream of Node's. Yoga's streams are its own, which `Readable.fromWeb` does not take. */
const readableOf = ({ body, leave }: EventSource): Readable => {
  const reader = body.getReader()
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      )
    },
    destroy(error, callback) {
      // What is waited for is not waited for any more.
      leave()
      reader.cancel().then(
        () => callback(error),
        () => callback(error),
      )
    },
  })
}

/**
 * Sends the events, until the caller leaves, its key ends, or the process does.
 * @throws NOT_READY, RATE_LIMITED where there are too many streams and sockets
 */
const eventStream = (connections: Connections, source: EventSource): Readable => {
  const { caller, address } = source
  const events = readableOf(source)
  events.on('error', () => {})
  const connection = connections.open(address, caller !== undefined, () => events.destroy())
  if (connection === undefined) {
    events.destroy()
    throw new ApiError('NOT_READY', 'Too many connections are open; try again.')
  }
  events.once('close', () => connection.closed())
  if (caller?.kind === 'key' && !connection.authenticate(caller.keyId)) {
    events.destroy()
    throw new ApiError('RATE_LIMITED', 'Too many connections of this key are open.', [], {
      retryAfterMs: FULL_RETRY_MS,
    })
  }
  return events
}

/** What a request may say beside its document, and what is expected of each. */
const PARTS = {
  operationName: { expected: 'a text', fits: (value: unknown) => typeof value === 'string' },
  variables: { expected: 'a JSON object', fits: isObject },
  extensions: { expected: 'a JSON object', fits: isObject },
}

/** A parameter of the query string that is JSON. @throws INVALID_PARAMETER */
const readJson = (name: 'variables' | 'extensions', text: unknown): unknown => {
  // As Yoga has it, which reads it once more.
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(String(text))
  } catch {
    throw invalidParameter(name, PARTS[name].expected)
  }
}

/** What is asked: the body of a POST, or the same from the query string. @throws as `checkQuestion` */
const questionOf = ({ method, body, query }: FastifyRequest): unknown => {
  if (method === 'POST') return body
  const { variables, extensions, ...texts } = query as Readonly<Record<string, unknown>>
  return {
    ...texts,
    variables: readJson('variables', variables),
    extensions: readJson('extensions', extensions),
  }
}

/**
 * Refuses what is no question: Yoga would answer some of it with 200, and reads a body that says nothing
 * once more from the request, where it is gone.
 * @throws MALFORMED_BODY, BAD_REQUEST, INVALID_PARAMETER
 */
const checkQuestion = (request: FastifyRequest): void => {
  const question = questionOf(request)
  if (question === undefined)
    throw new ApiError('MALFORMED_BODY', 'The body is empty; JSON was expected.')
  if (!isObject(question))
    throw new ApiError('BAD_REQUEST', 'The body: expected an object with a query.')
  if (typeof question.query !== 'string')
    throw invalidParameter('query', 'the text of a GraphQL document')
  for (const [name, { expected, fits }] of Object.entries(PARTS)) {
    const part = question[name] ?? undefined
    if (part !== undefined && !fits(part)) throw invalidParameter(name, expected)
  }
}

/** Adds GraphQL to the server. */
export const addGraphQL = (server: FastifyInstance, options: GraphQLOptions): void => {
  const { context, log, admission, trustedProxies, graphiql, refuse } = options
  const onFailure = (error: unknown, requestId: string): void => logFailure(log, requestId, error)
  const graph = createGraphServer({ context, graphiql, onFailure })
  const connections = createConnections(context.access, options)
  const sockets = createGraphSockets({
    ...{ graph, admission, connections, onFailure },
    addressOf: (request) => addressOf(request, trustedProxies),
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

  /** Whether it asks, and not for GraphiQL's page or by a method that there is not. */
  const isQuestion = ({ method, headers }: FastifyRequest): boolean =>
    method === 'POST' || (method === 'GET' && !(graphiql && headers.accept?.includes('text/html')))
  server.register((scope, _options, done) => {
    // GraphQL's errors have a form of their own, also those from before the operation runs.
    scope.setErrorHandler((thrown, request, reply) => {
      const told = toApiError(thrown, request)
      logFailure(log, request.id, thrown, told)
      const { error } = told
      const { code, message, details } = error
      const extensions = { code, requestId: request.id, ...(details.length > 0 && { details }) }
      return refuse(request, reply, error, { errors: [{ message, extensions }] })
    })
    // GraphiQL asks for its page and its schema without.
    const callerOf = async (request: FastifyRequest): Promise<Caller | undefined> =>
      request.headers.authorization === undefined && graphiql ? undefined : request.requireCaller()
    // Before the body is read: only a key buys work.
    scope.addHook('onRequest', async (request) => void (await callerOf(request)))
    scope.route({
      url: PATH,
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        if (isQuestion(request)) checkQuestion(request)
        const caller = await callerOf(request)
        const leaving = new AbortController()
        const response = await graph.handleNodeRequestAndResponse(request, reply, {
          requestId: request.id,
          caller,
          idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
          takesEvents: request.headers.accept?.includes(EVENTS) ?? false,
          left: leaving.signal,
        })
        if (response.status === 406) throw new ApiError('BAD_REQUEST', 'Accept: expected JSON.')
        for (const [name, value] of response.headers) reply.header(name, value)
        const type = response.headers.get('content-type')
        if (type?.startsWith('text/html')) reply.header('content-security-policy', GRAPHIQL_POLICY)
        reply.code(response.status)
        if (!type?.startsWith(EVENTS) || !response.body) return reply.send(await response.text())
        const address = addressOf(request.raw, trustedProxies)
        const { body } = response
        const leave = (): void => leaving.abort()
        return reply.send(eventStream(connections, { body, caller, address, leave }))
      },
    })
    done()
  })
}
