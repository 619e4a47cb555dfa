import {
  type Json,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRefusal,
} from '../../definition/connector.ts'
import { act, OR_ERROR, query, rootFields, undo, valuesOf } from './graphql.ts'
import { readEntry, readWritten } from './listing.ts'
import { decimalText } from './money.ts'
import { orders, type RawOrder } from './order.ts'
import { addressChange, lineChanges } from './order-changes.ts'
import { withRemoteFields } from './remote-fields.ts'
import { touchedByOrder } from './touched.ts'

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

/** What `modifyOrder` is to do; undefined if nothing. */
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

/** @throws WriteRefusal if the change moves money and nobody has said how */
const checkPrice = (order: RawOrder, totalWithTax: number, input: Input): void => {
  const difference = totalWithTax - order.totalWithTax
  const amount = decimalText(Math.abs(difference), order.moneyStrategyPrecision)
  const costs = `the order would cost ${amount} ${order.currencyCode}`
  // An address may change the price too: by what the shop asks for shipping there.
  const field = input.adjustOrderLines || input.addItems ? 'lineItems' : undefined
  if (difference > 0)
    throw new WriteRefusal(`${costs} more, and only the merchant can take a payment`, field)
  if (difference < 0 && input.refunds === undefined)
    throw new WriteRefusal(
      `${costs} less: remoteFields.refunds must name the payment, [{ paymentId, amount }]`,
      field,
    )
}

const transition = (id: string, state: string) => act(TRANSITION, { id, state })

/** What an order is instead, once a line is gone or added: all of it is shipped now, or no longer. */
const reshaped: Readonly<Record<string, string>> = {
  PartiallyShipped: 'Shipped',
  Shipped: 'PartiallyShipped',
}

/** Takes a changed order out of Modifying. */
function* putBack({ id, state }: RawOrder): Steps<void> {
  const other = reshaped[state]
  try {
    yield* transition(id, state)
  } catch (error) {
    if (other === undefined) throw error
    yield* transition(id, other)
  }
}

/**
 * Changes what an order holds. Vendure lets that happen in the state Modifying alone, and out of it
 * only once the price is settled; so the change is tried first, and undone by going back (NOTES 34).
 */
function* modify(order: RawOrder, change: Input): Steps<void> {
  const input = { ...change, orderId: order.id }
  // Who has put the order there, the merchant as a rule, takes it out.
  const stays = order.state === 'Modifying'
  if (!stays) yield* transition(order.id, 'Modifying')
  try {
    const tried = yield* act(MODIFY, { input: { ...input, dryRun: true } })
    checkPrice(order, Number(tried.totalWithTax), change)
    yield* act(MODIFY, { input: { ...input, dryRun: false } })
  } catch (error) {
    if (!stays) yield* undo(TRANSITION, { id: order.id, state: order.state })
    throw error
  }
  if (!stays) yield* putBack(order)
}

/** The customer's id, if it is to be another. */
const customerChange = (given: Json | undefined, order: RawOrder): string | undefined => {
  if (given === undefined) return undefined
  // The engine has checked it: the object, or null.
  const { customerId } = (given ?? { customerId: null }) as { readonly customerId?: string | null }
  if (customerId === null)
    throw new WriteRefusal('an order of Vendure keeps a customer', 'customer.customerId')
  return customerId === order.customer?.id ? undefined : customerId
}

/** The state that it is to have, if it is another. */
const stateChange = (given: Json | undefined, order: RawOrder): string | undefined => {
  if (given === undefined || given === order.state) return undefined
  if (typeof given !== 'string')
    throw new WriteRefusal('an order of Vendure is always in some state', 'orderStatus')
  return given
}

/** What is to become of an order, in the order of its steps. */
interface Changes {
  readonly change: Input | undefined
  readonly customerId: string | undefined
  readonly state: string | undefined
}

/**
 * Asks beforehand what a later step is sure to meet: once an earlier one is done, its refusal comes too late.
 * @throws WriteRefusal
 */
function* checkLaterSteps(order: RawOrder, { change, customerId, state }: Changes): Steps<void> {
  if (customerId !== undefined && change) {
    const { customer } = rootFields(yield query(CUSTOMER, { id: customerId }))
    if (!customer) throw new WriteRefusal('Vendure has no such customer', 'customer.customerId')
  }
  // A cancellation is no transition (NOTES 39).
  if (state === undefined || state === 'Cancelled' || !(change || customerId !== undefined)) return
  const { nextStates } = valuesOf(rootFields(yield query(NEXT_STATES, { id: order.id })).order)
  if (Array.isArray(nextStates) && !nextStates.includes(state))
    throw new WriteRefusal(
      `from ${order.state}, an order goes to ${nextStates.join(', ') || 'no other state'}`,
      'orderStatus',
    )
}

/** The shipping charge goes with the lines; the money is given back apart (NOTES 20). */
const settle = (id: string, state: string) =>
  state === 'Cancelled'
    ? act(CANCEL, { input: { orderId: id, cancelShipping: true } })
    : transition(id, state)

/** Placed orders. To place one is to take a payment, which is the shop's: there is no create. */
export const orderWriter: ResourceWriter = {
  *get(remoteId) {
    const [record] = yield* readEntry(orders, remoteId)
    return record
  },
  update: {
    fields: [
      ...['orderStatus', 'lineItems.variantId', 'lineItems.quantity'],
      ...['billingAddress', 'shippingAddress', 'customer.customerId'],
    ],
    guard: 'compare',
    *steps(input, { remoteId: id }) {
      // The listing asks for every field of it.
      const order = (yield* readWritten(orders, id)) as unknown as RawOrder
      const customerId = customerChange(input.fields.customer, order)
      const change = modification(input, order)
      const state = stateChange(input.fields.orderStatus, order)
      yield* checkLaterSteps(order, { change, customerId, state })
      // What may be refused for its price comes before what is not undone: the state, at last.
      if (change) yield* modify(order, change)
      if (customerId !== undefined) yield* act(SET_CUSTOMER, { input: { orderId: id, customerId } })
      if (state !== undefined) yield* settle(id, state)
      return yield* readWritten(orders, id)
    },
  },
  touches: touchedByOrder,
}
