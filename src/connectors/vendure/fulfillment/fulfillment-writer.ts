import { isDeepStrictEqual } from 'node:util'
import {
  type Json,
  type ResourceWriter,
  type Steps,
  type StoredRecord,
  type WriteInput,
  WriteRejection,
} from '../../../definition/connector.ts'
import { writableFields } from '../../../definition/mapping/write.ts'
import { readByIds } from '../../../definition/paging/compose.ts'
import {
  entriesOf,
  mutate,
  OR_ERROR,
  query,
  rootFields,
  undo,
  type Values,
  valuesOf,
} from '../graphql.ts'
import { orders } from '../order/order.ts'
import { PLACED } from '../order/order-passes.ts'
import { sideEffectsOfFulfillment } from '../side-effects.ts'
import { expectOnly } from '../write-input.ts'
import { fulfillmentsOfOrders, mapping, type RawFulfillment } from './fulfillment.ts'

const TRANSITION_ERROR = '... on FulfillmentStateTransitionError { transitionError }'
const ADD = `mutation ($input: FulfillOrderInput!) {
  addFulfillmentToOrder(input: $input) {
    ... on Fulfillment { id state } ${OR_ERROR} ${TRANSITION_ERROR}
    ... on CreateFulfillmentError { fulfillmentHandlerError } } }`
const TRANSITION = `mutation ($id: ID!, $state: String!) {
  transitionFulfillmentToState(id: $id, state: $state) {
    ... on Fulfillment { id } ${OR_ERROR} ${TRANSITION_ERROR} } }`
const ORDERS = `query ($options: OrderListOptions) {
  orders(options: $options) { totalItems items { id fulfillments { id } } } }`
const ORDERS_A_PAGE = 500

const transition = (id: string, state: string) => mutate(TRANSITION, { id, state })

/** The id of a fulfillment's order. Vendure has no query for it, so this searches all orders, newest first. */
function* findOrder(id: string): Steps<string | undefined> {
  for (let skip = 0; ; skip += ORDERS_A_PAGE) {
    const options = { filter: PLACED, sort: { id: 'DESC' }, skip, take: ORDERS_A_PAGE }
    const { items, totalItems } = valuesOf(rootFields(yield query(ORDERS, { options })).orders)
    const found = entriesOf(items).find((order) =>
      entriesOf(order.fulfillments).some((shipment) => shipment.id === id),
    )
    if (found) return String(found.id)
    if (skip + ORDERS_A_PAGE >= Number(totalItems)) return undefined
  }
}

function* readFulfillment(id: string, orderId: string): Steps<Values | undefined> {
  const shipments = entriesOf(yield* readByIds(fulfillmentsOfOrders, [orderId]))
  return shipments.find((shipment) => shipment.id === id)
}

/** @throws Error if the order no longer has the fulfillment */
function* readBack(id: unknown, orderId: string): Steps<Values> {
  const record = yield* readFulfillment(String(id), orderId)
  if (!record) throw new Error(`Order ${orderId} no longer has the fulfillment ${String(id)}.`)
  return record
}

/** Vendure's id of the order, from the stored copy of the fulfillment. */
const orderIdOf = (stored: StoredRecord | undefined): string | undefined => {
  const { orderId } = valuesOf(stored?.record.remoteFields)
  return typeof orderId === 'string' ? orderId : undefined
}

interface InputLine {
  readonly lineItemId?: string | null
  readonly quantity?: number | null
}

/**
 * The lines to ship. This checks that they belong to the order, because the mutation does not name the
 * order.
 */
const linesOf = (input: Json | undefined, order: Values): readonly Json[] => {
  // Safe: the engine has validated a list of lines, or null.
  const lines = (input ?? []) as readonly InputLine[]
  if (lines.length === 0)
    throw new WriteRejection('a fulfillment needs at least one line item', 'lineItems')
  const known = entriesOf(order.lines).map(({ id }) => id)
  return lines.map(({ lineItemId, quantity }, index) => {
    if (typeof lineItemId !== 'string' || !known.includes(lineItemId))
      throw new WriteRejection(
        'the order has no such line; its remoteFields.lines has the ids of its lines',
        `lineItems.${index}.lineItemId`,
      )
    if (typeof quantity !== 'number' || quantity < 1)
      throw new WriteRejection('the quantity must be 1 or more', `lineItems.${index}.quantity`)
    return { orderLineId: lineItemId, quantity }
  })
}

