/** Authorizations of apps by OAuth: requested here, continued in the end user's browser, and read here. */
import type { AuthMethod, CredentialValues } from '../../definition/auth.ts'
import type { Connector } from '../../definition/connector.ts'
import {
  defineShape,
  enumeration,
  json,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import { nearest } from '../../definition/nearest.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  type AuthorizationState,
  findAuthorization,
  type StoredAuthorization,
} from '../../store/accounts/authorizations.ts'
import { countCredentials } from '../../store/accounts/credentials.ts'
import { noCredential } from '../auth/caller.ts'
import { readCredentialValues, requireApp } from '../credential-input.ts'
import { type CallContext, defineOperation, type InputOf, required } from '../operation.ts'
import { app } from './apps.ts'
import { EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { tooManyCredentials } from './credentials.ts'
import { EXAMPLE_USER, requireUser, userId } from './users.ts'

const tag = 'Credentials'
const PATH = '/2024-03/headless/authorizations'
const callers = ['key', 'user'] as const
const EXAMPLE_AUTHORIZATION = '7d2e4b91-60c8-4f3a-8b15-9e0a7c5d3f26'
const EXAMPLE_URL = 'https://api.example.com/oauth/start/tl_auth_4f1c…'

const authorizationId = required(reference('authorizations', 'The authorization.'))

const states: Readonly<Record<AuthorizationState, string>> = {
  pending: 'The end user has not finished.',
  choosing: 'One of `accounts` must be chosen.',
  connected: 'The app is connected.',
  denied: 'The end user did not allow it.',
  failed: 'It failed.',
  expired: 'It did not end in time.',
}

const authorization = defineShape({
  name: 'Authorization',
  doc: 'The authorization of an app by an end user with OAuth. It ends when the app is connected, or when it is denied, fails or expires.',
  fields: {
    authorizationId,
    app,
    url: text(
      "Open this URL in the end user's browser. It can be opened once, within 10 minutes. Only the response that creates the authorization has it; null otherwise.",
    ),
    state: required(enumeration('Its progress.', states)),
    reason: text('Why it failed, in words; null if it did not fail.'),
    accounts: list(
      defineShape({
        name: 'AuthorizationAccount',
        doc: 'An account of the app that the end user can connect.',
        fields: {
          accountId: required(text("The app's own id of the account.")),
          label: required(text('The name of the account in the app.')),
        },
      }),
      'The accounts to choose from while one must be chosen; empty otherwise.',
    ),
    credentialId: reference(
      'credentials',
      'The credential that was created or reconnected; null before that.',
    ),
    expiresAt: required(timestamp('When the authorization expires unless it has ended.')),
  },
})

const response = { key: 'authorization', value: object(authorization, 'The authorization.') }

const example = {
  authorizationId: EXAMPLE_AUTHORIZATION,
  app: 'sandbox',
  url: null,
  state: 'pending',
  reason: null,
  accounts: [],
  credentialId: null,
  expiresAt: '2026-03-02T09:40:00.000Z',
}

const toResult = (stored: StoredAuthorization, url: string | null = null) => ({
  authorizationId: stored.id,
  app: stored.app,
  url,
  state: stored.state,
  reason: stored.reason,
  accounts:
    stored.state === 'choosing'
      ? (stored.flow?.accounts ?? []).map(({ id, label }) => ({ accountId: id, label }))
      : [],
  credentialId: stored.resultId,
  expiresAt: stored.expiresAt.toISOString(),
})

/** @throws NOT_FOUND also for an authorization of another end user or environment */
const requireAuthorization = async (
  { database, vault, caller }: CallContext,
  id: string,
): Promise<StoredAuthorization> => {
  const { environmentId } = caller
  const owner = { environmentId, userId: caller.kind === 'user' ? caller.userId : undefined }
  const found = await findAuthorization(database, vault, owner, id)
  if (found) return found
  throw new ApiError('NOT_FOUND', 'No authorization has this authorizationId. Start a new one.')
}

const isOAuth = ([, { type }]: readonly [string, AuthMethod]): boolean => type === 'oauth2'

/** The requested OAuth method, or the first one. @throws NOT_SUPPORTED, INVALID_PARAMETER */
const requireOAuthMethod = ({ name, auth }: Connector, requested: string | undefined): string => {
  const names = Object.entries(auth)
    .filter(isOAuth)
    .map(([methodName]) => methodName)
  const [first] = names
  if (first === undefined)
    throw new ApiError(
      'NOT_SUPPORTED',
      `${name} does not use OAuth. Connect it with POST /2024-03/headless/credentials.`,
    )
  if (requested === undefined || names.includes(requested)) return requested ?? first
  throw invalidParameter('method', `a method of type oauth2, such as ${nearest(requested, names)}`)
}

const newAuthorization = {
  userId,
  app,
  method: text(
    'The method of the app, with OAuth: see GET /2024-03/metadata/credentials. Default: the first one.',
  ),
  credential: json('The values of the fields of the method, by name; only if it has fields.'),
  credentialId: reference(
    'credentials',
    'The credential to reconnect, with the same id and records. Default: a new credential is created.',
  ),
}

/** The credential to reconnect. @throws CREDENTIAL_NOT_FOUND unless it is of the end user and the app */
const requireOwnCredential = async (
  { access, caller: { environmentId } }: CallContext,
  credentialId: string,
  owner: { readonly userId: string; readonly app: string },
): Promise<string> => {
  const facts = await access.credential(credentialId)
  const isOwn =
    facts?.environmentId === environmentId &&
    facts.userId === owner.userId &&
    facts.app === owner.app
  if (!facts || !isOwn) throw noCredential()
  return facts.id
}

const requireCapacity = async (
  { database, maxCredentialsPerUser: limit }: CallContext,
  userId: string,
): Promise<void> => {
  if ((await countCredentials(database, userId)) >= limit) throw tooManyCredentials(limit)
}

const create = async (context: CallContext, input: InputOf<typeof newAuthorization>) => {
  const userId = await requireUser(context, input.userId)
  const connector = requireApp(context, input.app)
  const methodName = requireOAuthMethod(connector, input.method ?? undefined)
  const values: CredentialValues = readCredentialValues(
    connector,
    methodName,
    input.credential ?? {},
  )
  const credentialId =
    input.credentialId == null
      ? null
      : await requireOwnCredential(context, input.credentialId, { userId, app: connector.app })
  if (credentialId === null) await requireCapacity(context, userId)
  const { environmentId } = context.caller
  return context.authorizations.create({
    environmentId,
    userId,
    connector,
    methodName,
    values,
    credentialId,
  })
}

export const authorizationOperations = [
  defineOperation({
    name: 'createAuthorization',
    summary: 'Start an authorization with OAuth',
    doc: "Starts the authorization of an app by an end user. Open `url` in the end user's browser, then read the authorization until it has ended. The app must have an OAuth client in the environment.",
    tag,
    rest: { method: 'POST', path: PATH },
    callers,
    body: newAuthorization,
    response,
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_NOT_FOUND',
      'CREDENTIAL_LIMIT',
      'NOT_SUPPORTED',
      'OAUTH_NOT_CONFIGURED',
    ],
    example: {
      input: { userId: EXAMPLE_USER, app: 'sandbox' },
      result: { ...example, url: EXAMPLE_URL },
    },
    run: async (context, input) => {
      const { authorization, url } = await create(context, input)
      return toResult(authorization, url)
    },
  }),
  defineOperation({
    name: 'authorization',
    summary: 'Get an authorization',
    doc: 'Returns an authorization with its state, for an hour after it expired.',
    tag,
    rest: { method: 'GET', path: `${PATH}/:authorizationId` },
    callers,
    path: { authorizationId },
    response,
    errors: ['NOT_FOUND'],
    example: {
      input: { authorizationId: EXAMPLE_AUTHORIZATION },
      result: { ...example, state: 'connected', credentialId: EXAMPLE_CREDENTIAL },
    },
    run: async (context, input) =>
      toResult(await requireAuthorization(context, input.authorizationId)),
  }),
  defineOperation({
    name: 'chooseAuthorizationAccount',
    summary: 'Complete an authorization with an account',
    doc: 'Connects one of the accounts that an authorization offers. The account is checked with a request to the app; then the first sync starts.',
    tag,
    rest: { method: 'POST', path: `${PATH}/:authorizationId/account` },
    callers,
    path: { authorizationId },
    body: { accountId: required(text('The id of one of the accounts.')) },
    response,
    errors: [
      'NOT_FOUND',
      'AUTHORIZATION_ENDED',
      'CREDENTIAL_LIMIT',
      'CREDENTIAL_NOT_FOUND',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
    ],
    example: {
      input: { authorizationId: EXAMPLE_AUTHORIZATION, accountId: 'harbour-light' },
      result: { ...example, state: 'connected', credentialId: EXAMPLE_CREDENTIAL },
    },
    check: async (context, { authorizationId: id, accountId }) =>
      context.authorizations.chooseAccount(await requireAuthorization(context, id), accountId),
    run: async (context, { authorizationId: id }) => {
      await context.checked?.(context.database)
      return toResult(await requireAuthorization(context, id))
    },
  }),
  defineOperation({
    name: 'oauthUrl',
    mutation: 'createOAuthUrl',
    summary: 'Get the OAuth URL of an app',
    doc: 'Starts the authorization of an app that uses OAuth, and returns the URL at which the end user authorizes it. To follow its state, start it with POST /2024-03/headless/authorizations instead.',
    tag,
    rest: { method: 'GET', path: '/2024-03/headless/oauthUrl' },
    callers,
    query: { app, userId },
    response: {
      key: 'data',
      payloadField: 'authorizationUrl',
      value: object(
        defineShape({
          name: 'OAuthUrl',
          doc: 'The URL at which an end user authorizes an app.',
          fields: {
            oauthUrl: required(
              text("Open this URL in the end user's browser, once, within 10 minutes."),
            ),
          },
        }),
        'The URL.',
      ),
    },
    errors: ['NOT_SUPPORTED', 'USER_NOT_FOUND', 'CREDENTIAL_LIMIT', 'OAUTH_NOT_CONFIGURED'],
    example: {
      input: { app: 'sandbox', userId: EXAMPLE_USER },
      result: { oauthUrl: EXAMPLE_URL },
    },
    run: async (context, input) => ({ oauthUrl: (await create(context, input)).url }),
  }),
]
