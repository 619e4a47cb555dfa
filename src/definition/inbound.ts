/**
 * How an app reports changes by webhook. These are declarations: the engine verifies signatures, stores the events,
 * fetches the records that they name, and keeps the subscription in the app alive. The content of an event is never
 * stored: an event only names a record.
 */
import { valuesOf } from './raw-values.ts'
import type { Steps } from './steps.ts'

/** How the time of a signature is sent, and how far it may be from now. Older deliveries are rejected. */
export interface SignedTime {
  readonly header: string
  readonly unit: 's' | 'ms'
  readonly toleranceSeconds: number
}

/** A part of a delivery that is signed. `url`: the address of ours that the app calls, with its query. */
export type SignedPart = 'method' | 'url' | 'body' | 'timestamp'

/** An HMAC over parts of the delivery, in the declared sequence. The body is signed as bytes, before it is parsed. */
export interface HmacSignature {
  readonly type: 'hmac'
  readonly header: string
  readonly encoding: 'hex' | 'base64'
  /** Text before the signature, such as `sha256=`. */
  readonly prefix?: string
  /** Default: `sha256`. */
  readonly hash?: 'sha1' | 'sha256' | 'sha512'
  /** Default: only the body. */
  readonly signed?: readonly SignedPart[]
  readonly timestamp?: SignedTime
}

/** `t=1700000000,v1=…`: hex HMAC-SHA256 over `t.body`; several `v1` during a rotation of the secret. */
export interface TimestampedSignature {
  readonly type: 'timestamped'
  readonly header: string
  readonly toleranceSeconds: number
}

/**
 * Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export interface StandardSignature {
  readonly type: 'standardWebhooks'
  /** Default: 300, as the specification recommends. */
  readonly toleranceSeconds?: number
  /** `base64`: the key is the decoded secret, with or without `whsec_` · `text`: the secret itself. Default: `base64`. */
  readonly key?: 'base64' | 'text'
}

/** The secret itself, in a header or under a name in the JSON body. It protects only what TLS protects. */
export interface SharedToken {
  readonly type: 'token'
  readonly in: { readonly header: string } | { readonly body: string }
}

/** HTTP Basic with the secret as the password. */
export interface BasicSignature {
  readonly type: 'basic'
  readonly user: string
}

/** How a delivery proves that it comes from the app. */
export type SignatureScheme =
  | HmacSignature
  | TimestampedSignature
  | StandardSignature
  | SharedToken
  | BasicSignature

/**
 * The secret of the signatures: the webhook secret of the integrator's OAuth client, or without one its client secret
 * · a value of the credential · made by this service, or returned by the app, when the subscription is created.
 */
export type SignatureSecret =
  | { readonly from: 'oauthClient' }
  | { readonly from: 'credential'; readonly value: string }
  | { readonly from: 'subscription' }

/** A text that the app sends to verify the address, and that the response repeats as plain text. */
export type Handshake =
  | { readonly echo: 'query'; readonly name: string }
  | { readonly echo: 'body'; readonly name: string }

/** A request to an address for webhooks. Header names are in lower case. */
export interface WebhookRequest {
  readonly app: string
  readonly endpointId: string
  readonly method: string
  /** The query of the URL with its question mark; empty: none. */
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The response to the app. */
export interface WebhookReply {
  readonly status: 200 | 401 | 410
  /** Plain text. */
  readonly text?: string
}

/** Handles a request to an address for webhooks. */
export type WebhookHandler = (request: WebhookRequest) => Promise<WebhookReply>

/** A verified delivery. Header names are in lower case. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the fields of a form; undefined for any other body. */
  readonly body: unknown
}

/** A record that the app reports as changed or deleted. */
export interface InboundEvent {
  /** The topic of its resource. Events of topics that the connector does not declare are ignored. */
  readonly topic: string
  readonly remoteId: string
  readonly kind: 'changed' | 'deleted'
  /** The app's own id of the event, the same for each attempt to deliver it. */
  readonly id?: string
  /** The app's id of the company that the record belongs to. Required if the connector declares `company`. */
  readonly company?: string
}

