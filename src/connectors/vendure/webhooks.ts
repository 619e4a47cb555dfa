/** The webhooks of a shop with the plugin that NOTES describes ("the webhook plugin"). */

import type { Steps } from '../../definition/connector.ts'
import type { RemoteSubscription, Webhooks, WebhookTarget } from '../../definition/inbound.ts'
import { entriesOf, mutate, query, rootFields, valuesOf } from './graphql.ts'

const LIST = 'query { webhooks { id url } }'
const CREATE = `mutation ($url: String!, $secret: String!) {
  createWebhook(url: $url, secret: $secret) { id } }`
const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) }'

const topics: Readonly<Record<string, string>> = {
  customer: 'commerce/customers',
  fulfillment: 'commerce/fulfillments',
  order: 'commerce/orders',
  product: 'commerce/products',
}

function* create({ address, secret }: WebhookTarget): Steps<RemoteSubscription> {
  const { id } = yield* mutate(CREATE, { url: address, secret })
  return { ids: [String(id)] }
}

export const webhooks: Webhooks = {
  scope: 'credential',
  topics: Object.values(topics),
  signature: { type: 'standardWebhooks' },
  secret: { from: 'subscription' },
  events: ({ body }) => {
    const { type, data } = valuesOf(body)
    const { id } = valuesOf(data)
    if (typeof type !== 'string' || typeof id !== 'string')
      throw new Error('The message has no type or no id.')
    const [name = '', kind] = type.split('.')
    const topic = topics[name]
    // A later version of the plugin may report more.
    if (topic === undefined) return []
    return [{ topic, remoteId: id, kind: kind === 'deleted' ? 'deleted' : 'changed' }]
  },
  subscription: {
    create,
    *list() {
      const { webhooks: listed } = rootFields(yield query(LIST, {}))
      return entriesOf(listed).map(({ id, url }) => ({ id: String(id), address: String(url) }))
    },
    *delete(id) {
      yield* mutate(DELETE, { id })
    },
  },
}
