/** The webhooks of a shop with the routes and the subscriber that NOTES describes ("webhooks need two files"). */
import type { Steps } from '../../definition/connector.ts'
import type { RemoteSubscription, Webhooks, WebhookTarget } from '../../definition/inbound.ts'
import { entriesOf, valuesOf } from './records.ts'

const PATH = '/admin/webhooks'

const topics: Readonly<Record<string, string>> = {
  customer: 'commerce/customers',
  fulfillment: 'commerce/fulfillments',
  order: 'commerce/orders',
  product: 'commerce/products',
}

function* create({ address, secret }: WebhookTarget): Steps<RemoteSubscription> {
  const { body } = yield { method: 'POST', path: PATH, body: { url: address, secret } }
  return { ids: [String(valuesOf(valuesOf(body).webhook).id)] }
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
    // A later version of the subscriber may report more.
    if (topic === undefined) return []
    return [{ topic, remoteId: id, kind: kind === 'deleted' ? 'deleted' : 'changed' }]
  },
  subscription: {
    create,
    *list() {
      const { body } = yield { method: 'GET', path: PATH }
      return entriesOf(valuesOf(body).webhooks).map(({ id, url }) => ({
        id: String(id),
        address: String(url),
      }))
    },
    *delete(id) {
      yield { method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}` }
    },
  },
}
