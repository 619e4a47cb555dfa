/** Amounts, quantities and statuses that follow from an order and its fulfillments. */
import { addBags, NOTHING, roundBag, subtractBags, timesBag } from './money.ts'
import type { Bag, Entry, Fulfillment, FulfillmentOrder, LineItem, Order } from './records.ts'
import type { Shop } from './shop.ts'

export const lineTotal = ({ unitPrice, quantity }: LineItem): Bag => timesBag(unitPrice, quantity)

/** The tax lines of the order, or those of its lines, added up by title and rate. */
export const taxLinesOf = ({ taxLines, lineItems, shippingLines }: Order): Order['taxLines'] => {
  if (taxLines.length > 0) return taxLines
  const all = [...lineItems, ...shippingLines].flatMap((line) => line.taxLines)
  const groups = Map.groupBy(all, ({ title, rate }) => `${title} ${rate}`)
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ ...group[0], price: addBags(group.map(({ price }) => price)) }] : [],
  )
}

export interface OrderTotals {
  readonly subtotal: Bag
  readonly shipping: Bag
  readonly tax: Bag
  readonly total: Bag
  /** The part of the total that remains after a cancellation. */
  readonly current: Bag
  readonly received: Bag
  readonly refunded: Bag
  readonly outstanding: Bag
}

const sumOf = (order: Order, kinds: readonly string[]): Bag =>
  addBags(
    order.transactions
      .filter(({ kind, status }) => status === 'SUCCESS' && kinds.includes(kind))
      .map(({ amount }) => amount),
  )

export const totalsOf = (order: Order): OrderTotals => {
  const subtotal = roundBag(addBags(order.lineItems.map(lineTotal)), order)
  const shipping = addBags(order.shippingLines.map(({ price }) => price))
  const tax = roundBag(addBags(taxLinesOf(order).map(({ price }) => price)), order)
  const total = addBags([subtotal, shipping, order.taxesIncluded ? NOTHING : tax])
  const current = order.cancelledAt === null ? total : NOTHING
  const received = sumOf(order, ['SALE', 'CAPTURE'])
  const refunded = sumOf(order, ['REFUND'])
  const outstanding = subtractBags(current, subtractBags(received, refunded))
  return { subtotal, shipping, tax, total, current, received, refunded, outstanding }
}

export const financialStatusOf = (order: Order): string => {
  if (order.financialStatus !== null) return order.financialStatus
  const { received, refunded, total } = totalsOf(order)
  if (refunded.shop > 0) return refunded.shop >= received.shop ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  if (received.shop > 0) return received.shop >= total.shop ? 'PAID' : 'PARTIALLY_PAID'
  if (order.cancelledAt !== null) return 'VOIDED'
  if (sumOf(order, ['AUTHORIZATION']).shop > 0) return 'AUTHORIZED'
  return total.shop === 0 ? 'PAID' : 'PENDING'
}

/** The fulfillments of each order, oldest first. */
export const fulfillmentsByOrder = (
  shop: Shop,
): ReadonlyMap<string, readonly Entry<Fulfillment>[]> =>
  shop.Fulfillment.view('by order', (fulfillments) =>
    Map.groupBy(fulfillments, ({ value }) => value.orderId),
  )

export const fulfillmentOrdersByOrder = (
  shop: Shop,
): ReadonlyMap<string, readonly Entry<FulfillmentOrder>[]> =>
  shop.FulfillmentOrder.view('by order', (fulfillmentOrders) =>
    Map.groupBy(fulfillmentOrders, ({ value }) => value.orderId),
  )

/** The fulfilled quantity of a line item. */
export const fulfilledOf = (orderId: string, { id }: LineItem, shop: Shop): number =>
  (fulfillmentsByOrder(shop).get(orderId) ?? [])
    .filter(({ value }) => value.status === 'SUCCESS')
    .flatMap(({ value }) => value.lines)
    .filter(({ lineItemId }) => lineItemId === id)
    .reduce((sum, { quantity }) => sum + quantity, 0)

export const fulfillmentStatusOf = ({ id, value }: Entry<Order>, shop: Shop): string => {
  const wanted = value.lineItems.reduce((sum, { quantity }) => sum + quantity, 0)
  const fulfilled = value.lineItems.reduce((sum, line) => sum + fulfilledOf(id, line, shop), 0)
  if (fulfilled === 0) return 'UNFULFILLED'
  return fulfilled < wanted ? 'PARTIALLY_FULFILLED' : 'FULFILLED'
}
