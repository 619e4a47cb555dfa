/**
 * HubSpot: its CRM API in the versions named by dates, made from the models of @hubspot/api-client and the
 * documentation. What could not be verified is in NOTES.md.
 */
import { createFixedWindow, createWindow } from '../engine/limits.ts'
import type { IntrospectedToken, IssuedTokens, OAuthPolicy } from '../engine/oauth/policy.ts'
import type { LimitPolicy, Profile } from '../engine/profile.ts'
import { associationRoutes } from './association-routes.ts'
import { checkOf } from './contract.ts'
import { type PortalOf, VERSIONS } from './endpoints.ts'
import { objectTypes } from './object-types.ts'
import { recordRoutes } from './record-routes.ts'
import { refuse } from './refusals.ts'
import { settingsRoutes } from './settings-routes.ts'
import { appIdOf, type WebhookFormat, webhookPolicy } from './webhooks.ts'

/** An app that many portals install by OAuth, or the private app of one portal. */
export type AppKind = 'oauth' | 'private'

export interface HubSpotOptions {
  readonly portalOf: PortalOf
  readonly webhookFormat: WebhookFormat
  readonly appKind: AppKind
}

const INTERVAL_MS = 10_000

/** Requests count for an app in a portal; searches for the portal. */
const perApp: LimitPolicy['key'] = ({ accountId, clientId }) => `${accountId} ${clientId}`

const limitsOf = (appKind: AppKind): readonly LimitPolicy[] => [
  {
    name: 'searches per second',
    limit: (clock) => createWindow(clock, { max: 5, periodMs: 1000 }),
    key: ({ route, accountId }) => (route.path.endsWith('/search') ? accountId : undefined),
  },
  {
    name: 'requests per 10 seconds',
    limit: (clock) =>
      createWindow(clock, { max: appKind === 'oauth' ? 110 : 190, periodMs: INTERVAL_MS }),
    key: perApp,
  },
  ...(appKind === 'oauth'
    ? []
    : [
        {
          name: 'requests per day',
          limit: (clock: Parameters<LimitPolicy['limit']>[0]) =>
            createFixedWindow(clock, { max: 650_000, periodMs: 86_400_000 }),
          key: ({ accountId }: Parameters<LimitPolicy['key']>[0]) => accountId,
        },
      ]),
]

/** Searches have no such headers. */
const rateHeaders: NonNullable<Profile['responseHeaders']> = ({ limits, requestId }) => {
  const correlation = { 'x-hubspot-correlation-id': requestId }
  const interval = limits['requests per 10 seconds']
  const day = limits['requests per day']
  if (interval === undefined || limits['searches per second'] !== undefined) return correlation
  return {
    ...correlation,
    'x-hubspot-ratelimit-interval-milliseconds': String(INTERVAL_MS),
    'x-hubspot-ratelimit-max': String(interval.max),
    'x-hubspot-ratelimit-remaining': String(interval.max - interval.used),
    ...(day && {
      'x-hubspot-ratelimit-daily': String(day.max),
      'x-hubspot-ratelimit-daily-remaining': String(day.max - day.used),
    }),
  }
}

const scopes = [
  'oauth',
  'crm.objects.owners.read',
  ...new Set(
    [...objectTypes.values()].flatMap(({ name, readScopes, writeScopes }) => [
      ...readScopes,
      ...writeScopes,
      `crm.schemas.${name}.read`,
    ]),
  ),
]

const USER_ID = 42

const tokenResponse = (issued: IssuedTokens) => ({
  token_type: 'bearer',
  access_token: issued.accessToken,
  refresh_token: issued.refreshToken,
  expires_in: issued.accessTokenSeconds,
  hub_id: Number(issued.accountId),
  user_id: USER_ID,
  scopes: issued.scopes,
  token_use: 'access_token',
})

const introspectionResponse = (found: IntrospectedToken | undefined) => {
  if (!found) return { active: false }
  const { token, use, expiresInSeconds, accountId, clientId } = found
  return {
    active: true,
    token,
    token_use: use,
    token_type: 'bearer',
    client_id: clientId,
    hub_id: Number(accountId),
    user_id: USER_ID,
    app_id: appIdOf(clientId),
    scopes: found.scopes,
    hub_domain: `portal-${accountId}.example`,
    user: 'admin@example.com',
    ...(use === 'access_token' && {
      expires_in: expiresInSeconds,
      is_private_distribution: false,
    }),
  }
}

/** The vendor's own words, in addition to the codes of OAuth. */
const GRANT_ERRORS: Readonly<Record<string, string>> = {
  invalid_grant: 'BAD_REFRESH_TOKEN',
  invalid_client: 'BAD_CLIENT_ID',
}

const versions = (path: string): readonly string[] =>
  VERSIONS.map((version) => `/oauth/${version}/${path}`)

const oauthOf = (portalOf: PortalOf): OAuthPolicy => ({
  paths: {
    authorize: '/oauth/authorize',
    token: versions('token'),
    introspect: versions('token/introspect'),
    revoke: versions('token/revoke'),
  },
  scopes,
  scopeSeparator: ' ',
  pkce: 'optional',
  clientAuthentication: ['body'],
  bodies: ['application/x-www-form-urlencoded'],
  codeSeconds: 60,
  accessTokenSeconds: 1800,
  // Refresh tokens last until the user disconnects the app.
  refreshTokenSeconds: 100 * 365 * 86_400,
  refresh: { rotatesAfterMs: Number.POSITIVE_INFINITY, graceMs: 0, reuse: 'refused' },
  optionalParameters: ['response_type'],
  optionalScopes: {
    parameter: 'optional_scope',
    isGranted: (account, scope) =>
      portalOf(account).settings.hasLeads || !scope.startsWith('crm.objects.leads.'),
  },
  tokenParameters: ['scope'],
  tokenResponse,
  introspectionResponse,
  errorResponse: ({ code, description }) => ({
    status: GRANT_ERRORS[code] ?? 'BAD_REQUEST',
    message: description,
    error: code,
    error_description: description,
  }),
})

export const createProfile = ({ portalOf, webhookFormat, appKind }: HubSpotOptions): Profile => ({
  name: 'HubSpot',
  routes: [...recordRoutes(portalOf), ...associationRoutes(portalOf), ...settingsRoutes(portalOf)],
  refuse,
  errorBody: checkOf('Error'),
  responseHeaders: rateHeaders,
  limits: limitsOf(appKind),
  oauth: oauthOf(portalOf),
  webhooks: webhookPolicy(webhookFormat),
})
