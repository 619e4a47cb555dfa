/** The Shopify connector without a shop: events, and the name of the shop. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import { shopName } from '../../src/connectors/shopify/shop.ts'
import { globalId } from './shopify/fixtures.ts'

describe('a webhook', () => {
  const eventsOf = (topic: string, body: object) =>
    connector.webhooks?.events({
      headers: { 'x-shopify-topic': topic, 'x-shopify-shop-domain': 'lamps.myshopify.com' },
      body,
    })

  test.each([
    [
      'orders/updated',
      { id: 1, admin_graphql_api_id: globalId('Order', 1) },
      {
        topic: 'commerce/orders',
        remoteId: globalId('Order', 1),
        kind: 'changed',
        company: 'lamps',
      },
    ],
    [
      'products/delete',
      { id: 788 },
      { topic: 'commerce/products', remoteId: globalId('Product', 788), kind: 'deleted' },
    ],
    [
      'fulfillments/create',
      { id: 3, admin_graphql_api_id: globalId('Fulfillment', 3) },
      { topic: 'commerce/fulfillments', kind: 'changed' },
    ],
  ])('of %s names a record', (topic, body, expected) => {
    expect(eventsOf(topic, body)).toMatchObject([expected])
  })

  test('of another topic is ignored', () => {
    expect(eventsOf('carts/update', { id: 1 })).toEqual([])
  })
})

test.each([
  ['lamps', 'lamps'],
  [' Lamps.myshopify.com ', 'lamps'],
  ['https://lamps.myshopify.com/admin', 'lamps'],
])('the shop %j is %s', (entered, name) => {
  expect(shopName(entered)).toBe(name)
})
