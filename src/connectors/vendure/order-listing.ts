/** The placed orders, and those that have changed since a time. */
import type { Pager } from '../../definition/connector.ts'
import { fetchTraced, mapRecords, passes } from '../../definition/paging/compose.ts'
import { latestOf } from '../../definition/raw-values.ts'
import { shiftInstant } from '../../definition/time.ts'
import { type Collection, type Filter, pagesOf, readManyOf } from './listing.ts'

/** The filter that excludes carts and drafts (NOTES "`orders` lists carts and drafts"). */
export const PLACED = { orderPlacedAt: { isNull: false } } as const

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

/**
 * The completed states. A later change of a completed order updates the time of one of its parts. An order in
 * any other state, including a shop's custom states, can leave it without a trace.
 */
const DONE = ['Shipped', 'Delivered', 'Cancelled'] as const
// Many shops never mark orders as delivered, and reading all shipped orders every few seconds would cost too
// much. A full listing finds changes of older orders.
const COMPLETED_WATCH_MS = 60 * 86_400_000

const recent = (since: string) => ({ after: shiftInstant(since, -COMPLETED_WATCH_MS) })

/** The complement of the filter `{ after: since }`. Vendure's `before` excludes the instant itself. */
const notAfter = (since: string) => ({ before: shiftInstant(since, 1) })

/** The orders that have a part changed since an instant. */
const changedParts = (fields: string, filter: Filter, since: string): Pager =>
  mapRecords(pagesOf({ list: 'orders', fields: `id ${fields}`, filter }), (order) =>
    (latestOf('updatedAt')(order) ?? '') >= since ? [order] : [],
  )

/**
 * The passes of an incremental listing of orders, also of those with an unchanged `updatedAt` (NOTES "order updatedAt"):
 * (1) new, cancelled, modified and reassigned orders; (2) all other open orders; (3) completed orders with a changed
 * part. They do not overlap, because the engine takes many repeated pages for a listing that loops.
 */
export const orderPages = passes(({ since }) => {
  if (since === undefined) return { all: pagesOf(collection) }
  const unchanged = { updatedAt: notAfter(since), orderPlacedAt: notAfter(since) }
  const completed = {
    ...unchanged,
    orderPlacedAt: { ...recent(since), ...notAfter(since) },
    state: { in: DONE },
  }
  const parts = `
    payments { updatedAt refunds { updatedAt } }
    fulfillments { updatedAt }
    modifications { updatedAt }`
  return {
    changed: pagesOf(collection, {
      _or: [{ updatedAt: { after: since } }, { orderPlacedAt: { after: since } }],
    }),
    open: pagesOf(collection, { ...unchanged, state: { notIn: DONE } }),
    completed: fetchTraced(changedParts(parts, completed, since), 'id', ordersById),
  }
})

/** The orders with a changed fulfillment. */
export const shippedOrders = (since: string): Pager =>
  changedParts(
    'fulfillments { updatedAt }',
    { ...PLACED, _or: [{ state: { notIn: DONE } }, { orderPlacedAt: recent(since) }] },
    since,
  )
