/** A small CRM in this process that can be subscribed to, with connectors for both scopes of webhooks. */
import { createHmac } from 'node:crypto'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import type { InboundEvent, Webhooks } from '../../src/definition/inbound.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { account } from '../../src/resources/crm/account.ts'

const TOPIC = 'crm/accounts'
export const CLIENT_SECRET = 'the secret of the OAuth client'

interface RemoteWebhook {
  readonly id: string
  readonly address: string
  readonly secret: string
  expiresAt: string
}

/** The app and its state. */
export interface SubscribedApp {
  readonly accounts: Map<string, { readonly id: string; readonly name: string }>
  readonly webhooks: Map<string, RemoteWebhook>
  /** Each request: `GET /accounts?ids=1,2`. */
  readonly requests: string[]
  readonly settings: {
    /** Makes every request fail with this status, or never respond. */
    fault: number | 'silent' | undefined
    /** How long new subscriptions live. */
    lifeMs: number
  }
  readonly handle: (request: Request) => Promise<Response>
}

export const createSubscribedApp = (): SubscribedApp => {
  const app: SubscribedApp = {
    accounts: new Map(),
    webhooks: new Map(),
    requests: [],
    settings: { fault: undefined, lifeMs: 3 * 86_400_000 },
    handle: async (request) => {
      const { pathname, search, searchParams } = new URL(request.url)
      app.requests.push(`${request.method} ${pathname}${decodeURIComponent(search)}`)
      const { fault, lifeMs } = app.settings
      if (fault === 'silent')
        return new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => reject(request.signal.reason)),
        )
      if (fault !== undefined) return Response.json({ error: 'a fault' }, { status: fault })
      const id = pathname.split('/')[2] ?? ''
      const expiresAt = new Date(Date.now() + lifeMs).toISOString()
      switch (`${request.method} /${pathname.split('/')[1]}`) {
        case 'GET /accounts': {
          const ids = searchParams.get('ids')?.split(',') ?? []
          return Response.json(ids.flatMap((accountId) => app.accounts.get(accountId) ?? []))
        }
        case 'GET /webhooks':
          return Response.json([...app.webhooks.values()])
        case 'POST /webhooks': {
          const { address } = (await request.json()) as { address: string }
          const created = {
            id: String(app.requests.length),
            address,
            secret: 'made by the app',
            expiresAt,
          }
          app.webhooks.set(created.id, created)
          return Response.json(created)
        }
        case 'PUT /webhooks': {
          const renewed = app.webhooks.get(id)
          if (renewed) renewed.expiresAt = expiresAt
          return Response.json(renewed ?? {})
        }
        default:
          app.webhooks.delete(id)
          return Response.json({})
      }
    },
  }
  return app
}

const events: Webhooks['events'] = ({ body }) => {
  // The deliveries of the tests have this form; others have no list.
  const { list } = body as { readonly list: readonly InboundEvent[] }
  return list.map((event) => ({ ...event, topic: event.topic ?? TOPIC }))
}

const toRemote = (body: unknown) => {
  const { id, secret, expiresAt } = body as RemoteWebhook
  return { ids: [id], secret, expiresAt }
}

/** Each credential subscribes; the app makes the secret, and the subscription expires. */
const perCredential: Webhooks = {
  scope: 'credential',
  topics: [TOPIC],
  signature: { type: 'hmac', header: 'x-signature', encoding: 'hex', prefix: 'sha256=' },
  secret: { from: 'subscription' },
  handshake: { echo: 'query', name: 'validationToken' },
  deliveryId: 'x-delivery',
  events,
  subscription: {
    *create({ address }) {
      return toRemote((yield { method: 'POST', path: '/webhooks', body: { address } }).body)
    },
    *renew([id]) {
      return toRemote((yield { method: 'PUT', path: `/webhooks/${id}` }).body)
    },
    *list() {
      return (yield { method: 'GET', path: '/webhooks' }).body as RemoteWebhook[]
    },
    *delete(id) {
      yield { method: 'DELETE', path: `/webhooks/${id}` }
    },
  },
}

/** All credentials of an environment share an address, and each event names a company. */
const perApp: Webhooks = {
  scope: 'app',
  topics: [TOPIC],
  signature: { type: 'hmac', header: 'x-signature', encoding: 'base64' },
  secret: { from: 'oauthClient' },
  handshake: { echo: 'body', name: 'challenge' },
  company: 'realmId',
  events,
}

const connectorOf = (name: string, webhooks: Webhooks): Connector =>
  defineConnector({
    app: name,
    name,
    doc: 'A small CRM for tests.',
    auth: {
      address: {
        type: 'apiKey',
        fields: {
          url: { doc: 'Its address.', secret: false },
          realmId: { doc: 'The company.', secret: false, optional: true },
        },
        baseUrl: '{url}',
        request: {},
      },
    },
    readFailure: ({ status }) =>
      status < 400
        ? undefined
        : { kind: status >= 500 ? 'unavailable' : 'refused', reason: `status ${status}` },
    check: { method: 'GET', path: '/accounts' },
    webhooks,
    resources: {
      [TOPIC]: {
        mapping: defineMapping(account, {
          remoteId: 'id',
          remoteCreatedAt: null,
          remoteUpdatedAt: null,
          remoteDeleted: null,
          accountName: 'name',
          numberOfEmployees: null,
          description: null,
          accountOwner: null,
          industry: null,
          website: null,
          lastActivityAt: null,
          addresses: null,
          phoneNumbers: null,
        }),
        readMany: {
          maxIds: 20,
          request: (ids) => ({ method: 'GET', path: `/accounts?ids=${ids.join(',')}` }),
          read: ({ body }) => body as readonly unknown[],
        },
        listRequest: () => ({ method: 'GET', path: '/accounts' }),
        readList: ({ body }) => ({ records: body as readonly unknown[], next: undefined }),
        sync: { changes: { by: 'time', overlapMs: 0 }, deletions: 'reported' },
      },
    },
  })

export const ownConnector = connectorOf('own', perCredential)
export const sharedConnector = connectorOf('shared', perApp)

/** The headers of a delivery of either connector. */
export const signedHeaders = (app: 'own' | 'shared', body: string): Record<string, string> => {
  const hmac = (secret: string) => createHmac('sha256', secret).update(body)
  return {
    'content-type': 'application/json',
    'x-signature':
      app === 'own'
        ? `sha256=${hmac('made by the app').digest('hex')}`
        : hmac(CLIENT_SECRET).digest('base64'),
  }
}
