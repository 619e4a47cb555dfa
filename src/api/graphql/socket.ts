/** Subscriptions over WebSockets with graphql-transport-ws: see src/delivery/PROTOCOL.md. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ExecutionArgs, type GraphQLError, getOperationAST } from 'graphql'
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ByteBudget } from '../../byte-budget.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Admission } from '../auth/admission.ts'
import { requireKey } from '../auth/caller.ts'
import { subjectOfAddress } from '../auth/rate-limits.ts'
import { addressOf, clientAddressOf } from '../http/address.ts'
import { toApiError } from '../http/api-error.ts'
import type { Connections } from '../http/connections.ts'
import { originOfSocket, type RequestOrigin } from '../request-origin.ts'
import type { GraphContext } from './builder.ts'
import { CLOSE_FRAMES, NOT_READY, RejectedSocketError, toSocketRejection } from './closes.ts'
import { noOperation, toStreamError } from './error-form.ts'
import { countFrames } from './frame-budget.ts'
import type { createGraphServer } from './server.ts'
import type { SocketState } from './socket-state.ts'
import type { RequestedDocument } from './trusted-documents.ts'
import { createSocketSender, isResultStream, sendResults } from './wire.ts'

export interface GraphSocketsOptions {
  readonly graph: Pick<ReturnType<typeof createGraphServer>, 'yoga' | 'findText'>
  readonly admission: Admission
  readonly bodies: ByteBudget
  readonly connections: Connections
  readonly log: Log
  /** Number of trusted reverse proxies. */
  readonly trustedProxies: number
}

export interface GraphSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Resolves when all sockets have closed. Sockets that do not close in time are terminated. */
  stop(): Promise<void>
}

const INIT_TIMEOUT_MS = 3000
const PING_MS = 12_000
/** Time for the client to respond to a Close frame: a part of the 5 s limit for the connections of a revoked key. */
const CLOSING_MS = 1000
const MAX_MESSAGE_BYTES = 256 * 1024
const MAX_SUBSCRIPTIONS = 100

type SocketContext = Context<Record<string, unknown>, SocketState>

/** Runs one operation of a socket. */
type Subscribe = (args: ExecutionArgs) => unknown

const authorizationOf = ({ connectionParams, extra }: SocketContext): string | undefined => {
  const { authorization, Authorization } = connectionParams ?? {}
  const value = authorization ?? Authorization ?? extra.authorization
  return typeof value === 'string' ? value : undefined
}

/** @throws RATE_LIMITED */
const checkCount = ({ subscriptions }: SocketContext): void => {
  if (Object.keys(subscriptions).length > MAX_SUBSCRIPTIONS)
    throw new ApiError(
      'RATE_LIMITED',
      `More than ${MAX_SUBSCRIPTIONS} subscriptions on one socket. Complete one first, or open another socket.`,
    )
}

/** A rejected subscription. The server sends `error`, which ends an operation without results. */
class RejectedOperationError extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('The operation was rejected.')
    this.errors = errors
  }
}

const rejectedStream = (errors: readonly GraphQLError[]): AsyncIterableIterator<never> => ({
  [Symbol.asyncIterator]() {
    return this
  },
  next: async () => {
    throw new RejectedOperationError(errors)
  },
})

