/** The webhooks of a shop with the plugin that NOTES describes ("the webhook plugin"). */
import { rootFields } from '../../definition/graphql.ts'
import { recordEvents, type Webhooks } from '../../definition/inbound.ts'
import { entriesOf } from '../../definition/raw-values.ts'
import { mutate, query } from './graphql.ts'

const topics = {
  customer: 'commerce/customers',
  fulfillment: 'commerce/fulfillments',
  order: 'commerce/orders',
  product: 'commerce/products',
}

export const webhooks: Webhooks = {
  scope: 'credential',
  topics: Object.values(topics),
  signature: { type: 'standardWebhooks' },
  secret: { from: 'subscription' },
  events: recordEvents(topics),
  subscription: {
    *create({ address, secret }) {
      const { id } = yield* mutate(
        'createWebhook(url: String!, secret: String!)',
        { url: address, secret },
        'id',
      )
      return { ids: [String(id)] }
    },
    *list() {
      const { webhooks: listed } = rootFields(yield query('query { webhooks { id url } }', {}))
      return entriesOf(listed).map(({ id, url }) => ({ id: String(id), address: String(url) }))
    },
    *delete(id) {
      yield* mutate('deleteWebhook(id: ID!)', { id })
    },
  },
}
