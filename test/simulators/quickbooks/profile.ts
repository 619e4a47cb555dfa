/**
 * QuickBooks Online: the accounting API of Intuit, made from its schema (contract/) and documentation. What could not
 * be verified is in NOTES.md.
 */
import type { Account } from '../engine/accounts.ts'
import { createConcurrency, createFixedWindow, createWindow } from '../engine/limits.ts'
import type { OAuthPolicy } from '../engine/oauth/policy.ts'
import type { LimitPolicy, Profile, Route } from '../engine/profile.ts'
import type { ChangeLimits } from './changes.ts'
import type { Company } from './company.ts'
import { checkOf } from './contract.ts'
import { refuse } from './refusals.ts'
import { createRoutes, SCOPE } from './routes.ts'
import { type WebhookFormat, webhookPolicy } from './webhooks.ts'

export interface QuickBooksOptions extends ChangeLimits {
  readonly webhookFormat: WebhookFormat
  readonly companyOf: (account: Account) => Company
}

/** Limits count the requests of an OAuth client to a company. */
const perCompany: LimitPolicy['key'] = ({ accountId, clientId }) => `${accountId} ${clientId}`

const isRead = ({ method, path }: Route): boolean => method === 'GET' || path.endsWith('/query')

const limits: readonly LimitPolicy[] = [
  {
    name: 'requests per minute',
    limit: (clock) => createWindow(clock, { max: 500, periodMs: 60_000 }),
    key: ({ accountId }) => accountId,
  },
  {
    // Reads are metered by the vendor's plans; this is the amount of the first one. Writes are free.
    name: 'reads per month',
    limit: (clock) => createFixedWindow(clock, { max: 500_000, periodMs: 30 * 86_400_000 }),
    key: ({ route, clientId }) => (isRead(route) ? clientId : undefined),
  },
  {
    name: 'requests per second',
    limit: (clock) => createWindow(clock, { max: 10, periodMs: 1000 }),
    key: perCompany,
  },
  {
    name: 'concurrent requests',
    limit: () => createConcurrency({ max: 10 }),
    key: perCompany,
  },
]

const oauth: OAuthPolicy = {
  paths: {
    authorize: '/connect/oauth2',
    token: '/oauth2/v1/tokens/bearer',
    revoke: '/v2/oauth2/tokens/revoke',
  },
  scopes: [SCOPE, 'com.intuit.quickbooks.payment', 'openid', 'profile', 'email'],
  scopeSeparator: ' ',
  pkce: 'unsupported',
  clientAuthentication: ['basic'],
  bodies: ['application/x-www-form-urlencoded', 'application/json'],
  codeSeconds: 600,
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 8_726_400,
  refresh: { rotatesAfterMs: 86_400_000, graceMs: 0, reuse: 'refused' },
  callbackParameters: ({ accountId }) => ({ realmId: accountId }),
  tokenResponse: ({ accessToken, accessTokenSeconds, refreshToken, refreshTokenSeconds }) => ({
    token_type: 'bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    x_refresh_token_expires_in: refreshTokenSeconds,
    access_token: accessToken,
  }),
}

export const createProfile = ({
  companyOf,
  webhookFormat,
  limitedBy,
}: QuickBooksOptions): Profile => ({
  name: 'QuickBooks Online',
  routes: createRoutes(companyOf, { limitedBy }),
  refuse,
  errorBody: checkOf('FaultEnvelope'),
  accountOf: ({ realmId }) => realmId,
  requestHeaders: {
    accept: { required: true, accepts: (value) => value.includes('application/json') },
  },
  responseHeaders: ({ requestId }) => ({ intuit_tid: requestId }),
  limits,
  oauth,
  webhooks: webhookPolicy(webhookFormat, (account, type, id) =>
    companyOf(account).mergedInto.get(`${type} ${id}`),
  ),
})
