/** A single attempt to deliver a message. */
import type { KeyObject } from 'node:crypto'
import { isSuccessStatus } from '../definition/http-status.ts'
import { storableText } from '../definition/value.ts'
import { ExchangeError } from '../outbound/exchange.ts'
import type { WebhookChannel } from '../outbound/webhook-transport.ts'
import { type Span, type SpanOptions, serverAttributes, trace } from '../tracing.ts'
import type { Message } from './message.ts'
import { signMessage } from './signature.ts'

/** The target of messages: a channel and its signing keys. */
export interface Destination {
  readonly channel: Pick<WebhookChannel, 'post'>
  readonly subscriptionId: string
  readonly address: URL
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

const spanOf = ({ address, subscriptionId }: Destination, message: Message): SpanOptions => ({
  name: 'POST webhook',
  kind: 'client',
  parent: { traceparent: message.traceparent },
  attributes: {
    'http.request.method': 'POST',
    'http.request.resend_count': message.attempts || undefined,
    ...serverAttributes(address),
    'trunkline.webhook_id': subscriptionId,
    'trunkline.message_id': message.id,
    'trunkline.topic': message.topic,
  },
})

const send = async (
  { channel, keys }: Destination,
  { id, body }: Message,
  nowMs: () => number,
  span: Span | undefined,
): Promise<AttemptOutcome> => {
  const at = new Date(nowMs())
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  const startedMs = performance.now()
  const latencyMs = (): number => Math.round(performance.now() - startedMs)
  const message = signMessage(keys(), { id, timestampSeconds, body })
  // The address is the integrator's, like the request that caused the change.
  const traceHeaders = span?.traceparent === undefined ? [] : ['traceparent', span.traceparent]
  try {
    const response = await channel.post(
      [...COMMON_HEADERS, ...message.headers, ...traceHeaders],
      message.body,
    )
    const { status, retryAfterMs } = response
    span?.set({ 'http.response.status_code': status })
    if (!isSuccessStatus(status)) span?.fail(String(status))
    const answer = storableText(response.beginning, STORED_RESPONSE_LENGTH)
    return { at, latencyMs: latencyMs(), status, failure: null, answer, retryAfterMs }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    const failure = `${error.problem}: ${error.message}`
    span?.fail(error.problem)
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

/** Signs a message and sends it once, as a part of the trace of its change. @throws ChannelClosedError */
export const attemptMessage = (
  destination: Destination,
  message: Message,
  nowMs: () => number,
): Promise<AttemptOutcome> =>
  trace(
    () => spanOf(destination, message),
    (span) => send(destination, message, nowMs, span),
  )
