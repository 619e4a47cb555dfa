/** Order, payment and fulfillment status of an order (NOTES "the state of an order does not show payment"). */
import { entriesOf, sumAt, type Values, valuesAt } from '../../definition/raw-values.ts'

/** The entries in some states. @throws TypeError if there is no list: a status is not guessed */
const inState = (list: unknown, ...states: readonly string[]): readonly Values[] => {
  if (!Array.isArray(list)) throw new TypeError('The order lacks payments or fulfillments.')
  return entriesOf(list).filter(({ state }) => states.includes(String(state)))
}

/** The payment status, in Vendure's terms. A refund counts once it is settled. */
export const paymentStatus = ({ payments, totalWithTax }: Values): string => {
  const total = Number(totalWithTax)
  const settledPayments = inState(payments, 'Settled')
  const settled = sumAt(settledPayments, 'amount')
  const authorized = sumAt(inState(payments, 'Authorized'), 'amount')
  const refunded = sumAt(inState(valuesAt(payments, 'refunds'), 'Settled'), 'total')

  if (refunded > 0) return refunded >= settled ? 'Refunded' : 'PartiallyRefunded'
  // A free order has a payment of 0; a cancelled one has a total of 0 and keeps its payments.
  if (settledPayments.length > 0 && settled >= total) return 'Settled'
  if (settled > 0) return 'PartiallySettled'
  if (authorized > 0) return authorized >= total ? 'Authorized' : 'PartiallyAuthorized'
  return 'Unpaid'
}

/** The fulfillment status, in the terms of Vendure's order states. */
export const fulfillmentStatus = ({ fulfillments, lines }: Values): string => {
  const unitsOf = (shipped: readonly Values[], lineId: unknown): number =>
    sumAt(
      shipped.filter(({ orderLineId }) => orderLineId === lineId),
      'quantity',
    )
  // Compare line by line: surplus units of a line reduced after shipping do not count for another line.
  const isWhole = (shipped: readonly Values[]): boolean =>
    entriesOf(lines).every(({ id, quantity }) => unitsOf(shipped, id) >= Number(quantity))
  const linesIn = (...states: readonly string[]): readonly Values[] =>
    entriesOf(valuesAt(inState(fulfillments, ...states), 'lines'))

  const delivered = linesIn('Delivered')
  const shipped = linesIn('Shipped', 'Delivered')
  if (sumAt(shipped, 'quantity') === 0) return 'Unfulfilled'
  if (sumAt(delivered, 'quantity') > 0)
    return isWhole(delivered) ? 'Delivered' : 'PartiallyDelivered'
  return isWhole(shipped) ? 'Shipped' : 'PartiallyShipped'
}
