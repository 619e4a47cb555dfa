/**
 * The passes that find changed orders, including those with an unchanged `updatedAt` (NOTES "order
 * updatedAt").
 */
import { entriesOf, type Values, valuesOf } from '../graphql.ts'
import type { VendureListing } from '../listing.ts'
import { daysBefore, latestOf, notAfter } from '../times.ts'

/** The filter that excludes carts and drafts (NOTES "`orders` lists carts and drafts"). */
export const PLACED = { orderPlacedAt: { isNull: false } } as const

/**
 * The completed states. A later change of a completed order updates the time of one of its parts. An order in
 * any other state, including a shop's custom states, can leave it without a trace.
 */
const DONE = ['Shipped', 'Delivered', 'Cancelled'] as const
// Many shops never mark orders as delivered, and reading all shipped orders every few seconds would cost too
// much. A full listing finds changes of older orders.
const COMPLETED_WATCH_DAYS = 60

const recent = (since: string) => ({ after: daysBefore(since, COMPLETED_WATCH_DAYS) })

/** The parts of an order that have their own timestamps. */
const PARTS = `
  payments { updatedAt refunds { updatedAt } }
  fulfillments { updatedAt }
  modifications { updatedAt }`

const timesOf = (parts: unknown): readonly unknown[] =>
  entriesOf(parts).map(({ updatedAt }) => updatedAt)

/** The latest timestamp of the selected parts of an order. */
export const latestPart = (order: Values): string | undefined =>
  latestOf([
    ...timesOf(order.payments),
    ...entriesOf(order.payments).flatMap(({ refunds }) => timesOf(refunds)),
    ...timesOf(order.fulfillments),
    ...timesOf(order.modifications),
    ...entriesOf(valuesOf(order.history).items).map(({ createdAt }) => createdAt),
  ])

/** The id of the order if one of its parts has changed. */
const changedSince =
  (since: string) =>
  (order: Values): readonly string[] =>
    (latestPart(order) ?? '') >= since ? [String(order.id)] : []

/**
 * The passes of an incremental listing of orders: (1) new, cancelled, modified and reassigned orders; (2) all
 * other open orders; (3) completed orders with a changed part. They do not overlap, because the engine takes
 * many repeated pages for a listing that loops.
 */
export const orderPasses: VendureListing['changesSince'] = (since, { records, traced }) => {
  const unchanged = { updatedAt: notAfter(since), orderPlacedAt: notAfter(since) }
  return {
    changed: records({
      _or: [{ updatedAt: { after: since } }, { orderPlacedAt: { after: since } }],
    }),
    open: records({ ...unchanged, state: { notIn: DONE } }),
    completed: traced(
      { list: 'orders', fields: `id ${PARTS}` },
      {
        ...unchanged,
        orderPlacedAt: { ...recent(since), ...notAfter(since) },
        state: { in: DONE },
      },
      changedSince(since),
    ),
  }
}

/** The pass that finds orders with a changed fulfillment; the mapping uses nothing else that changes. */
export const fulfillmentPasses: VendureListing['changesSince'] = (since, { traced }) => ({
  changed: traced(
    { list: 'orders', fields: 'id fulfillments { updatedAt }' },
    { ...PLACED, _or: [{ state: { notIn: DONE } }, { orderPlacedAt: recent(since) }] },
    changedSince(since),
  ),
})
