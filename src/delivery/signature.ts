/**
 * Signatures of outgoing messages (Standard Webhooks).
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'

/** The signed content of a message. */
export interface SignedContent {
  /** The message id, the same for every attempt. */
  readonly id: string
  /** The time of the attempt. */
  readonly timestampSeconds: number
  readonly body: string
}

/** A message with its signature headers. */
export interface SignedMessage {
  /** The Standard Webhooks headers; names and values alternate. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

/** The key of a secret (`whsec_` and base64). Create it once per secret: that is slower than a signature. */
const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/** The secrets of an endpoint; two during a rotation. */
export interface WebhookSecrets {
  readonly secret: string
  readonly oldSecret: string | undefined
  readonly oldSecretUntil: Date | null
}

/** A function that returns the keys to sign with at the time of the call. */
export const webhookKeys = (
  { secret, oldSecret, oldSecretUntil }: WebhookSecrets,
  nowMs: () => number,
): (() => readonly KeyObject[]) => {
  const key = signingKey(secret)
  const oldKey = oldSecret === undefined ? undefined : signingKey(oldSecret)
  const untilMs = oldSecretUntil?.getTime() ?? 0
  return () => (oldKey === undefined || nowMs() >= untilMs ? [key] : [key, oldKey])
}

const sign = (key: KeyObject, content: Uint8Array): string =>
  `v1,${createHmac('sha256', key).update(content).digest('base64')}`

/** Signs a message with each key; without keys it has no signature header. */
export const signMessage = (
  keys: readonly KeyObject[],
  { id, timestampSeconds, body }: SignedContent,
): SignedMessage => {
  const beginning = `${id}.${timestampSeconds}.`
  // Encoded once: the body that is sent is a part of the signed bytes.
  const content = Buffer.from(beginning + body)
  const headers = ['webhook-id', id, 'webhook-timestamp', String(timestampSeconds)]
  if (keys.length > 0)
    headers.push('webhook-signature', keys.map((key) => sign(key, content)).join(' '))
  return { headers, body: content.subarray(Buffer.byteLength(beginning)) }
}

/** Signs a message with each secret, for messages that are sent rarely. */
export const signWithSecrets = (
  secrets: readonly string[],
  message: SignedContent,
): SignedMessage => signMessage(secrets.map(signingKey), message)
