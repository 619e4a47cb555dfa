import {
  blankAsNull,
  createOnly,
  listOf,
  readOnly,
} from '../../../definition/mapping/converters.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { fulfillment } from '../../../resources/commerce/fulfillment.ts'
import { entriesOf, type Values } from '../graphql.ts'
import { listing } from '../listing.ts'
import { decimalText } from '../money.ts'
import { fulfillmentPasses, PLACED } from '../order/order-passes.ts'
import { type MoneyUnit, moneyUnit } from '../shop.ts'

const FIELDS = `
  id
  fulfillments { id createdAt updatedAt state method trackingCode lines { orderLineId quantity } }
  lines { id unitPriceWithTax productVariant { id productId sku name } }`

interface RawLine {
  readonly orderLineId: string
  readonly quantity: number
  /** The selected fields of the order line. */
  readonly orderLine: { readonly unitPriceWithTax: number } | null
}

/** A raw fulfillment, with the order line of each of its lines. */
export interface RawFulfillment extends MoneyUnit {
  readonly state: string
  readonly method: string
  readonly trackingCode: string | null
  readonly lines: readonly RawLine[]
}

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

const line = {
  lineItemId: 'orderLineId',
  productId: readOnly('orderLine.productVariant.productId'),
  variantId: readOnly('orderLine.productVariant.id'),
  title: readOnly('orderLine.productVariant.name'),
  sku: readOnly(blankAsNull('orderLine.productVariant.sku')),
  price: ({ orderLine }: RawLine, { moneyStrategyPrecision }: RawFulfillment) =>
    orderLine && decimalText(orderLine.unitPriceWithTax, moneyStrategyPrecision),
  quantity: 'quantity',
}

/**
 * The mapping of fulfillments. The state (`Pending`, `Shipped`, …) is in `remoteFields.state`. The steps of the
 * writer write the writable fields.
 */
export const mapping = defineMapping<typeof fulfillment, RawFulfillment>(fulfillment, {
  remoteId: 'id',
  orderId: createOnly('orderId'),
  // Free text of the merchant, usually the carrier's name.
  carrier: blankAsNull('method'),
  service: null, // Vendure has none
  trackingNumbers: { from: 'trackingCode', read: (code) => (code ? [code] : []) },
  trackingUrls: null, // Vendure has none
  lineItems: listOf<RawLine, RawFulfillment>('lines', line),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // A cancelled fulfillment stays listed as `Cancelled` (NOTES "deletions leave no trace").
})

/** The fulfillments of orders, by the ids of the orders; and their listing, which reads pages of orders. */
export const { readMany: fulfillmentsOfOrders, ...fulfillments } = listing({
  mapping,
  list: 'orders',
  fields: FIELDS,
  filter: PLACED,
  pageSize: 500,
  shop: moneyUnit,
  changesSince: fulfillmentPasses,
  recordsOf: fulfillmentsOf,
})
