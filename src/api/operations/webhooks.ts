/** Webhook subscriptions: URLs that receive messages about changes. */
import {
  boolean,
  defineShape,
  list,
  object,
  reference,
  text,
  texts,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  readWebhookSecret,
  updateWebhook,
} from '../../store/webhooks/webhooks.ts'
import { readSubscribedTopics } from '../change-response.ts'
import type { ApiContext } from '../context.ts'
import { defineOperation, required } from '../operation.ts'
import { readPayload } from '../payload-selection.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'

export const webhookTag = 'Webhooks'
export const PATH = `${UNIFIED_PREFIX}/webhooks`
const MAX_ADDRESS = 2048
export const EXAMPLE_WEBHOOK = 'b8d4f6a1-3c79-4e05-92ab-6f1e0d7c5a38'

export const subscriptionId = required(reference('webhooks', 'The subscription.'))
const address = text(
  'The http or https URL that receives the messages. Private addresses are allowed only with ALLOW_PRIVATE_ADDRESSES=true.',
)
const topic = texts(
  'The topics: one for each resource (`accounting/vendors`), those of connections and syncs (`sync/failed`), and `webhook/disabled`; `*` for all, including those of later versions.',
)
export const payload = text(
  'The record fields to send, as a GraphQL selection: `{ id vendorName }`. Fields inside `... on AccountingVendor { }` apply only to that type. Null: all fields.',
)
export const isOrdered = boolean(
  'Whether the messages of one record are sent in order. Later messages wait while an earlier one is retried.',
)

export const subscription = defineShape({
  name: 'WebhookSubscription',
  doc: 'A URL that receives messages about changes of the subscribed topics.',
  fields: {
    subscriptionId,
    address: required(address),
    topic: required(topic),
    isEnabled: required(boolean('Whether messages are sent.')),
  },
})

const example = {
  subscriptionId: EXAMPLE_WEBHOOK,
  address: 'https://hooks.example.com/trunkline',
  topic: ['connection/created', 'accounting/vendors'],
  isEnabled: true,
}

/** The error for an unknown subscription, or one of another environment. */
export const noSubscription = (): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `No subscription has this subscriptionId. GET ${PATH} lists the subscriptions.`,
  )

/** Validates the URL of a webhook. @throws INVALID_PARAMETER */
const readAddress = ({ isPublicHost }: ApiContext, input: string): string => {
  if (input.length > MAX_ADDRESS)
    throw invalidParameter('address', `a URL of at most ${MAX_ADDRESS} characters`)
  const url = URL.canParse(input) ? new URL(input) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalidParameter('address', 'a URL that begins with https:// or http://')
  if (url.username !== '' || url.password !== '')
    throw invalidParameter('address', 'a URL without a username and password')
  if (!isPublicHost(url.hostname))
    throw invalidParameter(
      'address',
      'a URL with a public host. For loopback and private addresses, start the service with ALLOW_PRIVATE_ADDRESSES=true',
    )
  return input
}

/** Rejects null for fields that a subscription always has. @throws INVALID_PARAMETER */
const rejectNull = (input: Readonly<Record<string, unknown>>, names: readonly string[]): void => {
  for (const name of names)
    if (input[name] === null) throw invalidParameter(name, 'a value; omit the field to keep it')
}

