/** The apps that end users can connect, and what each requires. */
import { methodOf } from '../../definition/authenticate.ts'
import type { Connector } from '../../definition/connector.ts'
import { boolean, defineShape, list, object, text, texts } from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import { requireApp } from '../credential-input.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { EXAMPLE_USER, requireUser, userId } from './users.ts'

const tag = 'Credentials'

/** The authorization type of every credential: none of the apps uses OAuth. */
export const CREDENTIAL_TYPE = 'apiKey'

/** The input and output field of an app's name. */
export const app = required(text('The name of the app in this API, such as `vendure`.'))

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

const describe = (
  { app, name, doc, categories, auth }: Connector,
  { egressAddress }: Pick<CallContext, 'egressAddress'>,
) => ({
  app,
  name,
  description: doc,
  categories,
  type: CREDENTIAL_TYPE,
  fields: Object.entries(methodOf(auth, null)?.fields ?? {}).map(
    ([name, { doc, secret, example, optional }]) => ({
      name,
      description: doc,
      required: !optional,
      secret,
      example: example ?? null,
    }),
  ),
  outboundAddress: egressAddress ?? null,
})

const exampleApp = {
  app: 'vendure',
  name: 'Vendure',
  description: 'A headless web shop, hosted by the merchant.',
  categories: ['commerce'],
  type: CREDENTIAL_TYPE,
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

export const appOperations = [
  defineOperation({
    name: 'apps',
    summary: 'List the apps that can be connected',
    doc: 'Returns the apps that can be connected, with the fields that each requires and the address that requests come from.',
    tag,
    rest: { method: 'GET', path: '/2024-03/metadata/credentials' },
    callers: ['key', 'user'],
    response: { key: 'data', value: list(connectableApp, 'The apps.') },
    example: { input: {}, result: [exampleApp] },
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
    response: { key: 'data', value: object(connectableApp, 'The app.') },
    errors: ['NOT_FOUND'],
    example: { input: { app: 'vendure' }, result: exampleApp },
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
    response: {
      key: 'data',
      value: object(
        defineShape({
          name: 'OAuthUrl',
          doc: 'The URL at which an end user authorizes an app.',
          fields: { oauthUrl: required(text("Open this URL in the end user's browser.")) },
        }),
        'The URL.',
      ),
    },
    errors: ['NOT_SUPPORTED', 'USER_NOT_FOUND'],
    example: {
      input: { app: 'vendure', userId: EXAMPLE_USER },
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
