/** OAuth clients: the integrator's registrations with apps, one per environment and app. */
import {
  boolean,
  defineShape,
  list,
  object,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  deleteOAuthClient,
  listOAuthClients,
  type OAuthClientSummary,
  setOAuthClient,
} from '../../store/accounts/oauth-clients.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { app } from './apps.ts'

const tag = 'Credentials'
const PATH = '/2024-03/oauth-clients'
const MAX_LENGTH = 4096
const MAX_SCOPES = 100
// RFC 6749, appendix A.1 and A.2.
const VISIBLE = /^[\x20-\x7e]+$/
// RFC 6749, section 3.3, with the comma that some apps use as the separator left out.
const SCOPE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/

const oauthClient = defineShape({
  name: 'OAuthClient',
  doc: "The registration of the integrator with an app's authorization server. Its secrets are never returned.",
  fields: {
    app,
    clientId: required(text("The client's id, as the app shows it.")),
    scopes: texts('The scopes to request; empty: those that the connector needs.'),
    hasWebhookSecret: required(
      boolean('Whether the app signs its webhooks with another secret than that of the client.'),
    ),
    redirectUri: text('The redirect URI to register with the app; null: PUBLIC_URL is not set.'),
    createdAt: required(timestamp('When it was first set.')),
    updatedAt: required(timestamp('When it was last set.')),
  },
})

const example = {
  app: 'sandbox',
  clientId: 'trunkline',
  scopes: [],
  hasWebhookSecret: false,
  redirectUri: 'https://api.example.com/oauth/callback',
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
}

const toResult = (
  { redirectUri }: CallContext,
  { app, clientId, scopes, hasWebhookSecret, createdAt, updatedAt }: OAuthClientSummary,
) => ({
  app,
  clientId,
  scopes: scopes ?? [],
  hasWebhookSecret,
  redirectUri: redirectUri() ?? null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** @throws INVALID_PARAMETER */
const readScopes = (scopes: readonly string[] | null | undefined): readonly string[] | null => {
  if (scopes == null || scopes.length === 0) return null
  if (
    scopes.length > MAX_SCOPES ||
    !scopes.every((scope) => SCOPE.test(scope) && scope.length < MAX_LENGTH)
  )
    throw invalidParameter('scopes', `at most ${MAX_SCOPES} scopes, without spaces and commas`)
  return [...new Set(scopes)]
}

/** @throws INVALID_PARAMETER */
const readText = (field: string, value: string): string => {
  if (VISIBLE.test(value) && value.trim() === value && value.length <= MAX_LENGTH) return value
  throw invalidParameter(field, `1 to ${MAX_LENGTH} printable ASCII characters`)
}

/** @throws NOT_FOUND, NOT_SUPPORTED */
const requireOAuthApp = ({ connectors }: CallContext, name: string): string => {
  const connector = connectors.get(name)
  if (!connector)
    throw new ApiError(
      'NOT_FOUND',
      'No app has this name. GET /2024-03/metadata/credentials lists the apps.',
    )
  if (Object.values(connector.auth).some(({ type }) => type === 'oauth2')) return connector.app
  throw new ApiError(
    'NOT_SUPPORTED',
    `${connector.name} does not use OAuth, so it needs no OAuth client.`,
  )
}

const requireClient = async (context: CallContext, app: string) => {
  const clients = await listOAuthClients(context.database, context.caller.environmentId)
  const found = clients.find((client) => client.app === app)
  if (found) return toResult(context, found)
  throw new ApiError(
    'NOT_FOUND',
    `The environment has no OAuth client for this app. Set it with PUT ${PATH}/:app.`,
  )
}

export const oauthClientOperations = [
  defineOperation({
    name: 'oauthClients',
    summary: 'List OAuth clients',
    doc: 'Returns the OAuth clients of the environment, by app, without their secrets.',
    tag,
    rest: { method: 'GET', path: PATH },
    callers: ['key'],
    response: { key: 'data', value: list(oauthClient, 'The OAuth clients.') },
    example: { input: {}, result: [example] },
    run: async (context) =>
      (await listOAuthClients(context.database, context.caller.environmentId)).map((client) =>
        toResult(context, client),
      ),
  }),
  defineOperation({
    name: 'setOAuthClient',
    summary: 'Replace the OAuth client of an app',
    doc: 'Sets the OAuth client with which end users of the environment authorize an app, in place of an earlier one. Credentials that the earlier one connected may have to be reconnected.',
    tag,
    rest: { method: 'PUT', path: `${PATH}/:app` },
    callers: ['key'],
    path: { app },
    body: {
      clientId: required(text("The client's id, as the app shows it.")),
      clientSecret: required(text("The client's secret. It is stored encrypted.")),
      webhookSecret: text(
        'The secret with which the app signs its webhooks, if it is not that of the client. It is stored encrypted.',
      ),
      scopes: texts('The scopes to request. Default: those that the connector needs.'),
    },
    response: { key: 'oauthClient', value: object(oauthClient, 'The OAuth client.') },
    errors: ['NOT_SUPPORTED', 'NOT_FOUND'],
    example: {
      input: { app: 'sandbox', clientId: 'trunkline', clientSecret: 'sandbox-client' },
      result: example,
    },
    run: async (context, input) => {
      const { database, vault, caller } = context
      const key = { environmentId: caller.environmentId, app: requireOAuthApp(context, input.app) }
      await setOAuthClient(database, vault, key, {
        clientId: readText('clientId', input.clientId),
        clientSecret: readText('clientSecret', input.clientSecret),
        webhookSecret:
          input.webhookSecret == null ? null : readText('webhookSecret', input.webhookSecret),
        scopes: readScopes(input.scopes),
      })
      return requireClient(context, key.app)
    },
  }),
  defineOperation({
    name: 'deleteOAuthClient',
    summary: 'Delete the OAuth client of an app',
    doc: 'Deletes an OAuth client. Credentials that it connected can no longer renew their tokens.',
    tag,
    rest: { method: 'DELETE', path: `${PATH}/:app` },
    callers: ['key'],
    path: { app },
    response: { key: 'oauthClient', value: object(oauthClient, 'The deleted OAuth client.') },
    errors: ['NOT_FOUND'],
    example: { input: { app: 'sandbox' }, result: example },
    run: async (context, { app: name }) => {
      const { database, caller } = context
      const deleted = await requireClient(context, name)
      await deleteOAuthClient(database, { environmentId: caller.environmentId, app: name })
      return deleted
    },
  }),
]
