/** The mapping and the listing of placed orders. */
import {
  blankAsNull,
  notNull,
  objectOf,
  onlyChanges,
  readOnly,
} from '../../../definition/mapping/converters.ts'
import { states } from '../../../definition/mapping/states.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { latestAt, sumAt, type Values } from '../../../definition/raw-values.ts'
import { order } from '../../../resources/commerce/order.ts'
import { type Collection, readManyOf } from '../listing.ts'
import { amount } from '../shop.ts'
import { address, lines } from './order-fields.ts'
import {
  fulfillmentStates,
  fulfillmentStatus,
  orderStates,
  paymentStates,
  paymentStatus,
} from './order-status.ts'

/** The filter that excludes carts and drafts (NOTES "`orders` lists carts and drafts"). */
export const PLACED = { orderPlacedAt: { isNull: false } } as const

/** The paths of the timestamps of an order's parts. */
export const PART_TIMES = [
  'payments.updatedAt',
  'payments.refunds.updatedAt',
  'fulfillments.updatedAt',
  'modifications.updatedAt',
] as const

const ADDRESS =
  'fullName company streetLine1 streetLine2 city province postalCode countryCode phoneNumber'

/** The placed orders, without carts and drafts. */
export const collection: Collection = {
  list: 'orders',
  filter: PLACED,
  take: 100,
  fields: `
  id createdAt updatedAt orderPlacedAt type code state currencyCode couponCodes
  totalWithTax shippingWithTax
  discounts { description amountWithTax }
  surcharges { description priceWithTax }
  taxSummary { description taxRate taxBase taxTotal }
  customer { id firstName lastName emailAddress phoneNumber }
  shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} }
  lines {
    id quantity orderPlacedQuantity unitPriceWithTax linePriceWithTax
    productVariant { id productId sku name }
  }
  payments {
    id updatedAt method state amount transactionId
    refunds { id updatedAt state total reason }
  }
  fulfillments { id updatedAt state lines { orderLineId quantity } }
  modifications { id updatedAt }
  history(options: { take: 1, sort: { createdAt: DESC } }) { items { createdAt } }`,
  recordsOf: (entry, { moneyStrategyPrecision }) => [{ ...entry, moneyStrategyPrecision }],
}

/** Reads orders by their ids. */
export const ordersById = readManyOf(collection)

const buyer = {
  customerId: notNull('id'),
  firstName: readOnly('firstName'),
  lastName: readOnly('lastName'),
  email: readOnly('emailAddress'),
  phone: readOnly(blankAsNull('phoneNumber')),
}

/** The mapping of placed orders. Amounts include tax. */
export const mapping = defineMapping<typeof order, Values>(order, {
  remoteId: 'id',
  orderNumber: readOnly('code'),
  orderStatus: onlyChanges(notNull('state')),
  orderState: states('state', orderStates),
  fulfillmentStatus,
  fulfillmentState: states(fulfillmentStatus, fulfillmentStates),
  paymentStatus,
  paymentState: states(paymentStatus, paymentStates),
  currency: readOnly('currencyCode'),
  totalPrice: readOnly(amount('totalWithTax')),
  // Vendure's discounts are negative, the unified discount is positive.
  totalDiscount: readOnly(amount((raw) => -sumAt(raw, 'discounts.amountWithTax'))),
  totalShipping: readOnly(amount('shippingWithTax')),
  totalTax: readOnly(amount((raw) => sumAt(raw, 'taxSummary.taxTotal'))),
  lineItems: lines,
  billingAddress: address('billingAddress', 'updateBillingAddress'),
  shippingAddress: address('shippingAddress', 'updateShippingAddress'),
  customer: { ...onlyChanges(notNull(objectOf('customer', buyer))), sets: ['customerId'] },
  remoteCreatedAt: 'createdAt',
  // Payments, fulfillments, refunds, states and notes do not change `updatedAt` (NOTES "order updatedAt").
  remoteUpdatedAt: latestAt('updatedAt', 'orderPlacedAt', 'history.items.createdAt', ...PART_TIMES),
  remoteDeleted: null, // Placed orders are never deleted.
  remoteFields: ({ id, createdAt, code, state, currencyCode, history, ...rest }) => rest,
})
