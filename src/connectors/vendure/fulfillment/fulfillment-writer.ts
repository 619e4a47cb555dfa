import { type Json, WriteRejection } from '../../../definition/connector.ts'
import { operation } from '../../../definition/graphql.ts'
import { bodyWriter } from '../../../definition/mapping/body-writer.ts'
import { changedFields } from '../../../definition/mapping/changed-fields.ts'
import type { JsonObject } from '../../../definition/mapping/rule.ts'
import { unifiedField } from '../../../definition/mapping/write.ts'
import { readByIds } from '../../../definition/paging/compose.ts'
import { partReader } from '../../../definition/paging/parts.ts'
import { entriesOf, textsAt, valuesOf } from '../../../definition/raw-values.ts'
import { recordsAt } from '../../../definition/side-effects.ts'
import { mutate, OR_ERROR, undo } from '../graphql.ts'
import { pagesOf, sync } from '../listing.ts'
import { ordersById, PLACED } from '../order/order.ts'
import { fulfillmentsOfOrders, mapping, pages } from './fulfillment.ts'

const OR_SHIPMENT = `... on Fulfillment { id state } ${OR_ERROR}
  ... on FulfillmentStateTransitionError { transitionError }`
const ADD = operation(
  'mutation',
  'addFulfillmentToOrder(input: FulfillOrderInput!)',
  `${OR_SHIPMENT} ... on CreateFulfillmentError { fulfillmentHandlerError }`,
)
const TRANSITION = operation(
  'mutation',
  'transitionFulfillmentToState(id: ID!, state: String!)',
  OR_SHIPMENT,
)

/** The fulfillments, which have no query of their own: without a stored copy, all orders are searched, newest first. */
const shipments = partReader({
  readMany: fulfillmentsOfOrders,
  parentId: 'orderId',
  search: pagesOf(
    { list: 'orders', fields: 'id fulfillments { id }', filter: PLACED, take: 500 },
    {},
    'DESC',
  ),
  partIds: 'fulfillments.id',
})

/** The requested state; undefined without one. @throws WriteRejection */
const stateOf = ({ state }: JsonObject): string | undefined => {
  if (state === undefined || typeof state === 'string') return state
  throw new WriteRejection('the state must be a string such as Shipped', 'remoteFields.state')
}

/** The fulfillment handler: `remoteFields.handler`, or the manual one with carrier and tracking number. */
const handlerOf = ({ handler, method, trackingCode }: JsonObject): Json => {
  if (handler === undefined)
    return {
      code: 'manual-fulfillment',
      arguments: [
        { name: 'method', value: method ?? '' },
        { name: 'trackingCode', value: trackingCode ?? '' },
      ],
    }
  if (!method && !trackingCode) return handler
  throw new WriteRejection(
    'set either the handler, or carrier and trackingNumbers',
    'remoteFields.handler',
  )
}

/** @throws WriteRejection if the order lacks a line. The mutation does not check it: it does not name the order. */
const checkLines = (shipped: unknown, order: unknown): void => {
  const known = textsAt(order, 'lines.id')
  const unknown = entriesOf(shipped).findIndex(
    ({ orderLineId }) => !known.includes(String(orderLineId)),
  )
  if (unknown >= 0)
    throw new WriteRejection(
      'the order has no such line; its remoteFields.lines has the ids of its lines',
      `lineItems[${unknown}].lineItemId`,
    )
}

/** Fulfillments. An update can change only the state (NOTES "there is no updateFulfillment"). */
export const fulfillments = {
  mapping,
  ...pages,
  sync,
  write: bodyWriter(mapping, {
    app: 'Vendure',
    remoteFields: { accepted: ['state', 'handler'] },
    get: shipments.get,
    *create(body, { context }) {
      const orderId = String(body.orderId)
      const lines = body.lines ?? []
      const state = stateOf(body)
      const handler = handlerOf(body)
      const [order] = yield* readByIds(ordersById, [orderId], context)
      if (order === undefined) throw new WriteRejection('Vendure has no such order', 'orderId')
      checkLines(lines, order)
      const created = yield* mutate(ADD, { input: { lines, handler } })
      const id = String(created.id)
      if (state !== undefined && state !== created.state)
        try {
          yield* mutate(TRANSITION, { id, state })
        } catch (error) {
          // Otherwise a retry would create a second fulfillment.
          yield* undo(TRANSITION, { id, state: 'Cancelled' })
          throw error
        }
      return yield* shipments.read(orderId, id, context)
    },
    *update(body, { remoteId: id, raw }, { context }) {
      const { orderId, state: present } = valuesOf(raw)
      const { state: _, ...fixed } = body
      const [changed] = Object.keys(changedFields(fixed, raw))
      if (changed !== undefined)
        throw new WriteRejection(
          "Vendure cannot change this field of an existing fulfillment; cancel this one (remoteFields.state: 'Cancelled') and create another",
          unifiedField(mapping, changed) ?? `remoteFields.${changed}`,
        )
      const state = stateOf(body)
      if (state !== undefined && state !== present) yield* mutate(TRANSITION, { id, state })
      return yield* shipments.read(String(orderId), id, context)
    },
    // A fulfillment changes the state of its order and the stock of its products (NOTES "an order's state follows its
    // fulfillments").
    sideEffects: recordsAt({
      'commerce/orders': 'orderId',
      'commerce/products': 'lines.orderLine.productVariant.productId',
    }),
  }),
}
