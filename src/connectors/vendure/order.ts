/** The mapping of placed orders (NOTES "an order is changed in the state Modifying"). */
import { WriteRejection } from '../../definition/connector.ts'
import { writtenEntries } from '../../definition/mapping/changed-fields.ts'
import {
  atLeast,
  blankAsNull,
  keepEntry,
  listOf,
  notNull,
  objectOf,
  ofRecord,
  onlyChanges,
  readOnly,
  required,
  states,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import { fullName } from '../../definition/mapping/full-name.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { writeValue } from '../../definition/mapping/write.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { latestOf, sumAt, textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { order } from '../../resources/commerce/order.ts'
import { fulfillmentStatus, paymentStatus } from './order-status.ts'
import { amount } from './shop.ts'

const addressRules = {
  address1: blankAsNull('streetLine1'),
  address2: blankAsNull('streetLine2'),
  city: blankAsNull('city'),
  // Vendure cannot clear the country.
  countryCode: onlyChanges(notNull(blankAsNull('countryCode'))),
  ...fullName('fullName'),
  phone: blankAsNull('phoneNumber'),
  region: blankAsNull('province'),
  postalCode: blankAsNull('postalCode'),
}

/** An address. `to` is its name in `modifyOrder`. */
const address = (from: string, to: string): Converter =>
  onlyChanges({
    ...notNull(objectOf(from, addressRules)),
    to,
    // A missing address is null or an object of nulls (NOTES "an unset value is null or empty").
    read: (raw) => (Object.values(valuesOf(raw)).some(Boolean) ? raw : null),
  })

const line = {
  productId: readOnly('productVariant.productId'),
  variantId: required(writtenTo('productVariantId', 'productVariant.id')),
  // The current name: Vendure does not store the name at the time of the order.
  title: readOnly('productVariant.name'),
  price: readOnly(amount('unitPriceWithTax')),
  unitCost: null, // Vendure has none
  currency: readOnly(ofRecord('currencyCode')),
  sku: readOnly(blankAsNull('productVariant.sku')),
  quantity: required(atLeast(0, 'quantity')),
}

const keepLine = keepEntry('productVariant.name', 'send quantity 0 to remove a line')

/**
 * The lines. A write names all of them; quantity 0 removes one. Leaving a line out is an error, so that a caller who
 * sends one line does not lose the others.
 */
const allLines = listOf('lines', line, {
  matchBy: [['productVariantId']],
  remove: (left, path) => (left.quantity === 0 ? left : keepLine(left, path)),
  changesOnly: true,
})

/** The lines, as `modifyOrder` takes them: those that change, and those to add. */
const lines: Converter = {
  ...allLines,
  apply: (value, context) => {
    const { path, put, stored } = context
    const written = writeValue(allLines, undefined, value ?? [], context)
    const { added, changed } = writtenEntries(written, stored?.lines, path)
    const variants = [
      ...textsAt(stored, 'lines.productVariant.id'),
      ...textsAt(added, 'entry.productVariantId'),
    ]
    const isTwice = (id: unknown) => variants.indexOf(String(id)) < variants.lastIndexOf(String(id))
    const repeated = added.find(({ entry }) => isTwice(entry.productVariantId))
    if (repeated)
      throw new WriteRejection(
        'the order already has a line of this variant',
        `${repeated.path}.variantId`,
      )
    const adjusted = changed.map(({ entry: { id = null, ...line } }) => ({
      orderLineId: id,
      ...line,
    }))
    const items = added.map(({ entry }) => entry).filter(({ quantity }) => quantity !== 0)
    if (adjusted.length > 0) put('adjustOrderLines', adjusted, path)
    if (items.length > 0) put('addItems', items, path)
    return undefined
  },
  sets: ['lines', 'adjustOrderLines', 'addItems'],
}

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
  // A shop may have other states, which have no unified word.
  orderState: states('state', {
    PaymentAuthorized: 'OPEN',
    PaymentSettled: 'OPEN',
    PartiallyShipped: 'OPEN',
    Shipped: 'OPEN',
    PartiallyDelivered: 'OPEN',
    Modifying: 'OPEN',
    ArrangingAdditionalPayment: 'OPEN',
    Delivered: 'COMPLETED',
    Cancelled: 'CANCELLED',
  }),
  fulfillmentStatus,
  fulfillmentState: states(fulfillmentStatus, {
    Unfulfilled: 'UNFULFILLED',
    PartiallyShipped: 'PARTIALLY_FULFILLED',
    Shipped: 'FULFILLED',
    PartiallyDelivered: 'PARTIALLY_FULFILLED',
    Delivered: 'FULFILLED',
  }),
  paymentStatus,
  paymentState: states(paymentStatus, {
    Unpaid: 'UNPAID',
    PartiallyAuthorized: 'UNPAID',
    Authorized: 'AUTHORIZED',
    PartiallySettled: 'PARTIALLY_PAID',
    Settled: 'PAID',
    PartiallyRefunded: 'PARTIALLY_REFUNDED',
    Refunded: 'REFUNDED',
  }),
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
  remoteUpdatedAt: latestOf('updatedAt', 'orderPlacedAt', 'createdAt'),
  remoteDeleted: null, // Placed orders are never deleted.
  remoteFields: ({ id, createdAt, code, state, currencyCode, history, ...rest }) => rest,
})
