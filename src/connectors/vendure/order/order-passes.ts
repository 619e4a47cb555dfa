/**
 * The passes that find changed orders, including those with an unchanged `updatedAt` (NOTES "order
 * updatedAt").
 */
import type { Pager } from '../../../definition/connector.ts'
import { fetchTraced, mapRecords } from '../../../definition/paging/compose.ts'
import { latestAt, textsAt } from '../../../definition/raw-values.ts'
import { shiftInstant } from '../../../definition/time.ts'
import { type Filter, pagesOf } from '../listing.ts'
import { collection, ordersById, PART_TIMES, PLACED } from './order.ts'

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

/** Lists the ids of the orders that have a part changed since an instant. */
const changedParts = (fields: string, filter: Filter, since: string): Pager =>
  mapRecords(pagesOf({ list: 'orders', fields: `id ${fields}`, filter }), (order) =>
    (latestAt(...PART_TIMES)(order) ?? '') >= since ? textsAt(order, 'id') : [],
  )

/**
 * The passes of an incremental listing of orders: (1) new, cancelled, modified and reassigned orders; (2) all
 * other open orders; (3) completed orders with a changed part. They do not overlap, because the engine takes
 * many repeated pages for a listing that loops.
 */
export const orderPasses = (since: string) => {
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
    completed: fetchTraced(changedParts(parts, completed, since), ordersById),
  }
}

/** The ids of orders with a changed fulfillment. */
export const shippedOrders = (since: string): Pager =>
  changedParts(
    'fulfillments { updatedAt }',
    { ...PLACED, _or: [{ state: { notIn: DONE } }, { orderPlacedAt: recent(since) }] },
    since,
  )
