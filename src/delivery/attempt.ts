/** A single attempt to deliver a message. */
import type { KeyObject } from 'node:crypto'
import { isSuccessStatus } from '../definition/http-status.ts'
import { storableText } from '../definition/value.ts'
import { ExchangeError } from '../outbound/exchange.ts'
import type { WebhookChannel } from '../outbound/webhook-transport.ts'
import type { Message } from './message.ts'
import { signMessage } from './signature.ts'

/** The target of messages: a channel and its signing keys. */
export interface Destination {
  readonly channel: Pick<WebhookChannel, 'post'>
  /** The signing keys; two during a rotation. */
  readonly keys: () => readonly KeyObject[]
}

/** The outcome of an attempt. */
export interface AttemptOutcome {
  readonly at: Date
  readonly latencyMs: number
  /** The HTTP status; null: no response. */
  readonly status: number | null
  /** The reason for a missing response. */
  readonly failure: string | null
  /** The start of the response body. */
  readonly answer: string | null
  readonly retryAfterMs: number | undefined
}

const STORED_RESPONSE_LENGTH = 512
/** Bytes of a response to keep for that length: UTF-8 needs at most three per UTF-16 unit. */
export const STORED_RESPONSE_BYTES = 3 * STORED_RESPONSE_LENGTH

export const isSuccess = ({ status }: AttemptOutcome): boolean =>
  status !== null && isSuccessStatus(status)

const COMMON_HEADERS = ['content-type', 'application/json', 'user-agent', 'Trunkline']

/** Signs a message and sends it once. @throws ChannelClosedError */
export const attemptMessage = async (
  { channel, keys }: Destination,
  { id, body }: Pick<Message, 'id' | 'body'>,
  nowMs: () => number,
): Promise<AttemptOutcome> => {
  const at = new Date(nowMs())
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  const startedMs = performance.now()
  const latencyMs = (): number => Math.round(performance.now() - startedMs)
  const message = signMessage(keys(), { id, timestampSeconds, body })
  try {
    const response = await channel.post([...COMMON_HEADERS, ...message.headers], message.body)
    const { status, retryAfterMs } = response
    const answer = storableText(response.beginning, STORED_RESPONSE_LENGTH)
    return { at, latencyMs: latencyMs(), status, failure: null, answer, retryAfterMs }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    const failure = `${error.problem}: ${error.message}`
    return {
      at,
      latencyMs: latencyMs(),
      status: null,
      failure,
      answer: null,
      retryAfterMs: undefined,
    }
  }
}
