/** Vendure, the headless shop. @see NOTES.md for how it behaves */
import { defineConnector } from '../../definition/connector.ts'
import { customers } from './customer.ts'
import { customerWriter } from './customer-writer.ts'
import { readFailure } from './failure.ts'
import { fulfillments } from './fulfillment.ts'
import { fulfillmentWriter } from './fulfillment-writer.ts'
import { ADMIN_API, query } from './graphql.ts'
import { orders } from './order.ts'
import { orderWriter } from './order-writer.ts'
import { products } from './product.ts'
import { productWriter } from './product-writer.ts'

/** The shop's address, whether it was given with the path of the Admin API or without. */
const shopAddress = (url: string): string => {
  const trimmed = url.trim().replace(/\/+$/, '')
  return trimmed.endsWith(ADMIN_API) ? trimmed.slice(0, -ADMIN_API.length) : trimmed
}

export const connector = defineConnector({
  app: 'vendure',
  name: 'Vendure',
  doc: 'A headless web shop, hosted by the merchant. Version 3.6 or later, for its API keys.',
  credential: {
    url: {
      doc: 'Address of the shop server, without /admin-api.',
      secret: false,
      example: 'https://shop.example.com',
    },
    apiKey: {
      doc: "API key with the permissions ReadOrder, ReadCustomer and ReadProduct; to write as well, UpdateOrder and Create, Update and Delete of Customer and of Product. The shop's authOptions.tokenMethod must contain 'api-key'.",
      secret: true,
    },
    channelToken: {
      doc: 'Token of the channel that the key was made in, if it is not the default channel.',
      // Storefronts send it in the open.
      secret: false,
      optional: true,
    },
  },
  baseUrl: ({ url = '' }) => shopAddress(url),
  authorize: ({ apiKey = '', channelToken = '' }) => ({
    'vendure-api-key': apiKey,
    // NOTES 6: without it, the default channel.
    ...(channelToken !== '' && { 'vendure-token': channelToken }),
  }),
  readFailure,
  // NOTES 5: `me` is refused to a good key.
  check: query('query { activeChannel { id } }', {}),
  resources: {
    'commerce/customers': { ...customers, write: customerWriter },
    'commerce/fulfillments': { ...fulfillments, write: fulfillmentWriter },
    'commerce/orders': { ...orders, write: orderWriter },
    'commerce/products': { ...products, write: productWriter },
  },
})
