/** The webhooks of a shop with the routes and the subscriber that NOTES describes ("webhooks need two files"). */
import type { Steps } from '../../definition/connector.ts'
import {
  type RemoteSubscription,
  recordEvents,
  type Webhooks,
  type WebhookTarget,
} from '../../definition/inbound.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'

const PATH = '/admin/webhooks'

const topics = {
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
  events: recordEvents(topics),
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
