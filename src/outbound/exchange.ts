/** One HTTP request and its response, with limits on time and size. The only caller of fetch. */
import { isIPv6 } from 'node:net'
import { type ByteBudgetOptions, createByteBudget, type HeldBytes } from '../byte-budget.ts'
import { ForbiddenAddressError } from './address.ts'
import { createEgress, type EgressOptions } from './egress.ts'
import { EgressProxyError } from './egress-proxy-error.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Reads only these bytes of the response body: those of a response with the status 206, or a part of a whole one. */
  readonly part?: { readonly from: number; readonly maxBytes: number }
}

export interface ExchangeResponse {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body continues after the part that was requested. */
  readonly isCut?: boolean
  /** Releases the bytes that are counted for the text. Call it once the text is parsed. */
  readonly release: () => void
}

/** Why there is no response. `memory-limit`: the responses in memory have reached the limit. */
export type ExchangeProblem =
  | 'network'
  | 'proxy'
  | 'deadline'
  | 'too-large'
  | 'memory-limit'
  | 'forbidden-address'

/** A request without a usable response. The message contains nothing that was sent. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly code = 'EXCHANGE_FAILED'
  readonly problem: ExchangeProblem

  constructor(problem: ExchangeProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** An app in this process, called without a socket. */
export type LocalApp = (request: Request) => Promise<Response>

export interface ExchangeOptions extends EgressOptions {
  /** Apps in this process, by origin: `http://sandbox.local`. */
  readonly localApps?: ReadonlyMap<string, LocalApp>
  /** Time limit from the start of the connection to the last byte. */
  readonly deadlineMs: number
  /** Size limit of the response body, after decompression. */
  readonly maxResponseBytes: number
  /** Limit on the response bodies in memory until they are parsed; the holder is an origin. */
  readonly responseBudget?: ByteBudgetOptions
}

const MIB = 1024 * 1024
const RESPONSE_BUDGET: ByteBudgetOptions = { totalBytes: 256 * MIB, bytesPerHolder: 128 * MIB }

/** The limits of requests to apps. */
export const EXCHANGE_LIMITS = { deadlineMs: 30_000, maxResponseBytes: 32 * MIB } as const

export interface Exchange {
  /** @throws ExchangeError, or the signal's reason once it is aborted */
  send(request: OutgoingRequest, signal?: AbortSignal): Promise<ExchangeResponse>
  stop(): Promise<void>
}

/** The common shape of the responses of fetch and of a local app. */
interface StreamedResponse {
  readonly status: number
  readonly headers: Iterable<[string, string]>
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: unknown }>
      cancel(): Promise<void>
    }
  } | null
}

/** An error with all its causes and aggregated errors. */
const chain = (error: unknown): readonly Error[] => {
  if (!(error instanceof Error)) return []
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  return [error, ...chain(error.cause), ...parts.flatMap(chain)]
}

/** Whether fetch rejected the port, which it reports without a code. @see https://fetch.spec.whatwg.org/#port-blocking */
const isBlockedPort = (error: unknown): boolean =>
  chain(error).some(({ message }) => message === 'bad port')

const BLOCKED_PORT =
  'its port is blocked for HTTP, because another protocol uses it (such as 25 or 6000); use another port'

/** The code of a failed connection, and the address or name that it concerns: `ECONNREFUSED 203.0.113.7:443`. */
const describeConnection = (error: unknown): string => {
  const links: readonly Partial<Record<'code' | 'address' | 'port' | 'hostname', unknown>>[] =
    chain(error).filter((link) => 'code' in link)
  // The errors of several attempts have the same code; only theirs, not that of their group, name an address.
  const { code, address, port, hostname } =
    links.find((link) => link.address !== undefined) ?? links[0] ?? {}
  if (typeof code !== 'string') return isBlockedPort(error) ? BLOCKED_PORT : 'the connection failed'
  const place = address ?? hostname
  if (typeof place !== 'string') return code
  return `${code} ${isIPv6(place) ? `[${place}]` : place}${port === undefined ? '' : `:${port}`}`
}

const isForbidden = (error: unknown): boolean =>
  chain(error).some((link) => link instanceof ForbiddenAddressError)

