/** Webhooks: which changes are sent under which topics, and the signed message. */
import { createHmac } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import type { Change } from '../engine/store.ts'
import type { WebhookPolicy } from '../engine/webhooks.ts'
import { numberOf, writeTime } from './shop.ts'

/** The topic in the header of a message, by the topic in the contract. */
const TOPICS: Readonly<Record<string, string>> = {
  APP_UNINSTALLED: 'app/uninstalled',
  BULK_OPERATIONS_FINISH: 'bulk_operations/finish',
  CUSTOMERS_CREATE: 'customers/create',
  CUSTOMERS_DELETE: 'customers/delete',
  CUSTOMERS_UPDATE: 'customers/update',
  FULFILLMENTS_CREATE: 'fulfillments/create',
  FULFILLMENTS_UPDATE: 'fulfillments/update',
  ORDERS_CANCELLED: 'orders/cancelled',
  ORDERS_CREATE: 'orders/create',
  ORDERS_DELETE: 'orders/delete',
  ORDERS_UPDATED: 'orders/updated',
  PRODUCTS_CREATE: 'products/create',
  PRODUCTS_DELETE: 'products/delete',
  PRODUCTS_UPDATE: 'products/update',
}

export const isSentTopic = (topic: string): boolean => Object.hasOwn(TOPICS, topic)

/** The topics of a change, by the type and the action of the change. */
const TOPICS_OF: Readonly<Record<string, readonly string[]>> = {
  'Order created': ['ORDERS_CREATE'],
  'Order updated': ['ORDERS_UPDATED'],
  'Order fulfilled': ['ORDERS_UPDATED'],
  'Order cancelled': ['ORDERS_CANCELLED', 'ORDERS_UPDATED'],
  'Order deleted': ['ORDERS_DELETE'],
  'Customer created': ['CUSTOMERS_CREATE'],
  'Customer updated': ['CUSTOMERS_UPDATE'],
  'Customer deleted': ['CUSTOMERS_DELETE'],
  'Product created': ['PRODUCTS_CREATE'],
  'Product updated': ['PRODUCTS_UPDATE'],
  'Product deleted': ['PRODUCTS_DELETE'],
  'Fulfillment created': ['FULFILLMENTS_CREATE'],
  'Fulfillment updated': ['FULFILLMENTS_UPDATE'],
  'BulkOperation finished': ['BULK_OPERATIONS_FINISH'],
  'Installation uninstalled': ['APP_UNINSTALLED'],
}

/** The fields that identify a record. The contract does not describe the others that the vendor sends. */
const payloadOf = ({ type, id, after }: Change): JsonObject => {
  if (!after) return { id: numberOf(id) }
  const times = {
    created_at: writeTime(after.createdAtMs),
    updated_at: writeTime(after.updatedAtMs),
  }
  const { orderId, status, completedAt } = after.value
  if (type === 'BulkOperation')
    return {
      admin_graphql_api_id: id,
      created_at: times.created_at,
      error_code: null,
      completed_at: completedAt,
      type: 'query',
      status: String(status).toLowerCase(),
    }
  const identity = { id: numberOf(id), admin_graphql_api_id: id, ...times }
  return type === 'Fulfillment' ? { ...identity, order_id: numberOf(String(orderId)) } : identity
}

const SECOND_MS = 1000
const MINUTE = 60 * SECOND_MS

export const webhookPolicy: WebhookPolicy = {
  eventsOf: (change, { id: accountId }) =>
    (TOPICS_OF[`${change.type} ${change.action}`] ?? []).map((topic) => ({
      accountId,
      topic,
      atMs: change.atMs,
      payload: { eventId: `${accountId}-${change.sequence}`, content: payloadOf(change) },
    })),
  delayMs: 0,
  maxEventsPerMessage: 1,
  mixesAccounts: false,
  messageOf: ({ events, subscription: { secret, fields }, messageId }) => {
    const [event] = events
    if (!event) throw new Error('A message has one event')
    const { eventId, content } = isJsonObject(event.payload) ? event.payload : {}
    const body = JSON.stringify(content, fields && [...fields])
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': TOPICS[event.topic] ?? event.topic,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
      'x-shopify-shop-domain': event.accountId,
      'x-shopify-api-version': '2026-07',
      'x-shopify-webhook-id': messageId,
      'x-shopify-event-id': String(eventId),
      'x-shopify-triggered-at': new Date(event.atMs).toISOString(),
    }
    return { body, headers }
  },
  // Eight retries in four hours.
  retryDelaysMs: [1, 2, 5, 10, 22, 40, 60, 100].map((minutes) => minutes * MINUTE),
  timeoutMs: 5 * SECOND_MS,
  removedAfterFailures: 1,
}
