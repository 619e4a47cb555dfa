import { recordsAt, writableResource } from '../../definition/mapping/body-writer.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { textsAt } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { collectionPages } from './collection-pages.ts'
import { mutate, mutateCoded } from './graphql.ts'
import { reportedSync } from './listing.ts'
import { collection, mapping } from './order.ts'
import { shop } from './shop.ts'
import { wholeRecord } from './whole-records.ts'

/** The lines of a new order with the currency of their prices. */
const withCurrency = (lines: unknown, currencyCode: string): readonly JsonObject[] =>
  objectsIn(lines).map(({ priceSet, ...line }) => {
    const { shopMoney } = isObject(priceSet) ? priceSet : {}
    if (!isObject(shopMoney)) return line
    // Safe: the body of a request is JSON.
    return { ...line, priceSet: { shopMoney: { ...(shopMoney as JsonObject), currencyCode } } }
  })

/** Orders. Lines of an existing order cannot be written (NOTES "edits"). */
export const orders = writableResource(mapping, {
  app: 'Shopify',
  pages: collectionPages(collection),
  sync: reportedSync,
  remoteFields: { reserved: ['id', 'customerId'] },
  get: wholeRecord(collection),
  *create(body, { context }) {
    const currency = typeof body.currency === 'string' ? body.currency : shop.of(context).currency
    const order = { ...body, lineItems: withCurrency(body.lineItems, currency) }
    const signature = 'orderCreate(order: OrderCreateOrderInput!)'
    return textsAt(yield* mutateCoded(signature, { order }, 'order { id }'), 'order.id')[0]
  },
  *update({ customerId, ...body }, { remoteId: id }) {
    if (Object.keys(body).length > 0) {
      const input = { ...body, id }
      yield* mutate('orderUpdate(input: OrderInput!)', { input })
    }
    if (customerId !== undefined) {
      const signature = 'orderCustomerSet(orderId: ID!, customerId: ID!)'
      yield* mutate(signature, { orderId: id, customerId })
    }
  },
  *delete({ remoteId: orderId }) {
    yield* mutateCoded('orderDelete(orderId: ID!)', { orderId })
  },
  // Shopify changes the form of telephone numbers, and makes the names of lines from product and variant.
  normalize: ({ fields: { customer: _, lineItems: __, ...fields }, remoteFields }) => ({
    fields,
    remoteFields,
  }),
  sideEffects: recordsAt({ 'commerce/customers': 'customer.id' }),
})