export const webhookOperations = [
  defineOperation({
    name: 'webhooks',
    summary: 'List webhook subscriptions',
    doc: 'Returns the webhook subscriptions of the environment, oldest first.',
    tag: webhookTag,
    rest: { method: 'GET', path: PATH },
    callers: ['key'],
    response: { key: 'subscriptions', value: list(subscription, 'The subscriptions.') },
    example: { input: {}, result: [example] },
    run: ({ database, caller }) => listWebhooks(database, caller.environmentId),
  }),
  defineOperation({
    name: 'webhook',
    summary: 'Get a webhook subscription',
    doc: 'Returns one webhook subscription.',
    tag: webhookTag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'subscription', value: object(subscription, 'The subscription.') },
    errors: ['NOT_FOUND'],
    example: { input: { subscriptionId: EXAMPLE_WEBHOOK }, result: example },
    run: async ({ database, caller }, input) => {
      const found = await findWebhook(database, caller.environmentId, input.subscriptionId)
      if (found === undefined) throw noSubscription()
      return found
    },
  }),
  defineOperation({
    name: 'createWebhook',
    summary: 'Create a webhook subscription',
    doc: 'Subscribes a URL to topics. A subscription receives the changes that follow its creation. `GET …/secret` returns the secret that signs its messages.',
    tag: webhookTag,
    rest: { method: 'POST', path: PATH },
    callers: ['key'],
    body: { address: required(address), topic: required(topic), payload, isOrdered },
    response: { key: 'subscription', value: object(subscription, 'The subscription.') },
    example: { input: { address: example.address, topic: example.topic }, result: example },
    run: async (context, input) =>
      createWebhook(
        context.database,
        context.vault,
        context.caller.environmentId,
        {
          address: readAddress(context, input.address),
          topic: readSubscribedTopics(context.catalogue, input.topic),
          payload: input.payload ?? null,
          isOrdered: input.isOrdered ?? false,
        },
        (topics, selection) => readPayload(context.catalogue, topics, selection),
      ),
  }),
  defineOperation({
    name: 'updateWebhook',
    summary: 'Update a webhook subscription',
    doc: 'Updates a subscription. Omitted fields keep their values.',
    tag: webhookTag,
    rest: { method: 'PUT', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    body: {
      address,
      topic,
      payload,
      isOrdered,
      isEnabled: boolean(
        'Whether messages are sent. A subscription that is enabled again continues where it stopped.',
      ),
    },
    response: { key: 'subscription', value: object(subscription, 'The subscription.') },
    errors: ['NOT_FOUND'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK, isEnabled: false },
      result: { ...example, isEnabled: false },
    },
    run: async (context, input) => {
      rejectNull(input, ['address', 'topic', 'isEnabled', 'isOrdered'])
      const { environmentId } = context.caller
      const updated = await updateWebhook(
        context.database,
        environmentId,
        input.subscriptionId,
        {
          ...(input.address != null && { address: readAddress(context, input.address) }),
          ...(input.topic != null && {
            topic: readSubscribedTopics(context.catalogue, input.topic),
          }),
          ...(input.isEnabled != null && { isEnabled: input.isEnabled }),
          ...(input.payload !== undefined && { payload: input.payload }),
          ...(input.isOrdered != null && { isOrdered: input.isOrdered }),
        },
        (topics, selection) => readPayload(context.catalogue, topics, selection),
      )
      if (updated === undefined) throw noSubscription()
      return updated
    },
  }),
  defineOperation({
    name: 'deleteWebhook',
    summary: 'Delete a webhook subscription',
    doc: 'Deletes a subscription. No further message is sent to its address.',
    tag: webhookTag,
    rest: { method: 'DELETE', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'subscriptionId', value: subscriptionId },
    errors: ['NOT_FOUND'],
    example: { input: { subscriptionId: EXAMPLE_WEBHOOK }, result: EXAMPLE_WEBHOOK },
    run: async ({ database, caller }, { subscriptionId: id }) => {
      if (!(await deleteWebhook(database, caller.environmentId, id))) throw noSubscription()
      return id.toLowerCase()
    },
  }),
  defineOperation({
    name: 'webhookSecret',
    mutation: 'revealWebhookSecret',
    summary: 'Get the signing secret of a webhook subscription',
    doc: 'Returns the secret that signs the messages of a subscription (Standard Webhooks).',
    tag: webhookTag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/secret` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'secret', value: text('`whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK },
      result: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    },
    run: async ({ database, vault, caller }, { subscriptionId: id }) => {
      const secret = await readWebhookSecret(database, vault, caller.environmentId, id)
      if (secret === undefined) throw noSubscription()
      return secret
    },
  }),
]
