/** Subscriptions over WebSockets, by graphql-transport-ws: see src/delivery/PROTOCOL.md. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ExecutionArgs, type GraphQLError, getOperationAST } from 'graphql'
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '../../errors.ts'
import type { Admission } from '../admission.ts'
import { type KeyCaller, requireKey } from '../caller.ts'
import type { Connection, Connections } from '../connections.ts'
import { toApiError } from '../failure.ts'
import { noOperation, type OnFailure, toStreamError } from './error-form.ts'
import type { createGraphServer } from './server.ts'
import { createWire, isAnswerStream, tellAnswers, type Wire } from './wire.ts'

export interface GraphSocketsOptions {
  readonly graph: ReturnType<typeof createGraphServer>
  readonly admission: Admission
  readonly connections: Connections
  readonly addressOf: (request: IncomingMessage) => string
  readonly onFailure: OnFailure
}

export interface GraphSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Resolves when all have closed: those that do not by themselves are cut off. */
  stop(): Promise<void>
}

const INIT_TIMEOUT_MS = 3000
const PING_MS = 12_000
/** Whoever does not read does not answer a close, and is cut off. Part of the 5 s that a revoked key has left. */
const CLOSING_MS = 1000
const MAX_MESSAGE_BYTES = 256 * 1024
const MAX_SUBSCRIPTIONS = 100

const GOING_AWAY = 1001 // RFC 6455, section 7.4.1
// Ours, after HTTP's 503: the official client dials again, which after 4500 it does not.
const NOT_READY = 4503

/** What is known of one socket. */
interface Extra {
  readonly requestId: string
  readonly address: string
  readonly socket: WebSocket
  readonly wire: Wire
  readonly connection: Connection
  /** Of the upgrade; a key in `connection_init` goes before it. */
  readonly authorization: string | undefined
  caller: KeyCaller | undefined
  /** Whose requests its subscriptions are counted among. */
  subject: string
}

type SocketContext = Context<Record<string, unknown>, Extra>

/** Of one operation of a socket: how it is run. */
type Subscribe = (args: ExecutionArgs) => unknown

/** A socket that is not let in, and how it is told. */
class RefusedSocket extends Error {
  readonly closeCode: number

  constructor(closeCode: number, reason: string) {
    super(reason)
    this.closeCode = closeCode
  }
}

/** How a socket is told that its caller is not known; undefined: in the protocol's own way. */
const refusedSocket = (error: unknown): RefusedSocket | undefined => {
  if (error instanceof RefusedSocket) return error
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'UNAUTHENTICATED') return new RefusedSocket(CloseCode.Unauthorized, 'Unauthorized')
  if (code !== 'RATE_LIMITED') return
  return new RefusedSocket(
    CloseCode.TooManyInitialisationRequests,
    'Too many failed authentications',
  )
}

const authorizationOf = ({ connectionParams, extra }: SocketContext): string | undefined => {
  const { authorization, Authorization } = connectionParams ?? {}
  const given = authorization ?? Authorization ?? extra.authorization
  return typeof given === 'string' ? given : undefined
}

/** @throws RATE_LIMITED */
const checkCount = ({ subscriptions }: SocketContext): void => {
  if (Object.keys(subscriptions).length > MAX_SUBSCRIPTIONS)
    throw new ApiError('RATE_LIMITED', `More than ${MAX_SUBSCRIPTIONS} subscriptions on a socket.`)
}

/** What was refused when it was to begin: told as `error`, which ends an operation that has no answers. */
class RefusedOperation extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('The operation was refused.')
    this.errors = errors
  }
}

const refusedStream = (errors: readonly GraphQLError[]): AsyncIterableIterator<never> => ({
  [Symbol.asyncIterator]() {
    return this
  },
  next: async () => {
    throw new RefusedOperation(errors)
  },
})

