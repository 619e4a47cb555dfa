/** The webhooks of a shop with the routes and the subscriber that NOTES describes ("webhooks need two files"). */
import { pluginWebhooks } from '../../definition/inbound.ts'
import { valuesOf } from '../../definition/raw-values.ts'

const PATH = '/admin/webhooks'

export const webhooks = pluginWebhooks(
  {
    customer: 'commerce/customers',
    fulfillment: 'commerce/fulfillments',
    order: 'commerce/orders',
    product: 'commerce/products',
  },
  {
    *create({ address: url, secret }) {
      const { body } = yield { method: 'POST', path: PATH, body: { url, secret } }
      return valuesOf(valuesOf(body).webhook)
    },
    *list() {
      return valuesOf((yield { method: 'GET', path: PATH }).body).webhooks
    },
    *delete(id) {
      yield { method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}` }
    },
  },
)