/** Converts a failure of a request to an `ExchangeError`. */
export const describeFailure = (error: unknown): ExchangeError => {
  if (error instanceof ExchangeError) return error
  const proxyError = chain(error).find((link) => link instanceof EgressProxyError)
  if (proxyError) return new ExchangeError('proxy', proxyError.message)
  return isForbidden(error)
    ? new ExchangeError('forbidden-address', 'its address is not on the public internet')
    : new ExchangeError('network', describeConnection(error), { cause: error })
}

/** Which bytes of a body are read. */
interface BodyLimits {
  /** How many bytes at its start are left out. */
  readonly skip: number
  readonly maxBytes: number
  /** Whether the rest of a larger body is left out. Otherwise it is a failure. */
  readonly cuts: boolean
}

const readText = async (
  body: StreamedResponse['body'],
  { skip, maxBytes, cuts }: BodyLimits,
  held: HeldBytes,
  within: <T>(step: Promise<T>) => Promise<T>,
): Promise<{ readonly text: string; readonly isCut?: boolean }> => {
  if (body === null) return { text: '' }
  const reader = body.getReader()
  // The positions of lines in a part count every byte.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: cuts })
  let text = ''
  let bytes = -skip
  try {
    for (;;) {
      const { done, value } = await within(reader.read())
      if (done) return { text: text + decoder.decode() }
      // The chunks of an HTTP body are bytes.
      const all = value as Uint8Array
      const chunk = all.subarray(
        Math.max(0, -bytes),
        cuts ? Math.max(0, maxBytes - bytes) : undefined,
      )
      bytes += all.byteLength
      if (bytes > maxBytes && !cuts)
        throw new ExchangeError('too-large', `the response is larger than ${maxBytes} bytes`)
      if (held.take(chunk.byteLength) !== undefined)
        throw new ExchangeError(
          'memory-limit',
          'this process holds too many responses of apps in memory; try again',
        )
      text += decoder.decode(chunk, { stream: true })
      if (cuts && bytes >= maxBytes) return { text, isCut: true }
    }
  } finally {
    // The app stops sending what is left. Without effect on a complete body.
    reader.cancel().catch(() => {})
  }
}

/** Opens a pool of connections for many exchanges. */
export const createExchange = (options: ExchangeOptions): Exchange => {
  const { localApps, deadlineMs, maxResponseBytes } = options
  const budget = createByteBudget(options.responseBudget ?? RESPONSE_BUDGET)
  const egress = createEgress(options)

  const dispatch = async (
    request: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<StreamedResponse> => {
    const { method, url, headers, body } = request
    const local = localApps?.get(url.origin)
    const init = { method, headers, signal, ...(body !== undefined && { body }) }
    if (local) return local(new Request(url, init))
    const { fetch, dispatcher } = await egress.open()
    return fetch(url, { ...init, redirect: 'manual', dispatcher })
  }

  return {
    send: async (request, signal) => {
      const deadline = AbortSignal.timeout(deadlineMs)
      const either = signal ? AbortSignal.any([deadline, signal]) : deadline
      const aborted = Promise.withResolvers<never>()
      aborted.promise.catch(() => {})
      const abort = (): void => aborted.reject(either.reason)
      either.addEventListener('abort', abort, { once: true })
      // A local app, unlike a socket, may ignore the signal.
      const within = <T>(step: Promise<T>): Promise<T> => Promise.race([step, aborted.promise])
      const held = budget.open(request.url.origin)
      try {
        signal?.throwIfAborted()
        const response = await within(dispatch(request, either))
        const { part } = request
        const limits = {
          skip: part && response.status !== 206 ? part.from : 0,
          maxBytes: part?.maxBytes ?? maxResponseBytes,
          cuts: part !== undefined,
        }
        const read = await readText(response.body, limits, held, within)
        const headers = Object.fromEntries(response.headers)
        return { status: response.status, headers, ...read, release: held.release }
      } catch (error) {
        held.release()
        if (signal?.aborted) throw signal.reason
        if (deadline.aborted)
          throw new ExchangeError('deadline', `no complete response within ${deadlineMs} ms`)
        throw describeFailure(error)
      } finally {
        either.removeEventListener('abort', abort)
      }
    },
    stop: egress.stop,
  }
}
