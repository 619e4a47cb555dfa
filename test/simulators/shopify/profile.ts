/**
 * Shopify: the Admin GraphQL API, version 2026-07, made from its schema (contract/) and documentation. What could not be
 * verified is in NOTES.md. The vendor has a host for each shop; the simulator has a path: a request to
 * `https://{shop}.myshopify.com/admin/…` is one to `{url}/{shop}.myshopify.com/admin/…`.
 */
import { createHmac } from 'node:crypto'
import type { Account } from '../engine/accounts.ts'
import { type Check, createContract } from '../engine/contract.ts'
import { createBucket, type Limit } from '../engine/limits.ts'
import type { OAuthPolicy } from '../engine/oauth/policy.ts'
import type { Call, Profile, Refusal, Reply, Route } from '../engine/profile.ts'
import type { Simulator } from '../engine/simulator.ts'
import { findResult } from './bulk.ts'
import { sendFile } from './bulk-file.ts'
import type { Context } from './context.ts'
import { executeDocument, respondToGraphql, throttledReply } from './graphql.ts'
import { scopes } from './scopes.ts'
import type { Shop } from './shop.ts'
import { webhookPolicy } from './webhooks.ts'

const VERSION = '2026-07'
export const POINTS = 'points'

export interface ShopifyOptions {
  readonly shopOf: (account: Account) => Shop
  /** The simulator of this profile, which exists when a request arrives. */
  readonly simulator: () => Simulator
  /** Whether points are charged. */
  readonly limited: boolean
  /** Points a second. 100, 200, 1,000 or 2,000, by the plan of the shop. */
  readonly restoreRate: number
}

const contract = createContract({
  $defs: {
    Request: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        // Checked against the operation's variables.
        variables: {},
        operationName: { type: ['string', 'null'] },
      },
      required: ['query'],
      additionalProperties: false,
    },
    Response: {
      type: 'object',
      // Executed against the contract's schema, which checks it.
      properties: {
        data: {},
        errors: { type: 'array' },
        extensions: { $ref: '#/$defs/Extensions' },
      },
      additionalProperties: false,
    },
    Extensions: {
      type: 'object',
      properties: { cost: { $ref: '#/$defs/Cost' } },
      required: ['cost'],
      additionalProperties: false,
    },
    Cost: {
      type: 'object',
      properties: {
        requestedQueryCost: { type: 'integer' },
        actualQueryCost: { type: ['integer', 'null'] },
        throttleStatus: {
          type: 'object',
          properties: {
            maximumAvailable: { type: 'number' },
            currentlyAvailable: { type: 'number' },
            restoreRate: { type: 'number' },
          },
          required: ['maximumAvailable', 'currentlyAvailable', 'restoreRate'],
          additionalProperties: false,
        },
      },
      required: ['requestedQueryCost', 'actualQueryCost', 'throttleStatus'],
      additionalProperties: false,
    },
    Error: {
      type: 'object',
      properties: {
        errors: { anyOf: [{ type: 'string' }, { type: 'array' }] },
        extensions: { $ref: '#/$defs/Extensions' },
      },
      required: ['errors'],
      additionalProperties: false,
    },
  },
})

/** The file is text, which is not checked. */
const acceptAnything: Check = () => []

const refuse = (refusal: Refusal, restoreRate: number): Reply => {
  const error = (status: number, errors: string): Reply => ({ status, body: { errors } })
  switch (refusal.reason) {
    case 'unauthenticated':
      return error(
        401,
        '[API] Invalid API key or access token (unrecognized login or wrong password)',
      )
    case 'wrong-account':
      return error(
        401,
        '[API] Invalid API key or access token (unrecognized login or wrong password)',
      )
    case 'unknown-path':
      return error(404, 'Not Found')
    case 'unknown-method':
      return error(406, 'Not Acceptable')
    case 'media-type':
      return error(415, 'Unsupported Media Type')
    case 'body-too-large':
      return error(413, 'Payload Too Large')
    case 'missing-scope':
      return error(403, `Requires ${refusal.scopes.join(', ')}`)
    case 'rate-limited': {
      const throttleStatus = { maximumAvailable: 0, currentlyAvailable: 0, restoreRate }
      return throttledReply({
        cost: { requestedQueryCost: 1, actualQueryCost: null, throttleStatus },
      })
    }
    default:
      return error(400, `${refusal.reason}: ${JSON.stringify(refusal)}`)
  }
}

/** Whether an account has the name of a shop: `acme.myshopify.com`. */
export const isShopDomain = (text: string): boolean =>
  /^[a-z0-9][a-z0-9-]{0,60}\.myshopify\.com$/.test(text)

/** @see https://shopify.dev/docs/apps/build/authentication-authorization */
const sign = (parameters: Readonly<Record<string, string>>, secret: string): string => {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  const message = sorted.map(([name, value]) => `${name}=${value}`).join('&')
  return createHmac('sha256', secret).update(message).digest('hex')
}

