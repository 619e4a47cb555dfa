/** The rules of orders. */
import {
  listOf,
  notNull,
  objectOf,
  ofRecord,
  orElse,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { objectAt, writeObject } from '../../definition/mapping/write.ts'
import { money } from './formats.ts'

const address = {
  address1: 'line1',
  address2: 'line2',
  city: 'city',
  countryCode: 'country',
  firstName: 'given_name',
  lastName: 'family_name',
  phone: 'phone',
  region: 'region',
  postalCode: 'postcode',
} as const

const item = {
  productId: 'product',
  variantId: 'variant',
  title: 'name',
  price: money('unit_price'),
  unitCost: money('unit_cost'),
  // The sandbox stores one currency per order.
  currency: ofRecord(notNull('currency_code')),
  sku: 'sku',
  quantity: 'quantity',
}

const contact = {
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'email',
  phone: 'phone',
} as const

/** The buyer. Without `customerId`, a write keeps the shopper; omitted fields are the shopper's. */
const buyer: Converter = {
  ...objectOf('buyer', { customerId: 'shopper', ...contact }),
  sets: ['shopper', 'placed_by'],
  apply: (value, context) => {
    const { path, put } = context
    const { customerId, ...stated } = value === null ? { customerId: null } : objectAt(value, path)
    if (customerId !== undefined) put('shopper', customerId, `${path}.customerId`)
    const placedBy = writeObject(contact, {}, stated, context)
    put('placed_by', Object.keys(placedBy).length === 0 ? null : placedBy, path)
    return undefined
  },
}

/** The rules of the fields. */
export const orderRules = {
  orderNumber: notNull('number'),
  orderStatus: notNull('state'),
  fulfillmentStatus: writtenTo('stated_shipping_state', 'shipping_state'),
  paymentStatus: notNull('payment_state'),
  currency: notNull('currency_code'),
  // Null makes the sandbox compute the total again.
  totalPrice: writtenTo('stated_total', money('total')),
  totalDiscount: orElse(money('discount'), '0.00'),
  totalShipping: orElse(money('shipping'), '0.00'),
  totalTax: writtenTo('stated_tax', money('tax')),
  // The common model has no line ids, so lines match by variant.
  lineItems: notNull(listOf('items', item, { matchBy: [['variant']] })),
  billingAddress: objectOf('bill_to', address),
  shippingAddress: objectOf('ship_to', address),
  customer: buyer,
}