export const createGraphSockets = (options: GraphSocketsOptions): GraphSockets => {
  const { graph, admission, connections, onFailure } = options
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols,
    // An option of ws that its types do not know yet.
    ...{ closeTimeout: CLOSING_MS },
  })
  const subscribes = new WeakMap<ExecutionArgs, Subscribe>()

  /** The operation, ready to run. @throws GraphQLError, ApiError */
  const prepare = async (
    socket: SocketContext,
    given: { readonly query: string } & Partial<ExecutionArgs>,
    variables: ExecutionArgs['variableValues'],
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    const { requestId, caller, subject } = socket.extra
    // Before anything is waited for: those that were asked for after this one are not counted yet.
    checkCount(socket)
    admission.requests.check(await admission.requests.count(subject))
    const enveloped = graph.getEnveloped({
      ...{ requestId, caller, idempotencyKey: undefined, takesEvents: true },
    })
    const document = enveloped.parse(given.query)
    const operation = getOperationAST(document, given.operationName)
    if (!operation) throw noOperation()
    if (operation.operation !== 'subscription')
      throw new ApiError(
        'BAD_REQUEST',
        'A socket takes subscriptions; queries and mutations go over HTTP.',
      )
    const invalid = enveloped.validate(enveloped.schema, document)
    if (invalid.length > 0) return invalid
    const args: ExecutionArgs = {
      schema: enveloped.schema,
      document,
      operationName: given.operationName ?? null,
      variableValues: variables ?? {},
      contextValue: await enveloped.contextFactory(),
    }
    subscribes.set(args, enveloped.subscribe)
    return args
  }

  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    onConnect: async (socket) => {
      const { extra } = socket
      try {
        const asker = await admission.identify(authorizationOf(socket), extra.address)
        extra.caller = requireKey(await admission.require(asker))
        extra.subject = asker.subject
        if (!extra.connection.authenticate(extra.caller.keyId))
          throw new RefusedSocket(NOT_READY, 'Too many connections of this key')
        return true
      } catch (error) {
        const refused = refusedSocket(error)
        if (refused !== undefined) {
          extra.socket.close(refused.closeCode, refused.message)
          return true
        }
        // What nobody expected, the database being away among it, is told by `fail`.
        if (!(error instanceof ApiError)) throw error
        // `false` closes with 4403, where the key is good and not enough.
        return false
      }
    },
    onSubscribe: async (socket, _id, { query, operationName, variables }) => {
      const form = (error: unknown): GraphQLError =>
        toStreamError(error, socket.extra.requestId, onFailure)
      try {
        const args = await prepare(
          socket,
          { query, operationName: operationName ?? null },
          variables ?? {},
        )
        return 'document' in args ? args : args.map(form)
      } catch (error) {
        return [form(error)]
      }
    },
    subscribe: async (args) => {
      try {
        return (await subscribes.get(args)?.(args)) as never
      } catch (error) {
        // One operation failed, and no other of the socket: `onOperation` tells it so.
        return { errors: [error] } as never
      }
    },
    onOperation: ({ extra }, id, _payload, _args, result) => {
      if (isAnswerStream(result)) return tellAnswers(result, id, extra.wire)
      if (!('errors' in result) || !result.errors) return
      const { requestId } = extra
      const errors = result.errors.map((error) => toStreamError(error, requestId, onFailure))
      return refusedStream(errors)
    },
    onError: (_socket, _id, _payload, errors) =>
      errors
        .flatMap((error) =>
          error.originalError instanceof RefusedOperation ? error.originalError.errors : [error],
        )
        .map((error) => error.toJSON()),
  })

  const serve = (socket: WebSocket, request: IncomingMessage): void => {
    const requestId = randomUUID()
    const address = options.addressOf(request)
    const connection = connections.open(address, false, (reason) =>
      reason === 'revoked'
        ? socket.close(CloseCode.Unauthorized, 'Unauthorized')
        : socket.close(GOING_AWAY, 'Going away'),
    )
    // ws closes the socket with the code that says what was wrong.
    socket.on('error', () => {})
    if (connection === undefined) {
      socket.close(NOT_READY, 'Too many connections')
      return
    }
    const fail = (error: unknown): void => {
      onFailure(error, requestId)
      if (toApiError(error).error.code === 'NOT_READY') socket.close(NOT_READY, 'Not ready')
      else socket.close(CloseCode.InternalServerError, 'Internal server error')
    }
    const wire = createWire(socket, request.socket)
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: wire.send,
        close: (code, reason) => socket.close(code, reason),
        onMessage: (hear) =>
          socket.on('message', (message) => void hear(String(message)).catch(fail)),
      },
      {
        ...{ requestId, address, socket, wire, connection, caller: undefined, subject: '' },
        authorization: request.headers.authorization,
      },
    )
    let isAlive = true
    const pings = setInterval(() => {
      if (!isAlive) return socket.terminate()
      isAlive = false
      socket.ping()
    }, PING_MS)
    socket.on('pong', () => {
      isAlive = true
    })
    socket.once('close', (code, reason) => {
      clearInterval(pings)
      connection.closed()
      void Promise.resolve(closed(code, String(reason))).catch((error) =>
        onFailure(error, requestId),
      )
    })
  }

  return {
    upgrade: (request, socket, head) => {
      // What breaks before there is a WebSocket is of no one's concern.
      socket.on('error', () => {})
      server.handleUpgrade(request, socket, head, serve)
    },
    stop: async () => {
      const closing = [...server.clients].map((socket) =>
        socket.readyState === socket.CLOSED
          ? undefined
          : new Promise((resolve) => socket.once('close', resolve)),
      )
      await Promise.all(closing)
      server.close()
    },
  }
}
