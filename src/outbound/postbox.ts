/**
 * Posts by the thousand, of whose answers only the status and the beginning matter. It keeps an exchange's
 * promises by undici's own dispatch, without what `request` and `fetch` make for each (a stream, a signal,
 * a timer), which costs more than the rest.
 */
import type { Dispatcher } from 'undici'
import { createAgent } from './address.ts'
import { describeFailure, ExchangeError, type ExchangeOptions } from './exchange.ts'
import { readRetryAfter } from './retry.ts'

export interface PostboxOptions extends Omit<ExchangeOptions, 'localApps'> {
  /** Of an answer's body: its first bytes. */
  readonly keptAnswerBytes: number
}

/** What came back. */
export interface Receipt {
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The body's kept beginning; what is not UTF-8 is replaced. */
  readonly beginning: string
}

/** The way to one address. */
export interface Line {
  /**
   * @param headers names and values in turn
   * @throws ExchangeError
   * @throws LineClosedError
   */
  post(headers: readonly string[], body: Uint8Array): Promise<Receipt>
  /** Breaks off what is under way. */
  close(): void
}

export interface Postbox {
  open(address: URL): Line
  stop(): Promise<void>
}

/** The sender broke it off; nobody knows what the other side has got. */
export class LineClosedError extends Error {
  override readonly name = 'LineClosedError'
  readonly code = 'LINE_CLOSED'
}

interface LetterFacts {
  readonly line: Line
  /** By `performance.now()`. */
  readonly expiresMs: number
  readonly maxAnswerBytes: number
  readonly keptAnswerBytes: number
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: Error) => void
  /** Called once, when it is known what came of it. */
  readonly onSettled: (letter: Letter) => void
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

const retryAfterOf = (headers: AnswerHeaders): number | undefined =>
  headers['retry-after'] === undefined
    ? undefined
    : readRetryAfter(
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      )

/** One post under way. */
class Letter implements Dispatcher.DispatchHandler {
  readonly facts: LetterFacts
  #controller: Dispatcher.DispatchController | undefined
  /** Why it was cut, or came to nothing. */
  #failure: Error | undefined
  #isSettled = false
  #status = 0
  #retryAfterMs: number | undefined
  #bytes = 0
  #kept: Buffer | undefined

  constructor(facts: LetterFacts) {
    this.facts = facts
  }

  /** Gives it up: nothing more is read, and its connection is closed. */
  cut(failure: Error): void {
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
    // It was cut before there was a connection.
    if (this.#failure) controller.abort(this.#failure)
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // RFC 9110, section 15.2: others come before the answer.
    if (status < 200) return
    this.#status = status
    this.#retryAfterMs = retryAfterOf(headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxAnswerBytes, keptAnswerBytes } = this.facts
    this.#bytes += chunk.byteLength
    if (this.#bytes > maxAnswerBytes) {
      const message = `the answer is larger than ${maxAnswerBytes} bytes`
      this.cut(new ExchangeError('too-large', message))
      return
    }
    const kept = this.#kept ?? Buffer.alloc(0)
    if (kept.byteLength < keptAnswerBytes)
      this.#kept = Buffer.concat([kept, chunk.subarray(0, keptAnswerBytes - kept.byteLength)])
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.facts.onSettled(this)
    this.facts.resolve({
      status: this.#status,
      retryAfterMs: this.#retryAfterMs,
      beginning: this.#kept?.toString() ?? '',
    })
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (!this.#isSettled) this.#fail(describeFailure(error))
  }
}

/** Opens a pool of connections for many posts. */
export const createPostbox = (options: PostboxOptions): Postbox => {
  const { allowPrivateAddresses, deadlineMs, maxAnswerBytes, keptAnswerBytes } = options
  const dispatcher = createAgent(allowPrivateAddresses)
  /** All have the same time, so that they stand in the order in which it ends. */
  const underWay = new Set<Letter>()
  let timer: NodeJS.Timeout | undefined

  /** One timer for all: what is answered in time never sets one. */
  const expire = (): void => {
    timer = undefined
    const nowMs = performance.now()
    for (const letter of underWay) {
      const leftMs = letter.facts.expiresMs - nowMs
      if (leftMs > 0) {
        timer = setTimeout(expire, Math.ceil(leftMs))
        return
      }
      letter.cut(new ExchangeError('deadline', `no whole answer within ${deadlineMs} ms`))
    }
  }
  const onSettled = (letter: Letter): void => void underWay.delete(letter)

  return {
    open: ({ origin, pathname, search }) => {
      // The deadline is ours, and it holds for the whole.
      const path = pathname + search
      const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
      let isClosed = false
      const line: Line = {
        post: (headers, body) =>
          new Promise((resolve, reject) => {
            if (isClosed) return reject(new LineClosedError('The line is closed.'))
            const letter = new Letter({
              ...{ line, maxAnswerBytes, keptAnswerBytes, resolve, reject, onSettled },
              expiresMs: performance.now() + deadlineMs,
            })
            underWay.add(letter)
            timer ??= setTimeout(expire, deadlineMs)
            // undici reads the headers alone; its types ask for an array that may be changed.
            const sent = { headers: headers as string[], body, ...timeouts }
            dispatcher.dispatch({ origin, path, method: 'POST', ...sent }, letter)
          }),
        close: () => {
          isClosed = true
          const closed = new LineClosedError('The line is closed.')
          for (const letter of underWay) if (letter.facts.line === line) letter.cut(closed)
        },
      }
      return line
    },
    stop: async () => {
      clearTimeout(timer)
      await dispatcher.destroy()
    },
  }
}
