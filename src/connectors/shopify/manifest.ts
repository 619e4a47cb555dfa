/** The connector for Shopify. @see NOTES.md for Shopify's behaviour and for what could not be tried */
import { defineConnector } from '../../definition/connector.ts'
import { textsAt } from '../../definition/raw-values.ts'
import { customers } from './customer.ts'
import { fulfillments } from './fulfillment.ts'
import { query } from './graphql.ts'
import { limits } from './limits.ts'
import { orders } from './order-writer.ts'
import { products } from './product-writer.ts'
import { readFailure } from './read-failure.ts'
import { shop, shopName } from './shop.ts'
import { webhooks } from './webhooks.ts'

export const connector = defineConnector({
  app: 'shopify',
  name: 'Shopify',
  doc: 'A web shop, hosted by Shopify.',
  auth: {
    oauth: {
      type: 'oauth2',
      fields: {
        shop: {
          label: 'Shop',
          doc: 'Name of the shop: the part of its address before .myshopify.com.',
          secret: false,
          example: 'my-shop.myshopify.com',
          normalize: shopName,
        },
      },
      baseUrl: 'https://{shop}.myshopify.com',
      authorizationUrl: 'https://{shop}.myshopify.com/admin/oauth/authorize',
      tokenUrl: 'https://{shop}.myshopify.com/admin/oauth/access_token',
      clientAuthentication: 'body',
      // Shopify's documentation does not mention PKCE.
      pkce: 'none',
      scopes: [
        'read_customers',
        'write_customers',
        'read_orders',
        'write_orders',
        'read_products',
        'write_products',
        'read_merchant_managed_fulfillment_orders',
        'write_merchant_managed_fulfillment_orders',
      ],
      scopeSeparator: ',',
      // Otherwise the token never expires, which Shopify rejects for public apps from 2027 on (NOTES "tokens").
      tokenParameters: { expiring: '1' },
      refresh: 'rotating',
      // Until the new refresh token is used, at most 30 days.
      refreshGraceSeconds: 30 * 24 * 3600,
      request: { headers: { 'x-shopify-access-token': '{accessToken}' } },
    },
  },
  readFailure,
  check: query('query { shop { name } }', {}),
  readAccountName: ({ body }) => textsAt(body, 'data.shop.name')[0],
  context: shop,
  limits,
  webhooks,
  resources: {
    'commerce/customers': customers,
    'commerce/fulfillments': fulfillments,
    'commerce/orders': orders,
    'commerce/products': products,
  },
})