/** The address of ours to which an app delivers. */
export interface WebhookTarget {
  readonly address: string
  /** The secret made by this service for the signatures. */
  readonly secret: string
}

/** A subscription in the app. */
export interface RemoteSubscription {
  /** The app's ids: several if the app has one subscription for each kind of event. */
  readonly ids: readonly string[]
  /** The secret, if the app makes it. */
  readonly secret?: string
  /** ISO 8601; undefined: it does not expire. */
  readonly expiresAt?: string
}

/** How the subscription of a credential is created, found and deleted in the app. */
export interface WebhookSubscriptions {
  create(target: WebhookTarget): Steps<RemoteSubscription>
  /** Extends a subscription that expires. Absent: it is created again. */
  renew?(ids: readonly string[], target: WebhookTarget): Steps<RemoteSubscription>
  /**
   * The active subscriptions of the credential, each with its address. A missing one is created again. Absent: the
   * app cannot list them.
   */
  list?(): Steps<readonly { readonly id: string; readonly address: string }[]>
  delete(id: string): Steps<void>
}

/** The webhooks of an app. */
export interface Webhooks {
  /**
   * `credential`: each credential has an address of its own · `app`: all credentials of an environment share one,
   * which the integrator enters in the app's developer portal.
   */
  readonly scope: 'credential' | 'app'
  /** The resources whose changes arrive as events. They are polled less often while events arrive. */
  readonly topics: readonly string[]
  readonly signature: SignatureScheme
  readonly secret: SignatureSecret
  readonly handshake?: Handshake
  /** The value of the credential that, in its normal form, equals `InboundEvent.company`: `realmId`, `tenantId`. */
  readonly company?: string
  /** The header with the id of a delivery, the same for each attempt. Default of Standard Webhooks: `webhook-id`. */
  readonly deliveryId?: string
  /**
   * Splits a delivery into events. Without an id of the event or the delivery, repeated events are not recognized,
   * and their records are fetched again.
   * @throws Error if the body has an unexpected form
   */
  events(delivery: Delivery): readonly InboundEvent[]
  /** Absent: the address is entered in the app by hand. */
  readonly subscription?: WebhookSubscriptions
}

/**
 * Reads deliveries of one event that names a record: `{ "type": "order.changed", "data": { "id": "7" } }`.
 * @param topics the topics by the first word of `type`; other events are ignored, as a later version may report more
 */
export const recordEvents =
  (topics: Readonly<Record<string, string>>): Webhooks['events'] =>
  ({ body }) => {
    const { type, data } = valuesOf(body)
    const { id } = valuesOf(data)
    if (typeof type !== 'string' || typeof id !== 'string')
      throw new Error('The message has no type or no id.')
    const [name = '', kind] = type.split('.')
    const topic = topics[name]
    if (topic === undefined) return []
    return [{ topic, remoteId: id, kind: kind === 'deleted' ? 'deleted' : 'changed' }]
  }

const problemOf = (webhooks: Webhooks, topics: readonly string[]): string | undefined => {
  const { scope, secret, company, subscription } = webhooks
  const unknown = webhooks.topics.find((topic) => !topics.includes(topic))
  if (unknown !== undefined) return `the connector has no resource ${unknown}`
  if (scope === 'app' && secret.from !== 'oauthClient')
    return 'an address that all credentials share needs the secret of the OAuth client'
  if (scope === 'app' && company === undefined)
    return 'an address that all credentials share needs the value of the company'
  if (scope === 'app' && subscription)
    return 'an address that all credentials share is entered by hand'
  if (secret.from === 'subscription' && !subscription)
    return 'without a subscription, no secret is made for it'
  return
}

/** Checks the webhooks of a connector. @throws TypeError that names the app and the contradiction */
export const checkWebhooks = (app: string, webhooks: Webhooks, topics: readonly string[]): void => {
  const problem = problemOf(webhooks, topics)
  if (problem !== undefined) throw new TypeError(`The webhooks of ${app}: ${problem}.`)
}
