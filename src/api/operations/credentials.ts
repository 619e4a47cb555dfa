/** The connections of end users to apps, and what each app needs to be connected. */
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
  createCredential,
  deleteCredential,
  listCredentials,
  type NewCredential,
} from '../../store/credentials.ts'
import { isOrphaned } from '../../store/database.ts'
import { noCredential, noUser } from '../caller.ts'
import { readCredentialValues, requireApp } from '../credential-input.ts'
import { type CallContext, defineOperation, type InputOf, required } from '../operation.ts'
import { EXAMPLE_USER, requireUser, userId } from './users.ts'

const tag = 'Credentials'

/** How a credential is obtained: no app here uses OAuth, each is given a key. */
const TYPE = 'apiKey'

export const EXAMPLE_CREDENTIAL = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'

const credentialId = required(reference('credentials', 'The credential.'))
const app = required(text('The app, by its name in this API.'))

const credential = defineShape({
  name: 'Credential',
  doc: "An end user's authorised connection to one app. What it holds is never shown.",
  fields: {
    credentialId,
    app,
    type: required(text('How it was obtained: `apiKey`.')),
    createdAt: required(timestamp('When the app was connected.')),
    updatedAt: required(timestamp('When what it holds was last renewed.')),
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
  doc: 'An app, and what an end user gives to connect it.',
  fields: {
    app,
    name: required(text('Its own name.')),
    description: required(text('What it is.')),
    categories: texts('What it has records of: accounting, crm, commerce.'),
    type: required(text('How it is connected: `apiKey`.')),
    fields: list(
      defineShape({
        name: 'ConnectableAppField',
        doc: 'One thing that is asked of the end user.',
        fields: {
          name: required(text('Its name in `credential`.')),
          description: required(text('What it is, and where it is found.')),
          required: required(boolean('Whether the app cannot be connected without it.')),
          secret: required(boolean('Whether it is to be hidden while it is typed.')),
          example: text('An example of it.'),
        },
      }),
      'What is asked for.',
    ),
  },
})

const describe = ({ app, name, doc, categories, credential }: Connector) => ({
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
}

const newCredential = {
  userId,
  app,
  credential: required(
    json('What the app asks for, by name: see GET /2024-03/metadata/credentials.'),
  ),
}

const readNewCredential = async (
  context: CallContext,
  given: InputOf<typeof newCredential>,
): Promise<NewCredential> => {
  const connector = requireApp(context, given.app)
  const values = readCredentialValues(connector, given.credential)
  const { environmentId } = context.caller
  return { environmentId, userId: await requireUser(context, given.userId), connector, values }
}

export const credentialOperations = [
  defineOperation({
    name: 'credentials',
    doc: 'The credentials of an end user, oldest first.',
    tag,
    rest: { method: 'GET', path: '/2024-03/users/:userId/credentials' },
    callers: ['key', 'user'],
    path: { userId },
    answer: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: [exampleCredential] },
    run: async ({ database, caller }, given) => {
      const found = await listCredentials(database, caller.environmentId, given.userId)
      if (found === undefined) throw noUser()
      return found.map((summary) => ({ ...summary, type: TYPE }))
    },
  }),
  defineOperation({
    name: 'createCredential',
    doc: 'Connects an app for an end user with what the app asks for, unless the app refuses it; its records are then brought in.',
    tag,
    rest: { method: 'POST', path: '/2024-03/headless/credentials' },
    callers: ['key', 'user'],
    body: newCredential,
    answer: { key: 'credentialId', value: credentialId },
    errors: ['USER_NOT_FOUND', 'APP_AUTHENTICATION', 'APP_REFUSED', 'APP_ADDRESS'],
    example: {
      given: {
        userId: EXAMPLE_USER,
        app: 'vendure',
        credential: { url: 'https://shop.example.com', apiKey: 'a1b2c3' },
      },
      result: EXAMPLE_CREDENTIAL,
    },
    check: async (context, given) => {
      const { connector, values } = await readNewCredential(context, given)
      await context.checkCredential(connector, values)
    },
    run: async (context, given) => {
      const credential = await readNewCredential(context, given)
      try {
        return await createCredential(context.database, context.vault, credential)
      } catch (error) {
        // The end user was deleted in between.
        throw isOrphaned(error) ? noUser() : error
      }
    },
  }),
  defineOperation({
    name: 'deleteCredential',
    doc: 'Disconnects an app: the credential goes, and the records that came through it.',
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
    run: async ({ database, access, caller, afterwards }, given) => {
      const { environmentId } = caller
      const { userId, credentialId } = given
      const outcome = await deleteCredential(database, environmentId, userId, credentialId)
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      const deleted = credentialId.toLowerCase()
      afterwards(() => access.forgetCredential(deleted))
      return deleted
    },
  }),
  defineOperation({
    name: 'apps',
    doc: 'The apps that can be connected, each with what it asks for.',
    tag,
    rest: { method: 'GET', path: '/2024-03/metadata/credentials' },
    callers: ['key', 'user'],
    answer: { key: 'data', value: list(connectableApp, 'The apps.') },
    example: { given: {}, result: [exampleApp] },
    run: async ({ connectors }) => [...connectors.values()].map(describe),
  }),
  defineOperation({
    name: 'app',
    doc: 'What one app asks for to be connected.',
    tag,
    rest: { method: 'GET', path: '/2024-03/metadata/credentials/:app' },
    callers: ['key', 'user'],
    path: { app },
    answer: { key: 'data', value: object(connectableApp, 'The app.') },
    errors: ['NOT_FOUND'],
    example: { given: { app: 'vendure' }, result: exampleApp },
    run: async ({ connectors }, given) => {
      const found = connectors.get(given.app)
      if (found) return describe(found)
      throw new ApiError('NOT_FOUND', 'There is no app of this name.')
    },
  }),
  defineOperation({
    name: 'oauthUrl',
    doc: 'The address at which an end user authorises an app that uses OAuth. None of the apps does yet.',
    tag,
    rest: { method: 'GET', path: '/2024-03/headless/oauthUrl' },
    callers: ['key', 'user'],
    query: { app, userId },
    answer: {
      key: 'data',
      value: object(
        defineShape({
          name: 'OAuthUrl',
          doc: 'Where an end user authorises an app.',
          fields: { oauthUrl: required(text('To be opened in the browser of the end user.')) },
        }),
        'The address.',
      ),
    },
    errors: ['NOT_SUPPORTED', 'USER_NOT_FOUND'],
    example: {
      given: { app: 'vendure', userId: EXAMPLE_USER },
      result: { oauthUrl: 'https://app.example.com/oauth/authorize?client_id=…&state=…' },
    },
    run: async (context, given) => {
      const { name } = requireApp(context, given.app)
      await requireUser(context, given.userId)
      throw new ApiError(
        'NOT_SUPPORTED',
        `${name} is not connected by OAuth: POST /2024-03/headless/credentials.`,
      )
    },
  }),
]
