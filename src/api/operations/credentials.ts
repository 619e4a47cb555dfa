/** Credentials: the connections of end users to apps, and the fields that each app requires. */
import type { Connector } from '../../definition/connector.ts'
import {
  boolean,
  defineShape,
  json,
  list,
  object,
  reference,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import {
  countCredentials,
  createCredential,
  deleteCredential,
  listCredentials,
  type NewCredential,
  TooManyCredentialsError,
} from '../../store/accounts/credentials.ts'
import { isForeignKeyViolation } from '../../store/database/database.ts'
import { noCredential, noUser } from '../auth/caller.ts'
import { readCredentialValues, requireApp } from '../credential-input.ts'
import { type CallContext, defineOperation, type InputOf, required } from '../operation.ts'
import { EXAMPLE_USER, requireUser, userId } from './users.ts'

const tag = 'Credentials'

/** The authorization type of every credential: none of the apps uses OAuth. */
const TYPE = 'apiKey'

export const EXAMPLE_CREDENTIAL = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'

const credentialId = required(reference('credentials', 'The credential.'))
const app = required(text('The name of the app in this API, such as `vendure`.'))

const credential = defineShape({
  name: 'Credential',
  doc: "An end user's authorized connection to one app. Its secret values are never returned.",
  fields: {
    credentialId,
    app,
    type: required(text('How the app was connected: `apiKey`.')),
    createdAt: required(timestamp('When the app was connected.')),
    updatedAt: required(timestamp('When its values were last changed.')),
  },
})

const exampleCredential = {
  credentialId: EXAMPLE_CREDENTIAL,
  app: 'vendure',
  type: TYPE,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
}

const connectableApp = defineShape({
  name: 'ConnectableApp',
  doc: 'An app that can be connected, and the fields that it requires.',
  fields: {
    app,
    name: required(text('The display name of the app.')),
    description: required(text('A description of the app.')),
    categories: texts('The categories of its records: accounting, crm, commerce.'),
    type: required(text('How the app is connected: `apiKey`.')),
    fields: list(
      defineShape({
        name: 'ConnectableAppField',
        doc: 'A field that the end user fills in to connect an app.',
        fields: {
          name: required(text('The name of the field in `credential`.')),
          description: required(text('What the field contains, and where to find it in the app.')),
          required: required(boolean('Whether the field is required.')),
          secret: required(boolean('Whether to hide the value while it is typed.')),
          example: text('An example value.'),
        },
      }),
      'The fields to fill in.',
    ),
    outboundAddress: text(
      'The IP address from which this service sends requests, for apps with an allowlist. Null: no static address is configured.',
    ),
  },
})

const oauthUrl = defineShape({
  name: 'OAuthUrl',
  doc: 'The URL at which an end user authorizes an app.',
  fields: { oauthUrl: required(text("Open this URL in the end user's browser.")) },
})

const describe = (
  { app, name, doc, categories, credential }: Connector,
  { egressAddress }: Pick<CallContext, 'egressAddress'>,
) => ({
  app,
  name,
  description: doc,
  categories,
  type: TYPE,
  fields: Object.entries(credential).map(([name, { doc, secret, example, optional }]) => ({
    name,
    description: doc,
    required: !optional,
    secret,
    example: example ?? null,
  })),
  outboundAddress: egressAddress ?? null,
})

const exampleApp = {
  app: 'vendure',
  name: 'Vendure',
  description: 'A headless web shop, hosted by the merchant.',
  categories: ['commerce'],
  type: TYPE,
  fields: [
    {
      name: 'url',
      description: 'Address of the shop server.',
      required: true,
      secret: false,
      example: 'https://shop.example.com',
    },
  ],
  outboundAddress: '203.0.113.7',
}

const newCredential = {
  userId,
  app,
  credential: required(
    json(
      'The values of the fields that the app requires, by name. See GET /2024-03/metadata/credentials.',
    ),
  ),
}

const readNewCredential = async (
  context: CallContext,
  input: InputOf<typeof newCredential>,
): Promise<NewCredential> => {
  const connector = requireApp(context, input.app)
  const values = readCredentialValues(connector, input.credential)
  const { environmentId } = context.caller
  return { environmentId, userId: await requireUser(context, input.userId), connector, values }
}

const tooManyCredentials = (limit: number): ApiError =>
  new ApiError(
    'CREDENTIAL_LIMIT',
    `The end user has ${limit} credentials, the limit (MAX_CREDENTIALS_PER_USER). Delete an unused one.`,
  )

export const credentialOperations = [
  defineOperation({
    name: 'credentials',
    summary: 'List the credentials of an end user',
    doc: 'Returns the credentials of an end user, oldest first, without their secret values.',
    tag,
    rest: { method: 'GET', path: '/2024-03/users/:userId/credentials' },
    callers: ['key', 'user'],
    path: { userId },
    answer: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: [exampleCredential] },
    run: async ({ database, caller }, input) => {
      const credentials = await listCredentials(database, caller.environmentId, input.userId)
      if (credentials === undefined) throw noUser()
      return credentials.map((summary) => ({ ...summary, type: TYPE }))
    },
  }),
  defineOperation({
    name: 'createCredential',
    summary: 'Create a credential',
    doc: 'Connects an app for an end user. The values are checked with a request to the app; then the first sync starts.',
    tag,
    rest: { method: 'POST', path: '/2024-03/headless/credentials' },
    callers: ['key', 'user'],
    body: newCredential,
    answer: { key: 'credentialId', value: credentialId },
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_LIMIT',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
    ],
    example: {
      given: {
        userId: EXAMPLE_USER,
        app: 'vendure',
        credential: { url: 'https://shop.example.com', apiKey: 'a1b2c3' },
      },
      result: EXAMPLE_CREDENTIAL,
    },
    check: async (context, input) => {
      const { connector, values, userId } = await readNewCredential(context, input)
      const limit = context.maxCredentialsPerUser
      // Before the app is called, because a call may create data there, e.g. a company in the sandbox.
      if ((await countCredentials(context.database, userId)) >= limit)
        throw tooManyCredentials(limit)
      await context.checkCredential(connector, values)
    },
    run: async (context, input) => {
      const { database, vault, maxCredentialsPerUser: limit } = context
      const credential = await readNewCredential(context, input)
      try {
        return await createCredential(database, vault, credential, limit)
      } catch (error) {
        if (error instanceof TooManyCredentialsError) throw tooManyCredentials(limit)
        // The end user was deleted in between.
        throw isForeignKeyViolation(error) ? noUser() : error
      }
    },
  }),
  defineOperation({
    name: 'deleteCredential',
    summary: 'Delete a credential',
    doc: 'Disconnects an app: deletes the credential and its records in this service.',
    tag,
    rest: { method: 'DELETE', path: '/2024-03/users/:userId/credentials/:credentialId' },
    callers: ['key', 'user'],
    path: { userId, credentialId },
    answer: { key: 'credentialId', value: credentialId },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      given: { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL },
      result: EXAMPLE_CREDENTIAL,
    },
    run: async ({ database, access, caller, onCommit }, input) => {
      const { environmentId } = caller
      const { userId, credentialId } = input
      const outcome = await deleteCredential(database, environmentId, userId, credentialId)
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      const deleted = credentialId.toLowerCase()
      onCommit(() => access.forgetCredential(deleted))
      return deleted
    },
  }),
  defineOperation({
    name: 'apps',
    summary: 'List the apps that can be connected',
    doc: 'Returns the apps that can be connected, with the fields that each requires and the address that requests come from.',
    tag,
    rest: { method: 'GET', path: '/2024-03/metadata/credentials' },
    callers: ['key', 'user'],
    answer: { key: 'data', value: list(connectableApp, 'The apps.') },
    example: { given: {}, result: [exampleApp] },
    run: async (context) =>
      [...context.connectors.values()].map((connector) => describe(connector, context)),
  }),
  defineOperation({
    name: 'app',
    summary: 'Get an app that can be connected',
    doc: 'Returns one app and the fields that it requires to be connected.',
    tag,
    rest: { method: 'GET', path: '/2024-03/metadata/credentials/:app' },
    callers: ['key', 'user'],
    path: { app },
    answer: { key: 'data', value: object(connectableApp, 'The app.') },
    errors: ['NOT_FOUND'],
    example: { given: { app: 'vendure' }, result: exampleApp },
    run: async (context, input) => {
      const found = context.connectors.get(input.app)
      if (found) return describe(found, context)
      throw new ApiError(
        'NOT_FOUND',
        'No app has this name. GET /2024-03/metadata/credentials lists the apps.',
      )
    },
  }),
  defineOperation({
    name: 'oauthUrl',
    summary: 'Get the OAuth URL of an app',
    doc: 'Returns the URL at which an end user authorizes an app that uses OAuth. None of the apps uses it yet.',
    tag,
    rest: { method: 'GET', path: '/2024-03/headless/oauthUrl' },
    callers: ['key', 'user'],
    query: { app, userId },
    answer: { key: 'data', value: object(oauthUrl, 'The URL.') },
    errors: ['NOT_SUPPORTED', 'USER_NOT_FOUND'],
    example: {
      given: { app: 'vendure', userId: EXAMPLE_USER },
      result: { oauthUrl: 'https://app.example.com/oauth/authorize?client_id=…&state=…' },
    },
    run: async (context, input) => {
      const { name } = requireApp(context, input.app)
      await requireUser(context, input.userId)
      throw new ApiError(
        'NOT_SUPPORTED',
        `${name} does not use OAuth. Connect it with POST /2024-03/headless/credentials.`,
      )
    },
  }),
]