/** The fulfillment handler: `remoteFields.handler`, or the manual one with carrier and tracking number. */
const handlerOf = ({ fields, remoteFields }: WriteInput): Json => {
  // Safe: the engine has validated a string and a list of strings, or null.
  const carrier = fields.carrier as string | null | undefined
  const numbers = (fields.trackingNumbers ?? []) as readonly string[]
  if (numbers.length > 1)
    throw new WriteRejection(
      'Vendure stores one tracking number per fulfillment',
      'trackingNumbers',
    )
  if (remoteFields.handler === undefined)
    return {
      code: 'manual-fulfillment',
      arguments: [
        { name: 'method', value: carrier ?? '' },
        { name: 'trackingCode', value: numbers[0] ?? '' },
      ],
    }
  if (carrier || numbers.length > 0)
    throw new WriteRejection(
      'set either the handler, or carrier and trackingNumbers',
      'remoteFields.handler',
    )
  return remoteFields.handler
}

const stateOf = ({ remoteFields }: WriteInput): string | undefined => {
  const { state } = remoteFields
  if (state === undefined || typeof state === 'string') return state
  throw new WriteRejection('the state must be a string such as Shipped', 'remoteFields.state')
}

/** @throws WriteRejection if the input changes a field that cannot change after creation */
const checkFixed = ({ fields }: WriteInput, { method, trackingCode, lines }: RawFulfillment) => {
  const requested: Readonly<Record<string, unknown>> = {
    carrier: fields.carrier || null,
    trackingNumbers: fields.trackingNumbers ?? [],
    // Safe: the engine has validated a list of lines, or null.
    lineItems: ((fields.lineItems ?? []) as readonly InputLine[]).map(
      ({ lineItemId, quantity }) => [lineItemId, quantity],
    ),
  }
  const fixed: Readonly<Record<string, unknown>> = {
    carrier: method || null,
    trackingNumbers: trackingCode ? [trackingCode] : [],
    lineItems: lines.map(({ orderLineId, quantity }) => [orderLineId, quantity]),
  }
  for (const field of Object.keys(fixed))
    if (fields[field] !== undefined && !isDeepStrictEqual(requested[field], fixed[field]))
      throw new WriteRejection(
        "Vendure cannot change this field of an existing fulfillment; cancel this one (remoteFields.state: 'Cancelled') and create another",
        field,
      )
}

/** The writer of fulfillments. An update can change only the state (NOTES "there is no updateFulfillment"). */
export const fulfillmentWriter: ResourceWriter = {
  *get(remoteId, stored) {
    const orderId = orderIdOf(stored) ?? (yield* findOrder(remoteId))
    return orderId === undefined ? undefined : yield* readFulfillment(remoteId, orderId)
  },
  create: {
    fields: writableFields(mapping, 'create'),
    *steps(input) {
      expectOnly(input.remoteFields, ['state', 'handler'])
      const orderId = String(input.fields.orderId)
      const state = stateOf(input)
      const handler = handlerOf(input)
      const [order] = entriesOf(yield* readByIds(orders.readMany, [orderId]))
      if (!order) throw new WriteRejection('Vendure has no such order', 'orderId')
      const lines = linesOf(input.fields.lineItems, order)
      const created = yield* mutate(ADD, { input: { lines, handler } })
      const id = String(created.id)
      if (state !== undefined && state !== created.state)
        try {
          yield* transition(id, state)
        } catch (error) {
          // Otherwise a retry would create a second fulfillment.
          yield* undo(TRANSITION, { id, state: 'Cancelled' })
          throw error
        }
      return yield* readBack(id, orderId)
    },
  },
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, stored) {
      const { remoteId: id } = stored
      expectOnly(input.remoteFields, ['state'])
      const orderId = orderIdOf(stored) ?? (yield* findOrder(id))
      if (orderId === undefined) throw new Error(`No order has the fulfillment ${id}.`)
      // Safe: the listing selects every field of it.
      const raw = (yield* readBack(id, orderId)) as unknown as RawFulfillment
      checkFixed(input, raw)
      const state = stateOf(input)
      if (state !== undefined && state !== raw.state) yield* transition(id, state)
      return yield* readBack(id, orderId)
    },
  },
  sideEffects: sideEffectsOfFulfillment,
}
