/** The apps that end users can connect, and what each requires. */
import type { Connector } from '../../definition/connector.ts'
import { boolean, defineShape, list, object, text, texts } from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import { credentialType } from '../enumerations.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { connectField, connectMethod, describeMethods, listClientApps } from './connect-methods.ts'

const tag = 'Credentials'

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
    type: required(credentialType('The type of the first method that is available.')),
    fields: list(connectField, 'The fields of that method, to fill in.'),
    methods: list(connectMethod, 'The ways to connect the app; the first is offered first.'),
    resources: list(
      defineShape({
        name: 'ConnectableAppResource',
        doc: 'A resource of an app that is read once the app is connected.',
        fields: {
          topic: required(text('The resource, such as `crm/accounts`.')),
          writable: required(boolean('Whether records can be created, updated or deleted too.')),
        },
      }),
      'The resources that a connection gives access to.',
    ),
    outboundAddress: text(
      'The IP address from which this service sends requests, for apps with an allowlist. Null: no static address is configured.',
    ),
  },
})

const describe = (
  { app, name, doc, categories, auth, resources }: Connector,
  clientApps: ReadonlySet<string>,
  { egressAddress }: Pick<CallContext, 'egressAddress'>,
) => {
  const methods = describeMethods({ name, auth }, clientApps.has(app))
  const first = methods.find(({ available }) => available) ?? methods[0]
  return {
    app,
    name,
    description: doc,
    categories,
    type: first?.type,
    fields: first?.fields,
    methods,
    resources: Object.entries(resources).map(([topic, { write }]) => ({
      topic,
      writable: [write?.create, write?.update, write?.delete].some((one) => one !== undefined),
    })),
    outboundAddress: egressAddress ?? null,
  }
}

const exampleFields = [
  {
    name: 'url',
    label: 'URL',
    description: 'Address of the shop server.',
    required: true,
    secret: false,
    example: 'https://shop.example.com',
  },
]

const exampleApp = {
  app: 'vendure',
  name: 'Vendure',
  description: 'A headless web shop, hosted by the merchant.',
  categories: ['commerce'],
  type: 'apiKey',
  fields: exampleFields,
  methods: [
    { method: 'apiKey', type: 'apiKey', label: 'API key', available: true, fields: exampleFields },
  ],
  resources: [{ topic: 'commerce/orders', writable: true }],
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
    run: async (context) => {
      const clientApps = await listClientApps(context)
      return [...context.connectors.values()].map((connector) =>
        describe(connector, clientApps, context),
      )
    },
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
      if (found) return describe(found, await listClientApps(context), context)
      throw new ApiError(
        'NOT_FOUND',
        'No app has this name. GET /2024-03/metadata/credentials lists the apps.',
      )
    },
  }),
]
