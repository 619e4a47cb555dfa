/** Orders. Drafts are not listed. */
import {
  createOnly,
  listOf,
  notNull,
  objectOf,
  readOnly,
  required,
  states,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { fetchTraced, passes } from '../../definition/paging/compose.ts'
import { latestOf } from '../../definition/raw-values.ts'
import { order } from '../../resources/commerce/order.ts'
import { type Collection, changedSince, readManyOf } from './listing.ts'

const collection: Collection = {
  path: 'orders',
  list: 'orders',
  fields: [
    'id',
    'display_id',
    'status',
    'version',
    'email',
    'customer_id',
    'region_id',
    'sales_channel_id',
    'currency_code',
    'metadata',
    'created_at',
    'updated_at',
    'canceled_at',
    'total',
    'subtotal',
    'tax_total',
    'discount_total',
    'shipping_total',
    'item_total',
    '*items',
    '*shipping_address',
    '*billing_address',
    '*shipping_methods',
    'customer.id',
    'customer.first_name',
    'customer.last_name',
    'customer.phone',
    '*payment_collections',
    '*payment_collections.payments',
    '*payment_collections.payments.captures',
    '*payment_collections.payments.refunds',
    '*fulfillments',
  ],
}

/** The payments, to find orders whose payment has changed (NOTES "payments do not change the order"). */
const payments: Collection = {
  path: 'payments',
  list: 'payments',
  fields: ['id', 'payment_collection.order.id'],
}

/** A raw order, as the listing selects it. */
interface RawOrder {
  readonly id: string
  readonly display_id: number
  readonly currency_code: string
}

const upperCase = (text: unknown): unknown => (typeof text === 'string' ? text.toUpperCase() : text)

/** A country code, in lower case in Medusa. */
const countryCode: Converter = {
  from: 'country_code',
  read: upperCase,
  write: (code) => String(code).toLowerCase(),
}

/** An address. An update keeps the parts that it omits (NOTES "an update of an address"). */
const address = (path: string): Converter =>
  notNull(
    objectOf(path, {
      address1: 'address_1',
      address2: 'address_2',
      city: 'city',
      countryCode,
      firstName: 'first_name',
      lastName: 'last_name',
      phone: 'phone',
      region: 'province',
      postalCode: 'postal_code',
    }),
  )

const line = {
  productId: readOnly('product_id'),
  variantId: 'variant_id',
  title: 'title',
  price: decimal('unit_price', { as: 'number', notNegative: { name: 'A price' } }),
  unitCost: null, // Medusa has none
  currency: (_: unknown, { currency_code }: RawOrder) => upperCase(currency_code),
  sku: writtenTo('sku', 'variant_sku'),
  quantity: 'quantity',
}

/** The buyer: the e-mail address is that of the order, the name that of the customer now. */
const customer: Converter = {
  ...notNull(
    objectOf('', {
      customerId: createOnly('customer_id'),
      firstName: readOnly('customer.first_name'),
      lastName: readOnly('customer.last_name'),
      email: 'email',
      phone: readOnly('customer.phone'),
    }),
  ),
  sets: ['customer_id', 'email'],
}

/** The mapping of orders. Amounts are in major units (NOTES "amounts"). */
export const mapping = defineMapping<typeof order, RawOrder>(order, {
  remoteId: 'id',
  orderNumber: ({ display_id }) => String(display_id),
  orderStatus: readOnly('status'),
  orderState: states('status', {
    pending: 'OPEN',
    requires_action: 'OPEN',
    completed: 'COMPLETED',
    archived: 'COMPLETED',
    canceled: 'CANCELLED',
  }),
  fulfillmentStatus: readOnly('fulfillment_status'),
  fulfillmentState: states('fulfillment_status', {
    not_fulfilled: 'UNFULFILLED',
    canceled: 'UNFULFILLED',
    partially_fulfilled: 'PARTIALLY_FULFILLED',
    partially_shipped: 'PARTIALLY_FULFILLED',
    partially_delivered: 'PARTIALLY_FULFILLED',
    fulfilled: 'FULFILLED',
    shipped: 'FULFILLED',
    delivered: 'FULFILLED',
  }),
  paymentStatus: readOnly('payment_status'),
  paymentState: states('payment_status', {
    not_paid: 'UNPAID',
    awaiting: 'UNPAID',
    requires_action: 'UNPAID',
    partially_authorized: 'UNPAID',
    authorized: 'AUTHORIZED',
    partially_captured: 'PARTIALLY_PAID',
    captured: 'PAID',
    partially_refunded: 'PARTIALLY_REFUNDED',
    refunded: 'REFUNDED',
    canceled: 'VOID',
  }),
  currency: createOnly({
    from: 'currency_code',
    read: upperCase,
    write: (code) => String(code).toLowerCase(),
  }),
  totalPrice: readOnly('total'),
  totalDiscount: readOnly('discount_total'),
  totalShipping: readOnly('shipping_total'),
  totalTax: readOnly('tax_total'),
  lineItems: createOnly(required(listOf<never, RawOrder>('items', line))),
  billingAddress: address('billing_address'),
  shippingAddress: address('shipping_address'),
  customer,
  remoteCreatedAt: 'created_at',
  // NOTES "payments do not change the order"
  remoteUpdatedAt: latestOf('updated_at'),
  remoteDeleted: null, // NOTES "orders are never deleted"
})

/** Reads orders by their ids. */
export const ordersById = readManyOf(collection)

/** The orders, by their own time and by that of their payments. */
export const pages = passes(({ since }) => ({
  changed: changedSince(collection, since),
  ...(since !== undefined && {
    paid: fetchTraced(changedSince(payments, since), 'payment_collection.order.id', ordersById),
  }),
}))
