/**
 * The transport of webhooks. It sends thousands of POST requests and reads only the status and the start of each
 * response. It has the guarantees of `Exchange`, but uses undici's `dispatch`: the stream, signal and timer that
 * `request` and `fetch` create per request cost more than everything else.
 */
import type { Dispatcher } from 'undici'
import { createEgress } from './egress.ts'
import { describeFailure, ExchangeError, type ExchangeOptions } from './exchange.ts'
import { readRetryAfter } from './retry.ts'

export interface WebhookTransportOptions
  extends Omit<ExchangeOptions, 'localApps' | 'responseBudget'> {
  /** Number of bytes to keep from the start of a response body. */
  readonly storedResponseBytes: number
  /** Receives each request: its HTTP status or the problem of one without a response, and its duration. */
  readonly onRequest?: OnWebhookRequest | undefined
}

/** Receives the outcome of a request and its duration, in milliseconds. */
export type OnWebhookRequest = (outcome: string, tookMs: number) => void

/** The response to a webhook. */
export interface WebhookResponse {
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The start of the body; bytes that are not UTF-8 are replaced. */
  readonly beginning: string
}

/** A channel to one webhook address. */
export interface WebhookChannel {
  /**
   * Delivers one request.
   * @param headers names and values alternate
   * @throws ExchangeError
   * @throws ChannelClosedError
   */
  post(headers: readonly string[], body: Uint8Array): Promise<WebhookResponse>
  /** Aborts the requests in flight of this channel. */
  close(): void
}

export interface WebhookTransport {
  open(address: URL): WebhookChannel
  stop(): Promise<void>
}

/** The channel was closed before the response. The request may have arrived. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError'
  readonly code = 'CHANNEL_CLOSED'
}

/** What an in-flight request needs. */
interface InFlightFacts {
  readonly channel: WebhookChannel
  /** By `performance.now()`. */
  readonly expiresMs: number
  readonly maxResponseBytes: number
  readonly storedResponseBytes: number
  readonly resolve: (response: WebhookResponse) => void
  readonly reject: (error: Error) => void
  /** Called once, when the request has succeeded or failed. */
  readonly onSettled: (request: InFlightRequest) => void
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

const retryAfterOf = (headers: ResponseHeaders): number | undefined =>
  headers['retry-after'] === undefined
    ? undefined
    : readRetryAfter(
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      )

/** A request in flight. */
class InFlightRequest implements Dispatcher.DispatchHandler {
  readonly facts: InFlightFacts
  #controller: Dispatcher.DispatchController | undefined
  /** The reason for the failure. */
  #failure: Error | undefined
  #isSettled = false
  #status = 0
  #retryAfterMs: number | undefined
  #bytes = 0
  #beginning: Buffer | undefined

  constructor(facts: InFlightFacts) {
    this.facts = facts
  }

  /** The HTTP status, or the problem of a request without a response. */
  get outcome(): string {
    if (this.#failure instanceof ExchangeError) return this.#failure.problem
    return this.#failure ? 'closed' : String(this.#status)
  }

  /** Aborts the request and closes its connection. */
  abort(failure: Error): void {
    if (this.#isSettled) return
    this.#fail(failure)
    this.#controller?.abort(failure)
  }

  #fail(failure: Error): void {
    this.#isSettled = true
    this.#failure = failure
    this.facts.onSettled(this)
    this.facts.reject(failure)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was aborted before there was a connection.
    if (this.#failure) controller.abort(this.#failure)
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // RFC 9110, section 15.2: informational responses precede the final one.
    if (status < 200) return
    this.#status = status
    this.#retryAfterMs = retryAfterOf(headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxResponseBytes, storedResponseBytes } = this.facts
    this.#bytes += chunk.byteLength
    if (this.#bytes > maxResponseBytes) {
      const message = `the response is larger than ${maxResponseBytes} bytes`
      this.abort(new ExchangeError('too-large', message))
      return
    }
    const beginning = this.#beginning ?? Buffer.alloc(0)
    if (beginning.byteLength < storedResponseBytes)
      this.#beginning = Buffer.concat([
        beginning,
        chunk.subarray(0, storedResponseBytes - beginning.byteLength),
      ])
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.facts.onSettled(this)
    this.facts.resolve({
      status: this.#status,
      retryAfterMs: this.#retryAfterMs,
      beginning: this.#beginning?.toString() ?? '',
    })
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (!this.#isSettled) this.#fail(describeFailure(error))
  }
}

/** Opens a pool of connections for many deliveries. */
export const createWebhookTransport = (options: WebhookTransportOptions): WebhookTransport => {
  const { deadlineMs, maxResponseBytes, storedResponseBytes } = options
  const { open, stop } = createEgress(options)
  /** Ordered by deadline, because all requests have the same time limit. */
  const inFlight = new Set<InFlightRequest>()
  let timer: NodeJS.Timeout | undefined
  let dispatcher: Dispatcher | undefined

  /** Sends a request, immediately once the pool is open. */
  const dispatch = (content: Dispatcher.DispatchOptions, request: InFlightRequest): void => {
    if (dispatcher) dispatcher.dispatch(content, request)
    else
      open()
        .then((opened) => {
          dispatcher = opened.dispatcher
          dispatcher.dispatch(content, request)
        })
        .catch((error: unknown) => request.onResponseError(undefined, error))
  }

  /** Aborts expired requests. One timer serves all requests. */
  const expire = (): void => {
    timer = undefined
    const nowMs = performance.now()
    for (const request of inFlight) {
      const leftMs = request.facts.expiresMs - nowMs
      if (leftMs > 0) {
        timer = setTimeout(expire, Math.ceil(leftMs))
        return
      }
      request.abort(new ExchangeError('deadline', `no complete response within ${deadlineMs} ms`))
    }
  }
  const onSettled = (request: InFlightRequest): void => {
    inFlight.delete(request)
    const startedMs = request.facts.expiresMs - deadlineMs
    options.onRequest?.(request.outcome, performance.now() - startedMs)
  }

  return {
    open: ({ origin, pathname, search }) => {
      const path = pathname + search
      // One deadline for the whole request replaces the timeouts of undici.
      const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
      let isClosed = false
      const channel: WebhookChannel = {
        post: (headers, body) =>
          new Promise((resolve, reject) => {
            if (isClosed) return reject(new ChannelClosedError('The channel is closed.'))
            const request = new InFlightRequest({
              channel,
              maxResponseBytes,
              storedResponseBytes,
              resolve,
              reject,
              onSettled,
              expiresMs: performance.now() + deadlineMs,
            })
            inFlight.add(request)
            timer ??= setTimeout(expire, deadlineMs)
            // undici only reads the headers, although its type is a mutable array.
            const content = { headers: headers as string[], body, ...timeouts }
            dispatch({ origin, path, method: 'POST', ...content }, request)
          }),
        close: () => {
          isClosed = true
          const closed = new ChannelClosedError('The channel is closed.')
          for (const request of inFlight)
            if (request.facts.channel === channel) request.abort(closed)
        },
      }
      return channel
    },
    stop: async () => {
      clearTimeout(timer)
      await stop()
    },
  }
}
