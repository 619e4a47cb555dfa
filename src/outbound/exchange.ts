/** One HTTP request and its answer, within bounds of time and size. The only caller of fetch. */
import { fetch } from 'undici'
import { createAgent, ForbiddenAddressError } from './address.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type ExchangeProblem = 'network' | 'deadline' | 'too-large' | 'forbidden-address'

/** No answer: why, without anything that was sent. It has no cause: those name headers and addresses. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly code = 'EXCHANGE_FAILED'
  readonly problem: ExchangeProblem

  constructor(problem: ExchangeProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** An app that lives in this process, dispatched without a socket. */
export type LocalApp = (request: Request) => Promise<Response>

export interface ExchangeOptions {
  /** By origin: `http://sandbox.local`. */
  readonly localApps?: ReadonlyMap<string, LocalApp>
  /** Dials loopback, private networks and metadata services too. For tests, or where every end user is trusted. */
  readonly allowPrivateAddresses: boolean
  /** From the dial to the last byte. */
  readonly deadlineMs: number
  /** Of the answer's body, after decompression. */
  readonly maxAnswerBytes: number
}

export interface Exchange {
  /** @throws ExchangeError, or the signal's reason once it is aborted */
  send(request: OutgoingRequest, signal?: AbortSignal): Promise<Answer>
  stop(): Promise<void>
}

/** What both fetch and a local app answer with. */
interface StreamedAnswer {
  readonly status: number
  readonly headers: Iterable<[string, string]>
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: unknown }>
      cancel(): Promise<void>
    }
  } | null
}

/** An error, what caused it, and what caused that: every one that is an error itself. */
const chain = (error: unknown): readonly Error[] => {
  if (!(error instanceof Error)) return []
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  return [error, ...chain(error.cause), ...parts.flatMap(chain)]
}

const codeOf = (error: unknown): string =>
  chain(error)
    .map((link) => ('code' in link ? link.code : undefined))
    .find((code) => typeof code === 'string') ?? 'no connection'

const isForbidden = (error: unknown): boolean =>
  chain(error).some((link) => link instanceof ForbiddenAddressError)

/** What a request that got no answer says of it. */
export const describeFailure = (error: unknown): ExchangeError => {
  if (error instanceof ExchangeError) return error
  return isForbidden(error)
    ? new ExchangeError('forbidden-address', 'its address is not on the public internet')
    : new ExchangeError('network', codeOf(error), { cause: error })
}

const readText = async (
  body: StreamedAnswer['body'],
  maxBytes: number,
  within: <T>(step: Promise<T>) => Promise<T>,
): Promise<string> => {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await within(reader.read())
      if (done) return text + decoder.decode()
      // The body of an HTTP answer comes in bytes.
      const chunk = value as Uint8Array
      bytes += chunk.byteLength
      if (bytes > maxBytes)
        throw new ExchangeError('too-large', `the answer is larger than ${maxBytes} bytes`)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    // What is not read to its end is let go, so that the app may stop sending.
    reader.cancel().catch(() => {})
    throw error
  }
}

/** Opens a pool of connections for many exchanges. */
export const createExchange = (options: ExchangeOptions): Exchange => {
  const { localApps, allowPrivateAddresses, deadlineMs, maxAnswerBytes } = options
  const agent = createAgent(allowPrivateAddresses)

  const dispatch = (request: OutgoingRequest, signal: AbortSignal): Promise<StreamedAnswer> => {
    const { method, url, headers, body } = request
    const local = localApps?.get(url.origin)
    const init = { method, headers, signal, ...(body !== undefined && { body }) }
    return local
      ? local(new Request(url, init))
      : fetch(url, { ...init, redirect: 'manual', dispatcher: agent })
  }

  return {
    send: async (request, signal) => {
      const deadline = AbortSignal.timeout(deadlineMs)
      const either = signal ? AbortSignal.any([deadline, signal]) : deadline
      const aborted = Promise.withResolvers<never>()
      aborted.promise.catch(() => {})
      const abort = (): void => aborted.reject(either.reason)
      either.addEventListener('abort', abort, { once: true })
      // A local app, unlike a socket, need not notice the signal.
      const within = <T>(step: Promise<T>): Promise<T> => Promise.race([step, aborted.promise])
      try {
        signal?.throwIfAborted()
        const answer = await within(dispatch(request, either))
        const text = await readText(answer.body, maxAnswerBytes, within)
        return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (deadline.aborted)
          throw new ExchangeError('deadline', `no whole answer within ${deadlineMs} ms`)
        throw describeFailure(error)
      } finally {
        either.removeEventListener('abort', abort)
      }
    },
    stop: () => agent.destroy(),
  }
}