const callbackParameters: OAuthPolicy['callbackParameters'] = ({
  accountId,
  code,
  state,
  client,
  nowMs,
}) => {
  const store = accountId.replace('.myshopify.com', '')
  const host = Buffer.from(`admin.shopify.com/store/${store}`).toString('base64')
  const timestamp = String(Math.floor(nowMs / 1000))
  const signed = { code, host, shop: accountId, timestamp, ...(state !== undefined && { state }) }
  return { ...signed, hmac: sign(signed, client.clientSecret) }
}

const DAY_MS = 86_400_000

const oauth: OAuthPolicy = {
  paths: {
    authorize: '/{shop}/admin/oauth/authorize',
    token: '/{shop}/admin/oauth/access_token',
  },
  scopes,
  scopeSeparator: ',',
  pkce: 'unsupported',
  clientAuthentication: ['body'],
  bodies: ['application/x-www-form-urlencoded', 'application/json'],
  codeSeconds: 60,
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 90 * 86_400,
  refresh: { rotatesAfterMs: 0, graceMs: 30 * DAY_MS, graceEndsOnUse: true, reuse: 'refused' },
  optionalParameters: ['response_type', 'grant_type', 'redirect_uri'],
  authorizeParameters: ['grant_options[]'],
  tokenParameters: ['expiring'],
  // Public apps must request tokens that expire.
  checkTokenRequest: (body) =>
    body.has('code') && body.get('expiring') !== '1' ? 'expiring must be 1' : undefined,
  accountOf: ({ shop }) => shop,
  callbackParameters,
  tokenResponse: ({
    accessToken,
    accessTokenSeconds,
    refreshToken,
    refreshTokenSeconds,
    scopes: granted,
  }) => ({
    access_token: accessToken,
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    refresh_token_expires_in: refreshTokenSeconds,
    scope: granted.join(','),
  }),
}

const originOf = ({ headers }: Call): string => `http://${headers.host ?? 'simulator'}`

/** Points that are never used up. */
const unlimitedPoints = ({ max }: { readonly max: number }): Limit => ({
  state: () => ({ max, used: 0, resetMs: 0 }),
  waitMs: () => 0,
  take: () => undefined,
  end: () => undefined,
})

const contextOf = (call: Call, shop: Shop, simulator: Simulator): Context => {
  const client = simulator.oauth.clients.find(({ clientId }) => clientId === call.clientId)
  if (!client) throw new Error(`The client ${call.clientId} is not registered`)
  const context: Context = {
    shop,
    client,
    webhooks: simulator.webhooks,
    scopes: call.scopes,
    origin: originOf(call),
    isBulk: false,
    executeBulk: (document) => executeDocument(document, { ...context, isBulk: true }),
  }
  return context
}

const createRoutes = (options: ShopifyOptions): readonly Route[] => {
  const { shopOf, simulator, limited, restoreRate } = options
  const max = restoreRate * 20
  const pointsOf = (): Limit => (limited ? simulator().limits.of(POINTS) : unlimitedPoints({ max }))
  const graphql: Route = {
    method: 'POST',
    path: `/{shop}/admin/api/${VERSION}/graphql.json`,
    body: { mediaTypes: ['application/json'], check: () => contract.checkOf('Request') },
    respond: (call) => {
      const shop = shopOf(call.account)
      shop.runDue()
      const key = `${call.account.id} ${call.clientId}`
      const charge = { points: pointsOf(), key, restoreRate }
      return respondToGraphql(call, contextOf(call, shop, simulator()), charge)
    },
    response: contract.checkOf('Response'),
  }
  const result: Route = {
    method: 'GET',
    path: '/{shop}/bulk-results/{number}',
    isPublic: true,
    headers: { range: {} },
    respond: ({ account, headers: { range }, path: { number = '' } }) => {
      const file = findResult(number, shopOf(account))
      return file === undefined
        ? { status: 404, headers: { 'content-type': 'application/xml' }, body: '<Error/>' }
        : sendFile(file, typeof range === 'string' ? range : undefined)
    },
    response: acceptAnything,
  }
  return [graphql, result]
}

export const createProfile = (options: ShopifyOptions): Profile => ({
  name: 'Shopify',
  routes: createRoutes(options),
  refuse: (refusal) => refuse(refusal, options.restoreRate),
  errorBody: contract.checkOf('Error'),
  readToken: ({ 'x-shopify-access-token': token }) =>
    typeof token === 'string' ? token : undefined,
  accountOf: ({ shop }) => shop,
  requestHeaders: { 'x-shopify-access-token': {} },
  responseHeaders: ({ requestId }) => ({
    'x-request-id': requestId,
    'x-shopify-api-version': VERSION,
  }),
  limits: [
    {
      name: POINTS,
      limit: (clock) =>
        createBucket(clock, {
          max: options.restoreRate * 20,
          restoredPerSecond: options.restoreRate,
        }),
      // Charged by the route, which knows the cost.
      key: () => undefined,
    },
  ],
  oauth,
  webhooks: webhookPolicy,
})
