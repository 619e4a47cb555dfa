/** Orders. */
import { orUndo, type Steps, WriteRejection } from '../../definition/connector.ts'
import { recordsAt, writableResource } from '../../definition/mapping/body-writer.ts'
import { fromMinorUnits } from '../../definition/mapping/minor-units.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { mutate, mutation, OR_ERROR, read, write } from './graphql.ts'
import { sync } from './listing.ts'
import { mapping } from './order.ts'
import { orderPages, ordersById } from './order-listing.ts'

const OR_ORDER = `... on Order { id totalWithTax } ${OR_ERROR}`
const OR_STATE = `${OR_ORDER} ... on OrderStateTransitionError { transitionError }`

/** The arguments of `mutate` for a change of state. */
const transition = (id: string, state: string) =>
  ['transitionOrderToState(id: ID!, state: String!)', { id, state }, OR_STATE] as const

/** @throws WriteRejection if the change raises the price, or lowers it without `remoteFields.refunds` */
const checkPrice = (order: Values, totalWithTax: unknown, input: JsonObject): void => {
  const difference = Number(totalWithTax) - Number(order.totalWithTax)
  const amount = fromMinorUnits(Math.abs(difference), Number(order.moneyStrategyPrecision))
  const costs = `the order would cost ${amount} ${order.currencyCode}`
  // A new address can change the price too, through the shipping charge.
  const field = input.adjustOrderLines || input.addItems ? 'lineItems' : undefined
  if (difference > 0)
    throw new WriteRejection(
      `${costs} more, and only the merchant can charge the difference`,
      field,
    )
  if (difference < 0 && input.refunds === undefined)
    throw new WriteRejection(
      `${costs} less; set remoteFields.refunds to [{ paymentId, amount }] to refund the difference`,
      field,
    )
}

/** The alternative state after a change of lines: the order is now fully shipped, or no longer. */
const alternativeStates: Readonly<Record<string, string>> = {
  PartiallyShipped: 'Shipped',
  Shipped: 'PartiallyShipped',
}

/** Moves a modified order out of the state Modifying. */
function* leaveModifying(id: string, state: string): Steps<void> {
  const alternative = alternativeStates[state]
  try {
    yield* mutate(...transition(id, state))
  } catch (error) {
    if (alternative === undefined) throw error
    yield* mutate(...transition(id, alternative))
  }
}

/** Modifies an order in the state Modifying, if a dry run shows that its price allows it. */
function* modifyOrder(order: Values, change: JsonObject): Steps<void> {
  const send = (dryRun: boolean) =>
    write('modifyOrder', { ...change, orderId: String(order.id), dryRun }, OR_ORDER)
  checkPrice(order, (yield* send(true)).totalWithTax, change)
  yield* send(false)
}

/**
 * Modifies the lines and addresses of an order. Vendure allows it only in the state Modifying, which an order
 * with a higher price cannot leave without a payment (NOTES "an order is changed in the state Modifying").
 */
function* modify(id: string, order: Values, change: JsonObject): Steps<void> {
  const state = String(order.state)
  const modification = modifyOrder(order, change)
  // If the order was already in Modifying, leave the transition to the merchant, who usually started it.
  if (state === 'Modifying') return yield* modification
  yield* mutate(...transition(id, 'Modifying'))
  yield* orUndo(modification, mutation(...transition(id, state)))
  yield* leaveModifying(id, state)
}

/** @throws WriteRejection if the customer does not exist */
function* checkCustomer(customerId: string): Steps<void> {
  const { id } = yield* read('customer(id: ID!)', { id: customerId }, 'id')
  if (id === undefined)
    throw new WriteRejection('Vendure has no such customer', 'customer.customerId')
}

/** @throws WriteRejection if the order cannot change to the state */
function* checkState(id: string, state: string): Steps<void> {
  // A cancellation is a mutation of its own, not a transition (NOTES "setOrderCustomer and cancelOrder").
  if (state === 'Cancelled') return
  const nextStates = textsAt(yield* read('order(id: ID!)', { id }, 'nextStates'), 'nextStates')
  if (!nextStates.includes(state))
    throw new WriteRejection(
      `the order can only change to ${nextStates.join(', ') || 'no other state'}`,
      'orderStatus',
    )
}

/** Placed orders. There is no create, because placing an order requires a payment in the shop. */
export const orders = writableResource(mapping, {
  app: 'Vendure',
  pages: orderPages,
  readMany: ordersById,
  sync,
  remoteFields: { reserved: ['orderId', 'dryRun', 'state', 'customer'] },
  *update(body, { remoteId: id, raw }) {
    const { state: _, customer: __, ...change } = body
    const [state] = textsAt(body, 'state')
    const [customerId] = textsAt(body, 'customer.id')
    const isModified = Object.keys(change).length > 0
    // Check later steps before the first one, because a failure after it would leave the write partly done.
    if (customerId !== undefined && isModified) yield* checkCustomer(customerId)
    if (state !== undefined && (isModified || customerId !== undefined))
      yield* checkState(id, state)
    // Modify first, because its price check can fail; change the state last, because it cannot be undone.
    if (isModified) yield* modify(id, valuesOf(raw), change)
    if (customerId !== undefined) yield* write('setOrderCustomer', { orderId: id, customerId })
    // A cancellation includes the shipping charge but refunds nothing (NOTES "a cancelled order").
    if (state === 'Cancelled')
      yield* write('cancelOrder', { orderId: id, cancelShipping: true }, OR_STATE)
    else if (state !== undefined) yield* mutate(...transition(id, state))
  },
  // Cancelled, changed and new lines of an order change the stock of their products.
  sideEffects: recordsAt({ 'commerce/products': 'lines.productVariant.productId' }),
})
