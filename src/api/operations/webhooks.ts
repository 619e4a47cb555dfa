/** Where the integrator wants to be told of changes. */
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
} from '../../store/webhooks.ts'
import { checkTopic } from '../change-answer.ts'
import type { ApiContext } from '../context.ts'
import { defineOperation, required } from '../operation.ts'
import { readPayload } from '../payload-selection.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'

export const tag = 'Webhooks'
export const PATH = `${UNIFIED_PREFIX}/webhooks`
const MAX_ADDRESS = 2048
export const EXAMPLE_WEBHOOK = 'b8d4f6a1-3c79-4e05-92ab-6f1e0d7c5a38'

export const subscriptionId = required(reference('webhooks', 'The subscription.'))
const address = text('The https or http address that receives notifications; no private one.')
const topic = texts(
  'Topics: those of connections and synchronisations, one for each resource, and `webhook/disabled`.',
)
export const payload = text(
  'The fields of a record that are sent, as a GraphQL selection: `{ id vendorName }`. What stands in `... on AccountingVendor { }` is for that type alone. Null: all of them.',
)
export const isOrdered = boolean(
  'Whether the messages of one record are sent one after the other, and wait for one that fails.',
)

const subscription = defineShape({
  name: 'WebhookSubscription',
  doc: 'Where notifications of some topics are sent.',
  fields: {
    subscriptionId,
    address: required(address),
    topic: required(topic),
    isEnabled: required(boolean('Whether notifications are sent.')),
  },
})

const example = {
  subscriptionId: EXAMPLE_WEBHOOK,
  address: 'https://hooks.example.com/trunkline',
  topic: ['connection/created', 'accounting/vendors'],
  isEnabled: true,
}

export const noSubscription = (): ApiError =>
  new ApiError('NOT_FOUND', 'There is no subscription with this subscriptionId.')

/** @throws INVALID_PARAMETER */
const readAddress = ({ isDialled }: ApiContext, given: string): string => {
  if (given.length > MAX_ADDRESS)
    throw invalidParameter('address', `an address of at most ${MAX_ADDRESS} characters`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalidParameter('address', 'an address that begins with https:// or http://')
  if (url.username !== '' || url.password !== '')
    throw invalidParameter('address', 'an address without a username and password')
  if (!isDialled(url.hostname)) throw invalidParameter('address', 'an address on the internet')
  return given
}

/** Refuses null for what a subscription always has. @throws INVALID_PARAMETER */
const refuseNull = (given: Readonly<Record<string, unknown>>, names: readonly string[]): void => {
  for (const name of names)
    if (given[name] === null) throw invalidParameter(name, 'a value, or to be left out')
}

/** @throws INVALID_PARAMETER naming the topic that there is not */
const readTopics = ({ catalogue }: ApiContext, given: readonly string[]): readonly string[] => {
  if (given.length === 0) throw invalidParameter('topic', 'one topic or more')
  return [...new Set(given.map((one, index) => checkTopic(catalogue, `topic[${index}]`, one)))]
}

export const webhookOperations = [
  defineOperation({
    name: 'webhooks',
    doc: 'The webhook subscriptions of the environment, oldest first.',
    tag,
    rest: { method: 'GET', path: PATH },
    callers: ['key'],
    answer: { key: 'subscriptions', value: list(subscription, 'The subscriptions.') },
    example: { given: {}, result: [example] },
    run: ({ database, caller }) => listWebhooks(database, caller.environmentId),
  }),
  defineOperation({
    name: 'webhook',
    doc: 'One webhook subscription.',
    tag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'subscription', value: object(subscription, 'The subscription.') },
    errors: ['NOT_FOUND'],
    example: { given: { subscriptionId: EXAMPLE_WEBHOOK }, result: example },
    run: async ({ database, caller }, given) => {
      const found = await findWebhook(database, caller.environmentId, given.subscriptionId)
      if (found === undefined) throw noSubscription()
      return found
    },
  }),
  defineOperation({
    name: 'createWebhook',
    doc: 'Subscribes an address to topics.',
    tag,
    rest: { method: 'POST', path: PATH },
    callers: ['key'],
    body: { address: required(address), topic: required(topic), payload, isOrdered },
    answer: { key: 'subscription', value: object(subscription, 'The subscription.') },
    example: { given: { address: example.address, topic: example.topic }, result: example },
    run: async (context, given) =>
      createWebhook(
        context.database,
        context.vault,
        context.caller.environmentId,
        {
          address: readAddress(context, given.address),
          topic: readTopics(context, given.topic),
          payload: given.payload ?? null,
          isOrdered: given.isOrdered ?? false,
        },
        (topics, selection) => readPayload(context.catalogue, topics, selection),
      ),
  }),
  defineOperation({
    name: 'updateWebhook',
    doc: 'Changes what is given of a subscription; what is left out stays as it is.',
    tag,
    rest: { method: 'PUT', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    body: {
      ...{ address, topic, payload, isOrdered },
      isEnabled: boolean(
        'Whether notifications are sent. Switched on again, it goes on where it ended.',
      ),
    },
    answer: { key: 'subscription', value: object(subscription, 'The subscription.') },
    errors: ['NOT_FOUND'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK, isEnabled: false },
      result: { ...example, isEnabled: false },
    },
    run: async (context, given) => {
      refuseNull(given, ['address', 'topic', 'isEnabled', 'isOrdered'])
      const { environmentId } = context.caller
      const updated = await updateWebhook(
        context.database,
        environmentId,
        given.subscriptionId,
        {
          ...(given.address != null && { address: readAddress(context, given.address) }),
          ...(given.topic != null && { topic: readTopics(context, given.topic) }),
          ...(given.isEnabled != null && { isEnabled: given.isEnabled }),
          ...(given.payload !== undefined && { payload: given.payload }),
          ...(given.isOrdered != null && { isOrdered: given.isOrdered }),
        },
        (topics, selection) => readPayload(context.catalogue, topics, selection),
      )
      if (updated === undefined) throw noSubscription()
      return updated
    },
  }),
  defineOperation({
    name: 'deleteWebhook',
    doc: 'Ends a subscription.',
    tag,
    rest: { method: 'DELETE', path: `${PATH}/:subscriptionId` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'subscriptionId', value: subscriptionId },
    errors: ['NOT_FOUND'],
    example: { given: { subscriptionId: EXAMPLE_WEBHOOK }, result: EXAMPLE_WEBHOOK },
    run: async ({ database, caller }, { subscriptionId: id }) => {
      if (!(await deleteWebhook(database, caller.environmentId, id))) throw noSubscription()
      return id.toLowerCase()
    },
  }),
  defineOperation({
    name: 'webhookSecret',
    doc: 'What signs the notifications of a subscription (Standard Webhooks).',
    tag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/secret` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'secret', value: text('`whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK },
      result: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    },
    run: async ({ database, vault, caller }, { subscriptionId: id }) => {
      const secret = await readWebhookSecret(database, vault, caller.environmentId, id)
      if (secret === undefined) throw noSubscription()
      return secret
    },
  }),
]
