/** Payment and fulfillment status of an order (NOTES "the state of an order does not show payment"). */
import { sum } from '../money.ts'

/** A raw payment of an order. */
export interface RawPayment {
  readonly updatedAt: string
  /** Created, Authorized, Settled, Declined, Error, Cancelled, or a state of the shop's own. */
  readonly state: string
  readonly amount: number
  readonly refunds: readonly {
    readonly updatedAt: string
    /** Pending, Settled, Failed. */
    readonly state: string
    readonly total: number
  }[]
}

/** The payment status, in Vendure's terms. A refund counts once it is settled. */
export const paymentStatus = (payments: readonly RawPayment[], totalWithTax: number): string => {
  const inState = (state: string) => payments.filter((payment) => payment.state === state)
  const amountOf = (selected: readonly RawPayment[]) => sum(selected.map(({ amount }) => amount))
  const settled = amountOf(inState('Settled'))
  const authorized = amountOf(inState('Authorized'))
  const refunds = payments.flatMap((payment) => payment.refunds)
  const refunded = sum(refunds.filter(({ state }) => state === 'Settled').map(({ total }) => total))

  if (refunded > 0) return refunded >= settled ? 'Refunded' : 'PartiallyRefunded'
  // A free order has a payment of 0; a cancelled one has a total of 0 and keeps its payments.
  if (inState('Settled').length > 0 && settled >= totalWithTax) return 'Settled'
  if (settled > 0) return 'PartiallySettled'
  if (authorized > 0) return authorized >= totalWithTax ? 'Authorized' : 'PartiallyAuthorized'
  return 'Unpaid'
}

/** A raw fulfillment of an order. */
export interface RawShipment {
  readonly updatedAt: string
  /** Created, Pending, Shipped, Delivered, Cancelled, or a state of the shop's own. */
  readonly state: string
  readonly lines: readonly { readonly orderLineId: string; readonly quantity: number }[]
}

/** The fulfillment status, in the terms of Vendure's order states. */
export const fulfillmentStatus = (
  fulfillments: readonly RawShipment[],
  lines: readonly { readonly id: string; readonly quantity: number }[],
): string => {
  const unitsIn = (states: readonly string[], lineId?: string): number =>
    sum(
      fulfillments
        .filter(({ state }) => states.includes(state))
        .flatMap((shipment) => shipment.lines)
        .filter(({ orderLineId }) => lineId === undefined || orderLineId === lineId)
        .map(({ quantity }) => quantity),
    )
  // Compare line by line: surplus units of a line reduced after shipping do not count for another line.
  const isWhole = (states: readonly string[]) =>
    lines.every(({ id, quantity }) => unitsIn(states, id) >= quantity)
  if (unitsIn(['Shipped', 'Delivered']) === 0) return 'Unfulfilled'
  if (unitsIn(['Delivered']) > 0) return isWhole(['Delivered']) ? 'Delivered' : 'PartiallyDelivered'
  return isWhole(['Shipped']) ? 'Shipped' : 'PartiallyShipped'
}
