/**
 * Receives deliveries: verifies the signature, splits the delivery into events and stores them. The records are fetched
 * afterwards, because apps wait only seconds for the response.
 */
import { hash, randomUUID } from 'node:crypto'
import type { Connector } from '../definition/connector.ts'
import type {
  Handshake,
  InboundEvent,
  SignatureSecret,
  WebhookHandler,
  WebhookReply,
  Webhooks,
} from '../definition/inbound.ts'
import { parseJson } from '../definition/parse-json.ts'
import { isObject, isStorableText } from '../definition/value.ts'
import type { Log } from '../log.ts'
import { openValues } from '../store/accounts/credential-values.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { type InboundEndpoint, readEndpoint } from '../store/inbound/endpoints.ts'
import { type NewEvent, saveEvents } from '../store/inbound/events.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { webhookPath } from './context.ts'
import { isSigned } from './verify-signature.ts'

/**
 * What became of a delivery. `rejected`: its signature is wrong or old · `foreign`: an event belongs to a company that
 * is not connected · `unreadable`: the connector cannot read it.
 */
export type DeliveryOutcome = 'accepted' | 'handshake' | 'rejected' | 'foreign' | 'unreadable'

/** The dependencies of the receiver. */
export interface ReceiverOptions {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly connectors: ReadonlyMap<string, Connector>
  readonly log: Log
  readonly publicUrl: string
  /** The app's signing secrets for the integrator's OAuth client, newest first. Default: there is none. */
  readonly readClientSecrets?: (environmentId: string, app: string) => Promise<readonly string[]>
  /** Receives the outcome of each delivery. */
  readonly onDelivery?: ((app: string, outcome: DeliveryOutcome) => void) | undefined
}

// Standard Webhooks: disables the endpoint, which belonged to a deleted credential.
const GONE: WebhookReply = { status: 410 }
// Xero sends wrong signatures on purpose and expects an empty response.
const UNAUTHORIZED: WebhookReply = { status: 401 }
const ACCEPTED: WebhookReply = { status: 200 }

// Apps send a token of a few dozen characters.
const MAX_HANDSHAKE = 1024
const MAX_REMOTE_ID = 512

/** The parsed JSON or form; undefined for any other body. */
const parseBody = (type: string, body: Buffer): unknown => {
  const text = body.toString('utf8')
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    return parseJson(text)
  } catch {
    return
  }
}

const handshakeText = (
  handshake: Handshake | undefined,
  search: string,
  body: unknown,
): string | undefined => {
  if (!handshake) return
  const { echo, name } = handshake
  const text =
    echo === 'query'
      ? new URLSearchParams(search).get(name)
      : isObject(body)
        ? body[name]
        : undefined
  return typeof text === 'string' && text.length <= MAX_HANDSHAKE ? text : undefined
}

const isUsable = ({ topic, remoteId }: InboundEvent, { topics }: Webhooks): boolean =>
  topics.includes(topic) &&
  remoteId !== '' &&
  remoteId.length <= MAX_REMOTE_ID &&
  isStorableText(remoteId)

/** The events to store. An id of the app identifies an event that is delivered again. */
const toNewEvents = (
  webhooks: Webhooks,
  events: readonly InboundEvent[],
  headers: Readonly<Record<string, string>>,
): NewEvent[] => {
  const { signature, company, deliveryId } = webhooks
  const header = deliveryId ?? (signature.type === 'standardWebhooks' ? 'webhook-id' : undefined)
  const delivered = header === undefined ? undefined : headers[header]
  return events.flatMap((event, index) => {
    if (!isUsable(event, webhooks)) return []
    const id = event.id ?? (delivered === undefined ? randomUUID() : `${delivered}\n${index}`)
    const { topic, remoteId, kind } = event
    return {
      // The topic too: an app may count the events of each kind of record on its own.
      key: hash('sha256', `${topic}\n${id}`, 'base64url'),
      topic,
      remoteId,
      isDeleted: kind === 'deleted',
      company: company === undefined ? undefined : (event.company ?? ''),
    }
  })
}

/** Creates the receiver of a process. */
export const createReceiver = (options: ReceiverOptions): WebhookHandler => {
  const { database, vault, clock, connectors, log, publicUrl } = options
  const { onDelivery = () => {}, readClientSecrets = async () => [] } = options

  const secretsOf = async (
    secret: SignatureSecret,
    { id, environmentId, app, sealedSecret, credential }: InboundEndpoint,
  ): Promise<readonly string[]> => {
    switch (secret.from) {
      case 'subscription':
        return sealedSecret
          ? [vault.open({ kind: 'inbound', environmentId, id }, sealedSecret)]
          : []
      case 'credential':
        return credential ? [openValues(vault, credential)[secret.value] ?? ''] : []
      case 'oauthClient':
        return readClientSecrets(environmentId, app)
    }
  }

  return async (request) => {
    const { app, method, search, headers, body: bytes } = request
    const endpointId = request.endpointId.toLowerCase()
    const webhooks = connectors.get(app)?.webhooks
    const endpoint = webhooks && (await readEndpoint(database, app, endpointId))
    if (!endpoint) return GONE
    const finish = (outcome: DeliveryOutcome, reply: WebhookReply): WebhookReply => {
      onDelivery(app, outcome)
      return reply
    }
    const body = parseBody(headers['content-type'] ?? '', bytes)
    const text = handshakeText(webhooks.handshake, search, body)
    if (text !== undefined) return finish('handshake', { status: 200, text })
    const secrets = await secretsOf(webhooks.secret, endpoint)
    const url = `${publicUrl}${webhookPath(app, endpointId)}${search}`
    const delivery = { method, url, headers, body: bytes }
    if (!isSigned(webhooks.signature, delivery, body, { secrets, nowMs: clock.nowMs() }))
      return finish('rejected', UNAUTHORIZED)
    let events: readonly InboundEvent[] = []
    let isReadable = true
    try {
      events = webhooks.events({ headers, body })
    } catch {
      // Without its error, which may quote the body. A retry would fail again, and polling finds the change.
      isReadable = false
      log.warn({ app, endpointId }, 'a webhook has a form that the connector cannot read')
    }
    const { foreign } = await saveEvents(
      database,
      endpoint,
      webhooks.scope === 'app',
      toNewEvents(webhooks, events, headers),
    )
    return finish(!isReadable ? 'unreadable' : foreign > 0 ? 'foreign' : 'accepted', ACCEPTED)
  }
}
