/** The connector for Medusa 2, a headless shop. @see NOTES.md for Medusa's behaviour */
import { type CredentialField, serverAddress } from '../../definition/auth.ts'
import { defineConnector } from '../../definition/connector.ts'
import { requiredText, textsAt } from '../../definition/raw-values.ts'
import { customers } from './customer.ts'
import { fulfillments } from './fulfillment.ts'
import { orders } from './order-writer.ts'
import { products } from './product-writer.ts'
import { readFailure } from './read-failure.ts'
import { shop } from './shop.ts'
import { webhooks } from './webhooks.ts'

const url: CredentialField = {
  doc: 'Address of the Medusa server, without /admin or /app.',
  secret: false,
  example: 'https://shop.example.com',
  normalize: serverAddress(),
}

export const connector = defineConnector({
  app: 'medusa',
  name: 'Medusa',
  doc: 'A headless web shop, hosted by the merchant. Requires Medusa 2.',
  auth: {
    apiKey: {
      type: 'apiKey',
      label: 'Secret API key',
      fields: {
        url,
        apiKey: {
          label: 'Secret API key',
          doc: 'From Settings > Secret API Keys of the dashboard; it starts with sk_.',
          secret: true,
        },
      },
      baseUrl: '{url}',
      request: { basic: { user: '{apiKey}', password: '' } },
    },
    password: {
      type: 'session',
      label: 'E-mail address and password',
      fields: {
        url,
        email: { doc: 'E-mail address of a user of the dashboard.', secret: false },
        password: { doc: 'Password of that user.', secret: true },
      },
      baseUrl: '{url}',
      login: ({ email = '', password = '' }) => ({
        method: 'POST',
        path: '/auth/user/emailpass',
        body: { email, password },
      }),
      // The token is valid for a day by default; the shop can change that.
      readLogin: ({ body }) => ({ accessToken: requiredText(body, 'token') }),
      request: { headers: { authorization: 'Bearer {accessToken}' } },
    },
  },
  readFailure,
  check: { method: 'GET', path: '/admin/stores?fields=id,name&limit=1' },
  // Every new shop has the name Medusa Store, so it identifies none.
  readAccountName: ({ body }) =>
    textsAt(body, 'stores.name').find((name) => name !== 'Medusa Store'),
  context: shop,
  webhooks,
  resources: {
    'commerce/customers': customers,
    'commerce/fulfillments': fulfillments,
    'commerce/orders': orders,
    'commerce/products': products,
  },
})
