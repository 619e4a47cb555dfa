/** One attempt to deliver a message. */
import type { KeyObject } from 'node:crypto'
import { isSuccessStatus } from '../definition/http-status.ts'
import { storableText } from '../definition/value.ts'
import { ExchangeError } from '../outbound/exchange.ts'
import type { Line } from '../outbound/postbox.ts'
import type { Message } from './message.ts'
import { signMessage } from './signature.ts'

/** Where messages go. */
export interface Destination {
  readonly line: Pick<Line, 'post'>
  /** Two while one takes over from the other. */
  readonly keys: () => readonly KeyObject[]
}

/** What came of an attempt. */
export interface Outcome {
  readonly at: Date
  readonly latencyMs: number
  /** Null: there was no answer. */
  readonly status: number | null
  /** Why there was none. */
  readonly failure: string | null
  /** Its body's first bytes. */
  readonly answer: string | null
  readonly retryAfterMs: number | undefined
}

const KEPT_ANSWER_LENGTH = 512
/** As many of an answer's bytes as its kept beginning may come from: UTF-8 has three at most for a UTF-16 unit. */
export const KEPT_ANSWER_BYTES = 3 * KEPT_ANSWER_LENGTH

export const isSuccess = ({ status }: Outcome): boolean =>
  status !== null && isSuccessStatus(status)

const COMMON_HEADERS = ['content-type', 'application/json', 'user-agent', 'Trunkline']

/** Sends a message once. @throws LineClosedError */
export const attemptMessage = async (
  { line, keys }: Destination,
  { id, body }: Pick<Message, 'id' | 'body'>,
  nowMs: () => number,
): Promise<Outcome> => {
  const at = new Date(nowMs())
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  const startedMs = performance.now()
  const latencyMs = (): number => Math.round(performance.now() - startedMs)
  const message = signMessage(keys(), { id, timestampSeconds, body })
  try {
    const receipt = await line.post([...COMMON_HEADERS, ...message.headers], message.body)
    const { status, retryAfterMs } = receipt
    const answer = storableText(receipt.beginning, KEPT_ANSWER_LENGTH)
    return { at, latencyMs: latencyMs(), status, failure: null, answer, retryAfterMs }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    const failure = `${error.problem}: ${error.message}`
    const nothing = { status: null, answer: null, retryAfterMs: undefined }
    return { at, latencyMs: latencyMs(), failure, ...nothing }
  }
}