/** Creates the WebSocket server for subscriptions. */
export const createGraphSockets = (options: GraphSocketsOptions): GraphSockets => {
  const { graph, admission, connections, log, trustedProxies } = options
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols,
    // This option of ws is missing in its types.
    ...{ closeTimeout: CLOSING_MS },
  })
  const subscribes = new WeakMap<ExecutionArgs, Subscribe>()

  const originOf = ({ requestId, caller, clientAddress }: SocketState): RequestOrigin =>
    originOfSocket(log, { requestId, caller, address: clientAddress })

  /** The execution arguments of an operation, or its validation errors. @throws GraphQLError, ApiError */
  const prepare = async (
    socket: SocketContext,
    operationRequest: RequestedDocument & Partial<ExecutionArgs>,
    variables: ExecutionArgs['variableValues'],
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    const { caller, subject } = socket.extra
    // Before the first await, so that subscriptions requested later are not counted yet.
    checkCount(socket)
    admission.requests.check(await admission.requests.count(subject))
    const text = graph.findText(operationRequest)
    const enveloped = graph.yoga.getEnveloped({
      text,
      origin: originOf(socket.extra),
      caller,
      idempotencyKey: undefined,
      acceptsEventStream: true,
    })
    const document = enveloped.parse(text)
    const operation = getOperationAST(document, operationRequest.operationName)
    if (!operation) throw noOperation()
    if (operation.operation !== 'subscription')
      throw new ApiError(
        'BAD_REQUEST',
        'WebSockets support only subscriptions. Send queries and mutations over HTTP.',
      )
    const invalid = enveloped.validate(enveloped.schema, document)
    if (invalid.length > 0) return invalid
    const args: ExecutionArgs = {
      schema: enveloped.schema,
      document,
      operationName: operationRequest.operationName ?? null,
      variableValues: variables ?? {},
      contextValue: await enveloped.contextFactory(),
    }
    subscribes.set(args, enveloped.subscribe)
    return args
  }

  const protocol = makeServer<Record<string, unknown>, SocketState>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    onConnect: async (socket) => {
      const { extra } = socket
      try {
        const requester = await admission.identify(authorizationOf(socket), extra.address)
        extra.caller = requireKey(await admission.require(requester))
        extra.subject = requester.subject
        const full = extra.connection.authenticate(extra.caller.keyId)
        if (full !== undefined)
          throw new RejectedSocketError(
            NOT_READY,
            `Too many connections${full === 'key' ? ' of this key' : ''}`,
          )
        return true
      } catch (error) {
        const rejection = toSocketRejection(error)
        if (rejection !== undefined) {
          extra.socket.close(rejection.closeCode, rejection.message)
          return true
        }
        // `fail` handles unexpected errors, such as an unavailable database.
        if (!(error instanceof ApiError)) throw error
        // `false` closes with 4403 Forbidden: the caller is authenticated but not allowed.
        return false
      }
    },
    onSubscribe: async (socket, _id, payload) => {
      const { operationName, variables, ...requested } = payload
      const origin = originOf(socket.extra)
      const form = (error: unknown): GraphQLError => toStreamError(error, origin)
      try {
        const args = await prepare(
          socket,
          { ...requested, operationName: operationName ?? null },
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
        // Only this operation fails, not the socket: `onOperation` sends the error.
        return { errors: [error] } as never
      }
    },
    onOperation: ({ extra }, id, _payload, args, result) => {
      if (isResultStream(result)) return sendResults(result, id, extra.sender)
      if (!('errors' in result) || !result.errors) return
      // `prepare` creates the context.
      const { origin } = args.contextValue as GraphContext
      const errors = result.errors.map((error) => toStreamError(error, origin))
      return rejectedStream(errors)
    },
    onError: (_socket, _id, _payload, errors) =>
      errors
        .flatMap((error) =>
          error.originalError instanceof RejectedOperationError
            ? error.originalError.errors
            : [error],
        )
        .map((error) => error.toJSON()),
  })

  const serve = (socket: WebSocket, request: IncomingMessage): void => {
    const requestId = randomUUID()
    const address = addressOf(request, trustedProxies)
    const clientAddress = clientAddressOf(request, trustedProxies)
    const connection = connections.open(address, (reason) => {
      const [code, text] = CLOSE_FRAMES[reason]
      socket.close(code, text)
    })
    // ws closes the socket with the matching close code.
    socket.on('error', () => {})
    const logError = (error: unknown): void =>
      originOf(extra).noteError(toApiError(error).error.code, error)
    const fail = (error: unknown): void => {
      logError(error)
      if (toApiError(error).error.code === 'NOT_READY') socket.close(NOT_READY, 'Not ready')
      else socket.close(CloseCode.InternalServerError, 'Internal server error')
    }
    const sender = createSocketSender(socket, request.socket)
    const extra: SocketState = {
      requestId,
      address,
      clientAddress,
      socket,
      sender,
      connection,
      caller: undefined,
      subject: subjectOfAddress(address),
      authorization: request.headers.authorization,
    }
    countFrames(options.bodies, {
      socket,
      connection: request.socket,
      holder: () => extra.subject,
      onRefused: () => socket.close(NOT_READY, 'Too many bytes in flight'),
    })
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: sender.send,
        close: (code, reason) => socket.close(code, reason),
        onMessage: (receive) =>
          socket.on('message', (message) => void receive(String(message)).catch(fail)),
      },
      extra,
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
      connection.remove()
      void Promise.resolve(closed(code, String(reason))).catch(logError)
    })
  }

  return {
    upgrade: (request, socket, head) => {
      // Ignore connection errors before the WebSocket exists.
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
