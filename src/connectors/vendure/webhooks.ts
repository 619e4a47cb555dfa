/** The webhooks of a shop with the plugin that NOTES describes ("the webhook plugin"). */
import { rootFields } from '../../definition/graphql.ts'
import { pluginWebhooks } from '../../definition/inbound.ts'
import { mutate, query } from './graphql.ts'

export const webhooks = pluginWebhooks(
  {
    customer: 'commerce/customers',
    fulfillment: 'commerce/fulfillments',
    order: 'commerce/orders',
    product: 'commerce/products',
  },
  {
    create: ({ address: url, secret }) =>
      mutate('createWebhook(url: String!, secret: String!)', { url, secret }, 'id'),
    *list() {
      return rootFields(yield query('query { webhooks { id url } }', {})).webhooks
    },
    delete: (id) => mutate('deleteWebhook(id: ID!)', { id }),
  },
)
