/** The mapping and the listing of fulfillments. */
import { WriteRejection } from '../../../definition/connector.ts'
import {
  atLeast,
  blankAsNull,
  createOnly,
  listOf,
  readOnly,
  required,
} from '../../../definition/mapping/converters.ts'
import type { Converter } from '../../../definition/mapping/rule.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { fetchTraced, passes } from '../../../definition/paging/compose.ts'
import { entriesOf, type Values } from '../../../definition/raw-values.ts'
import { fulfillment } from '../../../resources/commerce/fulfillment.ts'
import { type Collection, pagesOf, readManyOf } from '../listing.ts'
import { PLACED } from '../order/order.ts'
import { shippedOrders } from '../order/order-passes.ts'
import { amount } from '../shop.ts'

const FIELDS = `
  id
  fulfillments { id createdAt updatedAt state method trackingCode lines { orderLineId quantity } }
  lines { id unitPriceWithTax productVariant { id productId sku name } }`

/**
 * The fulfillments of an order; Vendure has no other list of them. Each gets the order's id, and each of its
 * lines gets the order line that it ships.
 */
const fulfillmentsOf = (order: Values): readonly Values[] => {
  const orderLines = new Map(entriesOf(order.lines).map((line) => [line.id, line]))
  return entriesOf(order.fulfillments).map((shipment) => ({
    ...shipment,
    orderId: order.id,
    lines: entriesOf(shipment.lines).map((line) => ({
      ...line,
      orderLine: orderLines.get(line.orderLineId) ?? null,
    })),
  }))
}

const trackingNumbers: Converter = {
  from: 'trackingCode',
  read: (code) => (code === '' ? [] : [code]),
  write: (numbers, { path }) => {
    const [code = '', second] = Array.isArray(numbers) ? numbers : []
    if (second === undefined) return code
    throw new WriteRejection('Vendure stores one tracking number per fulfillment', path)
  },
  empty: '',
}

const line = {
  lineItemId: required('orderLineId'),
  productId: readOnly('orderLine.productVariant.productId'),
  variantId: readOnly('orderLine.productVariant.id'),
  title: readOnly('orderLine.productVariant.name'),
  sku: readOnly(blankAsNull('orderLine.productVariant.sku')),
  price: readOnly(amount('orderLine.unitPriceWithTax')),
  quantity: required(atLeast(1, 'quantity')),
}

/** The mapping of fulfillments. The state (`Pending`, `Shipped`, …) is in `remoteFields.state`. */
export const mapping = defineMapping(fulfillment, {
  remoteId: 'id',
  orderId: createOnly('orderId'),
  // Free text of the merchant, usually the carrier's name.
  carrier: blankAsNull('method'),
  service: null, // Vendure has none
  trackingNumbers,
  trackingUrls: null, // Vendure has none
  lineItems: required(listOf('lines', line)),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // A cancelled fulfillment stays listed as `Cancelled` (NOTES "deletions leave no trace").
})

const collection: Collection = {
  list: 'orders',
  filter: PLACED,
  take: 500,
  fields: FIELDS,
  recordsOf: (order, { moneyStrategyPrecision }) =>
    fulfillmentsOf(order).map((shipment) => ({ ...shipment, moneyStrategyPrecision })),
}

/** Reads the fulfillments of orders, by the ids of the orders. */
export const fulfillmentsOfOrders = readManyOf(collection)

/** The fulfillments of all orders, or of those with a changed one; the mapping uses nothing else that changes. */
export const pages = passes(({ since }) => ({
  changed:
    since === undefined
      ? pagesOf(collection)
      : fetchTraced(shippedOrders(since), fulfillmentsOfOrders),
}))
