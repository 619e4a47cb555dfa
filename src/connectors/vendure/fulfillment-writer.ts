import { isDeepStrictEqual } from 'node:util'
import {
  type Json,
  type ResourceWriter,
  type Steps,
  type StoredRecord,
  type WriteInput,
  WriteRefusal,
} from '../../definition/connector.ts'
import { fulfillments, type RawFulfillment } from './fulfillment.ts'
import {
  act,
  entriesOf,
  OR_ERROR,
  query,
  rootFields,
  undo,
  type Values,
  valuesOf,
} from './graphql.ts'
import { readEntry } from './listing.ts'
import { orders } from './order.ts'
import { PLACED } from './order-passes.ts'
import { expectOnly } from './remote-fields.ts'
import { touchedByFulfillment } from './touched.ts'

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

const transition = (id: string, state: string) => act(TRANSITION, { id, state })

/** The order of a fulfillment, for which Vendure has no question: the newest orders first. */
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
  const shipments = yield* readEntry(fulfillments, orderId)
  return shipments.find((shipment) => shipment.id === id)
}

/** @throws Error if it is not there: it was just now */
function* readBack(id: unknown, orderId: string): Steps<Values> {
  const record = yield* readFulfillment(String(id), orderId)
  if (!record) throw new Error(`Order ${orderId} has no fulfillment ${String(id)} any more.`)
  return record
}

/** The order's id in Vendure, of a record that is stored here. */
const orderIdOf = (stored: StoredRecord | undefined): string | undefined => {
  const { orderId } = valuesOf(stored?.record.remoteFields)
  return typeof orderId === 'string' ? orderId : undefined
}

interface GivenLine {
  readonly lineItemId?: string | null
  readonly quantity?: number | null
}

/** The lines to ship. That they are of this order is for us to see: Vendure is not told the order. */
const linesOf = (given: Json | undefined, order: Values): readonly Json[] => {
  // The engine has checked it: a list of lines, or null.
  const lines = (given ?? []) as readonly GivenLine[]
  if (lines.length === 0) throw new WriteRefusal('it must say what is shipped', 'lineItems')
  const known = entriesOf(order.lines).map(({ id }) => id)
  return lines.map(({ lineItemId, quantity }, index) => {
    if (typeof lineItemId !== 'string' || !known.includes(lineItemId))
      throw new WriteRefusal(
        'no line of the order; their ids are in its remoteFields.lines',
        `lineItems.${index}.lineItemId`,
      )
    if (typeof quantity !== 'number' || quantity < 1)
      throw new WriteRefusal('a line needs a quantity of 1 or more', `lineItems.${index}.quantity`)
    return { orderLineId: lineItemId, quantity }
  })
}

/** Who sends it, and under which number; a shop with a handler of its own is told so by name. */
const handlerOf = ({ fields, remoteFields }: WriteInput): Json => {
  // The engine has checked them: a text and a list of texts, or null.
  const carrier = fields.carrier as string | null | undefined
  const numbers = (fields.trackingNumbers ?? []) as readonly string[]
  if (numbers.length > 1)
    throw new WriteRefusal('Vendure keeps one number a fulfillment', 'trackingNumbers')
  if (remoteFields.handler === undefined)
    return {
      code: 'manual-fulfillment',
      arguments: [
        { name: 'method', value: carrier ?? '' },
        { name: 'trackingCode', value: numbers[0] ?? '' },
      ],
    }
  if (carrier || numbers.length > 0)
    throw new WriteRefusal('it is set already', 'remoteFields.handler')
  return remoteFields.handler
}

const stateOf = ({ remoteFields }: WriteInput): string | undefined => {
  const { state } = remoteFields
  if (state === undefined || typeof state === 'string') return state
  throw new WriteRefusal('a state is a text', 'remoteFields.state')
}

/** @throws WriteRefusal if a field would change that Vendure fixes when the fulfillment is made */
const checkFixed = ({ fields }: WriteInput, { method, trackingCode, lines }: RawFulfillment) => {
  const given: Readonly<Record<string, unknown>> = {
    carrier: fields.carrier || null,
    trackingNumbers: fields.trackingNumbers ?? [],
    // The engine has checked it: a list of lines, or null.
    lineItems: ((fields.lineItems ?? []) as readonly GivenLine[]).map((line) => [
      ...[line.lineItemId, line.quantity],
    ]),
  }
  const fixed: Readonly<Record<string, unknown>> = {
    carrier: method || null,
    trackingNumbers: trackingCode ? [trackingCode] : [],
    lineItems: lines.map(({ orderLineId, quantity }) => [orderLineId, quantity]),
  }
  for (const field of Object.keys(fixed))
    if (fields[field] !== undefined && !isDeepStrictEqual(given[field], fixed[field]))
      throw new WriteRefusal(
        "Vendure fixes it when a fulfillment is made; cancel this one (remoteFields.state: 'Cancelled') and create another",
        field,
      )
}

/** Shipments of placed orders. What can be written of one that is there is its state (NOTES 33). */
export const fulfillmentWriter: ResourceWriter = {
  *get(remoteId, stored) {
    const orderId = orderIdOf(stored) ?? (yield* findOrder(remoteId))
    return orderId === undefined ? undefined : yield* readFulfillment(remoteId, orderId)
  },
  create: {
    fields: [
      ...['orderId', 'carrier', 'trackingNumbers', 'lineItems.lineItemId', 'lineItems.quantity'],
    ],
    *steps(input) {
      expectOnly(input.remoteFields, ['state', 'handler'])
      const orderId = String(input.fields.orderId)
      const state = stateOf(input)
      const handler = handlerOf(input)
      const [order] = yield* readEntry(orders, orderId)
      if (!order) throw new WriteRefusal('Vendure has no such order', 'orderId')
      const lines = linesOf(input.fields.lineItems, order)
      const made = yield* act(ADD, { input: { lines, handler } })
      const id = String(made.id)
      if (state !== undefined && state !== made.state)
        try {
          yield* transition(id, state)
        } catch (error) {
          // Left as it is, it would be made once more by a second try.
          yield* undo(TRANSITION, { id, state: 'Cancelled' })
          throw error
        }
      return yield* readBack(id, orderId)
    },
  },
  update: {
    fields: ['carrier', 'trackingNumbers', 'lineItems.lineItemId', 'lineItems.quantity'],
    guard: 'compare',
    *steps(input, stored) {
      const { remoteId: id } = stored
      expectOnly(input.remoteFields, ['state'])
      const orderId = orderIdOf(stored) ?? (yield* findOrder(id))
      if (orderId === undefined) throw new Error(`No order has the fulfillment ${id}.`)
      // The listing asks for every field of it.
      const raw = (yield* readBack(id, orderId)) as unknown as RawFulfillment
      checkFixed(input, raw)
      const state = stateOf(input)
      if (state !== undefined && state !== raw.state) yield* transition(id, state)
      return yield* readBack(id, orderId)
    },
  },
  touches: touchedByFulfillment,
}
