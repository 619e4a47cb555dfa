/** The connector for Vendure, a headless shop. @see NOTES.md for Vendure's behaviour */
import { serverAddress } from '../../definition/auth.ts'
import { defineConnector } from '../../definition/connector.ts'
import { textsAt } from '../../definition/raw-values.ts'
import { customers } from './customer.ts'
import { fulfillments } from './fulfillment.ts'
import { ADMIN_API, query } from './graphql.ts'
import { orders } from './order-writer.ts'
import { products } from './product-writer.ts'
import { readFailure } from './read-failure.ts'
import { shop } from './shop.ts'
import { webhooks } from './webhooks.ts'

export const connector = defineConnector({
  app: 'vendure',
  name: 'Vendure',
  doc: 'A headless web shop, hosted by the merchant. Requires version 3.6 or later, which introduced API keys.',
  auth: {
    apiKey: {
      type: 'apiKey',
      fields: {
        url: {
          doc: 'Address of the shop server, without /admin-api.',
          secret: false,
          example: 'https://shop.example.com',
          normalize: serverAddress(ADMIN_API),
        },
        apiKey: {
          doc: "API key with the permissions ReadOrder, ReadCustomer and ReadProduct. Writes also need UpdateOrder, and Create, Update and Delete of Customer and Product. The shop's authOptions.tokenMethod must include 'api-key'.",
          secret: true,
        },
        channelToken: {
          doc: 'Token of the channel in which the key was created. Leave it out for the default channel.',
          // Storefronts send it from the browser.
          secret: false,
          optional: true,
        },
      },
      baseUrl: '{url}',
      request: {
        headers: {
          'vendure-api-key': '{apiKey}',
          // Without the header, Vendure uses the default channel.
          'vendure-token': '{channelToken}',
        },
      },
    },
  },
  readFailure,
  // A valid key may not query `me` (NOTES "`me` is FORBIDDEN to a key").
  check: query('query { activeChannel { id code } }', {}),
  // The code of the default channel names no shop.
  readAccountName: ({ body }) =>
    textsAt(body, 'data.activeChannel.code').find((code) => code !== '__default_channel__'),
  context: shop,
  webhooks,
  resources: {
    'commerce/customers': customers,
    'commerce/fulfillments': fulfillments,
    'commerce/orders': orders,
    'commerce/products': products,
  },
})
