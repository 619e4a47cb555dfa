/**
 * Signatures of outgoing messages.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'

/** What identifies a message and is signed with its body. */
export interface Signed {
  /** The same at every attempt. */
  readonly id: string
  /** Of the attempt. */
  readonly timestampSeconds: number
  readonly body: string
}

/** What goes out. */
export interface SignedMessage {
  /** Those of Standard Webhooks, names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

/** The key of a secret (`whsec_` and base64). Made once: it takes longer than a signature does. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

const sign = (key: KeyObject, content: Uint8Array): string =>
  `v1,${createHmac('sha256', key).update(content).digest('base64')}`

/** Signs a message by each of the keys; without a key it has no signature. */
export const signMessage = (
  keys: readonly KeyObject[],
  { id, timestampSeconds, body }: Signed,
): SignedMessage => {
  const beginning = `${id}.${timestampSeconds}.`
  // Encoded once: what is signed is, from there on, what is sent.
  const content = Buffer.from(beginning + body)
  return {
    headers: [
      ...['webhook-id', id],
      ...['webhook-timestamp', String(timestampSeconds)],
      ...(keys.length > 0
        ? ['webhook-signature', keys.map((key) => sign(key, content)).join(' ')]
        : []),
    ],
    body: content.subarray(Buffer.byteLength(beginning)),
  }
}

/** The same by the texts of the secrets, for what is sent now and then. */
export const signPost = (secrets: readonly string[], message: Signed): SignedMessage =>
  signMessage(secrets.map(signingKey), message)
