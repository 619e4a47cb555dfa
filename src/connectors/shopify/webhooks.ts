/** The webhooks of a shop: one subscription for each topic of Shopify. */
import type { Steps } from '../../definition/connector.ts'
import type { RemoteSubscription, Webhooks, WebhookTarget } from '../../definition/inbound.ts'
import { readAll } from '../../definition/paging/compose.ts'
import { relayPages } from '../../definition/paging/cursor.ts'
import { entriesOf, textsAt, valuesOf } from '../../definition/raw-values.ts'
import { mutate, query } from './graphql.ts'
import { shopName } from './shop.ts'

/** What Shopify's topics report: `orders/updated` is `ORDERS_UPDATED` in a subscription. */
const subscribed: Readonly<Record<string, { readonly topic: string; readonly type: string }>> = {
  customers: { topic: 'commerce/customers', type: 'Customer' },
  fulfillments: { topic: 'commerce/fulfillments', type: 'Fulfillment' },
  orders: { topic: 'commerce/orders', type: 'Order' },
  products: { topic: 'commerce/products', type: 'Product' },
}

/** The topics of the subscriptions. Payloads of deletions have no other field than an id. */
export const SHOPIFY_TOPICS = [
  'CUSTOMERS_CREATE',
  'CUSTOMERS_UPDATE',
  'CUSTOMERS_DELETE',
  'FULFILLMENTS_CREATE',
  'FULFILLMENTS_UPDATE',
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_DELETE',
  'PRODUCTS_CREATE',
  'PRODUCTS_UPDATE',
  'PRODUCTS_DELETE',
] as const

const CREATE =
  'webhookSubscriptionCreate(topic: WebhookSubscriptionTopic!, webhookSubscription: WebhookSubscriptionInput!)'

function* create({ address }: WebhookTarget): Steps<RemoteSubscription> {
  const ids: string[] = []
  for (const topic of SHOPIFY_TOPICS) {
    const webhookSubscription = {
      uri: address,
      format: 'JSON',
      // An event only names a record, so no personal data needs to be sent.
      ...(!topic.endsWith('_DELETE') && { includeFields: ['id', 'admin_graphql_api_id'] }),
    }
    const created = yield* mutate(
      CREATE,
      { topic, webhookSubscription },
      'webhookSubscription { id }',
    )
    ids.push(...textsAt(created, 'webhookSubscription.id'))
  }
  return { ids }
}

const LIST = `query ($after: String) { webhookSubscriptions(first: 250, after: $after) {
  nodes { id uri } pageInfo { hasNextPage endCursor } } }`

const subscriptions = relayPages({
  connection: 'data.webhookSubscriptions',
  request: ({ after = null }) => query(LIST, { after }),
})

export const webhooks: Webhooks = {
  scope: 'credential',
  topics: Object.values(subscribed).map(({ topic }) => topic),
  // The body is signed, not the time; repeated deliveries are recognized by their id.
  signature: { type: 'hmac', header: 'x-shopify-hmac-sha256', encoding: 'base64' },
  secret: { from: 'oauthClient' },
  company: 'shop',
  deliveryId: 'x-shopify-webhook-id',
  events: ({ headers, body }) => {
    const [name = '', action] = (headers['x-shopify-topic'] ?? '').split('/')
    const company = shopName(headers['x-shopify-shop-domain'] ?? '')
    const target = subscribed[name]
    if (!target) return []
    const { id, admin_graphql_api_id: node } = valuesOf(body)
    if (typeof node !== 'string' && typeof id !== 'number')
      throw new Error('The delivery has no id.')
    const remoteId = typeof node === 'string' ? node : `gid://shopify/${target.type}/${id}`
    const kind = action === 'delete' ? 'deleted' : 'changed'
    return [{ topic: target.topic, remoteId, kind, company }]
  },
  subscription: {
    create,
    *list() {
      const found = yield* readAll(subscriptions)
      return entriesOf(found).map(({ id, uri }) => ({ id: String(id), address: String(uri) }))
    },
    *delete(id) {
      yield* mutate('webhookSubscriptionDelete(id: ID!)', { id })
    },
  },
}
