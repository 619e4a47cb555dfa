import {
  type Json,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRejection,
} from '../../../definition/connector.ts'
import { writableFields } from '../../../definition/mapping/write.ts'
import { getBy } from '../../../definition/paging/compose.ts'
import { mutate, OR_ERROR, query, rootFields, undo, valuesOf } from '../graphql.ts'
import { readWritten } from '../listing.ts'
import { decimalText } from '../money.ts'
import { sideEffectsOfOrder } from '../side-effects.ts'
import { withRemoteFields } from '../write-input.ts'
import { mapping, orders, type RawOrder } from './order.ts'
import { addressChange, lineChanges } from './order-changes.ts'

const SET_CUSTOMER = `mutation ($input: SetOrderCustomerInput!) {
  setOrderCustomer(input: $input) { id } }`
const TRANSITION = `mutation ($id: ID!, $state: String!) {
  transitionOrderToState(id: $id, state: $state) {
    ... on Order { id } ${OR_ERROR} ... on OrderStateTransitionError { transitionError } } }`
const CANCEL = `mutation ($input: CancelOrderInput!) {
  cancelOrder(input: $input) {
    ... on Order { id } ${OR_ERROR} ... on OrderStateTransitionError { transitionError } } }`
const NEXT_STATES = 'query ($id: ID!) { order(id: $id) { nextStates } }'
const CUSTOMER = 'query ($id: ID!) { customer(id: $id) { id } }'
const MODIFY = `mutation ($input: ModifyOrderInput!) {
  modifyOrder(input: $input) { ... on Order { totalWithTax } ${OR_ERROR} } }`

type Input = { readonly [name: string]: Json }

/** The input of `modifyOrder`; undefined if nothing changes. */
const modification = ({ fields, remoteFields }: WriteInput, order: RawOrder): Input | undefined => {
  const shipping = addressChange(fields.shippingAddress, order.shippingAddress, 'shippingAddress')
  const billing = addressChange(fields.billingAddress, order.billingAddress, 'billingAddress')
  const change = withRemoteFields(
    {
      ...lineChanges(fields.lineItems, order),
      ...(shipping && { updateShippingAddress: shipping }),
      ...(billing && { updateBillingAddress: billing }),
    },
    remoteFields,
    ['orderId', 'dryRun'],
  )
  return Object.keys(change).length > 0 ? change : undefined
}

/** @throws WriteRejection if the change raises the price, or lowers it without `remoteFields.refunds` */
const checkPrice = (order: RawOrder, totalWithTax: number, input: Input): void => {
  const difference = totalWithTax - order.totalWithTax
  const amount = decimalText(Math.abs(difference), order.moneyStrategyPrecision)
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

const transition = (id: string, state: string) => mutate(TRANSITION, { id, state })

/** The alternative state after a change of lines: the order is now fully shipped, or no longer. */
const alternativeStates: Readonly<Record<string, string>> = {
  PartiallyShipped: 'Shipped',
  Shipped: 'PartiallyShipped',
}

/** Moves a modified order out of the state Modifying. */
function* leaveModifying({ id, state }: RawOrder): Steps<void> {
  const alternative = alternativeStates[state]
  try {
    yield* transition(id, state)
  } catch (error) {
    if (alternative === undefined) throw error
    yield* transition(id, alternative)
  }
}

/**
 * Modifies the lines and addresses of an order. Vendure allows it only in the state Modifying, which an order
 * with a higher price cannot leave without a payment. A dry run therefore checks the price first
 * (NOTES "an order is changed in the state Modifying").
 */
function* modify(order: RawOrder, change: Input): Steps<void> {
  const input = { ...change, orderId: order.id }
  // If the order was already in Modifying, leave the transition to the merchant, who usually started it.
  const stays = order.state === 'Modifying'
  if (!stays) yield* transition(order.id, 'Modifying')
  try {
    const preview = yield* mutate(MODIFY, { input: { ...input, dryRun: true } })
    checkPrice(order, Number(preview.totalWithTax), change)
    yield* mutate(MODIFY, { input: { ...input, dryRun: false } })
  } catch (error) {
    if (!stays) yield* undo(TRANSITION, { id: order.id, state: order.state })
    throw error
  }
  if (!stays) yield* leaveModifying(order)
}

/** The id of the new customer; undefined if the customer does not change. */
const customerChange = (input: Json | undefined, order: RawOrder): string | undefined => {
  if (input === undefined) return undefined
  // Safe: the engine has validated the object, or null.
  const { customerId } = (input ?? { customerId: null }) as { readonly customerId?: string | null }
  if (customerId === null)
    throw new WriteRejection(
      'Vendure cannot remove the customer of an order',
      'customer.customerId',
    )
  return customerId === order.customer?.id ? undefined : customerId
}

/** The new state; undefined if the state does not change. */
const stateChange = (input: Json | undefined, order: RawOrder): string | undefined => {
  if (input === undefined || input === order.state) return undefined
  if (typeof input !== 'string')
    throw new WriteRejection('Vendure cannot clear the state of an order', 'orderStatus')
  return input
}

/** The changes of an order, in the sequence in which they are made. */
interface Changes {
  readonly change: Input | undefined
  readonly customerId: string | undefined
  readonly state: string | undefined
}

/**
 * Checks later steps before the first one, because a failure after it would leave the write partly done.
 * @throws WriteRejection if the customer does not exist or the state cannot be reached
 */
function* checkLaterSteps(order: RawOrder, { change, customerId, state }: Changes): Steps<void> {
  if (customerId !== undefined && change) {
    const { customer } = rootFields(yield query(CUSTOMER, { id: customerId }))
    if (!customer) throw new WriteRejection('Vendure has no such customer', 'customer.customerId')
  }
  // A cancellation is a mutation of its own, not a transition (NOTES "setOrderCustomer and cancelOrder").
  if (state === undefined || state === 'Cancelled' || !(change || customerId !== undefined)) return
  const { nextStates } = valuesOf(rootFields(yield query(NEXT_STATES, { id: order.id })).order)
  if (Array.isArray(nextStates) && !nextStates.includes(state))
    throw new WriteRejection(
      `an order in state ${order.state} can only change to ${nextStates.join(', ') || 'no other state'}`,
      'orderStatus',
    )
}

/**
 * Changes the state. A cancellation includes the shipping charge but refunds nothing (NOTES "a cancelled
 * order").
 */
const changeState = (id: string, state: string) =>
  state === 'Cancelled'
    ? mutate(CANCEL, { input: { orderId: id, cancelShipping: true } })
    : transition(id, state)

/** The writer of placed orders. It has no create, because placing an order requires a payment in the shop. */
export const orderWriter: ResourceWriter = {
  get: getBy(orders.readMany),
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, { remoteId: id }) {
      // Safe: the listing selects every field of it.
      const order = (yield* readWritten(orders, id)) as unknown as RawOrder
      const customerId = customerChange(input.fields.customer, order)
      const change = modification(input, order)
      const state = stateChange(input.fields.orderStatus, order)
      yield* checkLaterSteps(order, { change, customerId, state })
      // Modify first, because its price check can fail; change the state last, because it cannot be undone.
      if (change) yield* modify(order, change)
      if (customerId !== undefined)
        yield* mutate(SET_CUSTOMER, { input: { orderId: id, customerId } })
      if (state !== undefined) yield* changeState(id, state)
      return yield* readWritten(orders, id)
    },
  },
  sideEffects: sideEffectsOfOrder,
}
