/** Fulfillments, which Vendure shows as parts of orders only. */
import { type Json, orUndo, WriteRejection } from '../../definition/connector.ts'
import { recordsAt, writableResource } from '../../definition/mapping/body-writer.ts'
import {
  atLeast,
  blankAsNull,
  createOnly,
  fixed,
  listOf,
  listOfOne,
  readOnly,
  required,
  states,
} from '../../definition/mapping/converters.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { fetchTraced, passes, readByIds } from '../../definition/paging/compose.ts'
import { partReader } from '../../definition/paging/parts.ts'
import { entriesOf, textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { mutate, mutation, OR_ERROR } from './graphql.ts'
import { type Collection, pagesOf, readManyOf, sync } from './listing.ts'
import { ordersById, PLACED, shippedOrders } from './order-listing.ts'
import { amount, type Shop } from './shop.ts'

/**
 * The fulfillments of an order; Vendure has no other list of them. Each gets the order's id, and each of its
 * lines gets the order line that it ships.
 */
const fulfillmentsOf = (order: Values, { moneyStrategyPrecision }: Shop): readonly Values[] => {
  const orderLines = new Map(entriesOf(order.lines).map((line) => [line.id, line]))
  return entriesOf(order.fulfillments).map((shipment) => ({
    ...shipment,
    orderId: order.id,
    lines: entriesOf(shipment.lines).map((line) => ({
      ...line,
      orderLine: orderLines.get(line.orderLineId) ?? null,
    })),
    moneyStrategyPrecision,
  }))
}

const line = {
  lineItemId: required('orderLineId'),
  productId: readOnly('orderLine.productVariant.productId'),
  variantId: readOnly('orderLine.productVariant.id'),
  title: readOnly('orderLine.productVariant.name'),
  sku: readOnly(blankAsNull('orderLine.productVariant.sku')),
  price: readOnly(amount('orderLine.unitPriceWithTax')),
  quantity: required(atLeast(1, 'quantity')),
}

/** What a caller can do about a field that never changes (NOTES "there is no updateFulfillment"). */
const CANCEL =
  "Vendure cannot change this field of an existing fulfillment; cancel this one (remoteFields.state: 'Cancelled') and create another"

/** The mapping of fulfillments. Vendure's own state (`Pending`, `Shipped`, …) is `remoteFields.state`. */
const mapping = defineMapping(fulfillment, {
  remoteId: 'id',
  orderId: createOnly('orderId'),
  shipmentState: states('state', {
    Created: 'PENDING',
    Pending: 'PENDING',
    Shipped: 'SHIPPED',
    Delivered: 'DELIVERED',
    Cancelled: 'CANCELLED',
  }),
  // Free text of the merchant, usually the carrier's name.
  carrier: fixed(blankAsNull('method'), CANCEL),
  service: null, // Vendure has none
  trackingNumbers: fixed(listOfOne('trackingCode', 'tracking number'), CANCEL),
  trackingUrls: null, // Vendure has none
  lineItems: fixed(required(listOf('lines', line)), CANCEL),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // A cancelled fulfillment stays listed as `Cancelled` (NOTES "deletions leave no trace").
})

const placed = { list: 'orders', filter: PLACED, take: 500 } as const

const collection: Collection = {
  ...placed,
  fields: `
    id
    fulfillments { id createdAt updatedAt state method trackingCode lines { orderLineId quantity } }
    lines { id unitPriceWithTax productVariant { id productId sku name } }`,
  recordsOf: fulfillmentsOf,
}

const fulfillmentsOfOrders = readManyOf(collection)

const OR_SHIPMENT = `... on Fulfillment { id state } ${OR_ERROR}
  ... on FulfillmentStateTransitionError { transitionError }`

/** The arguments of `mutate` for a change of state. */
const transition = (id: string, state: string) =>
  ['transitionFulfillmentToState(id: ID!, state: String!)', { id, state }, OR_SHIPMENT] as const

/** The fulfillments, which have no query of their own: without a stored copy, all orders are searched, newest first. */
const shipments = partReader({
  readMany: fulfillmentsOfOrders,
  parentId: 'orderId',
  search: pagesOf({ ...placed, fields: 'id fulfillments { id }' }, {}, 'DESC'),
  partIds: 'fulfillments.id',
})

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
export const fulfillments = writableResource(mapping, {
  app: 'Vendure',
  // Vendure has no other change of a fulfillment that the mapping uses.
  pages: passes(({ since }) => ({
    changed:
      since === undefined
        ? pagesOf(collection)
        : fetchTraced(shippedOrders(since), 'id', fulfillmentsOfOrders),
  })),
  sync,
  remoteFields: { accepted: { state: 'string', handler: 'json' } },
  get: shipments.get,
  *create(body, { context }) {
    const orderId = String(body.orderId)
    const lines = body.lines ?? []
    const [state] = textsAt(body, 'state')
    const handler = handlerOf(body)
    const [order] = yield* readByIds(ordersById, [orderId], context)
    if (order === undefined) throw new WriteRejection('Vendure has no such order', 'orderId')
    checkLines(lines, order)
    const created = yield* mutate(
      'addFulfillmentToOrder(input: FulfillOrderInput!)',
      { input: { lines, handler } },
      `${OR_SHIPMENT} ... on CreateFulfillmentError { fulfillmentHandlerError }`,
    )
    const id = String(created.id)
    if (state !== undefined && state !== created.state)
      // Otherwise a retry would create a second fulfillment.
      yield* orUndo(mutate(...transition(id, state)), mutation(...transition(id, 'Cancelled')))
    return yield* shipments.read(orderId, id, context)
  },
  *update({ handler, ...body }, { remoteId: id, raw }) {
    if (handler !== undefined) throw new WriteRejection(CANCEL, 'remoteFields.handler')
    const [state] = textsAt(body, 'state')
    if (state !== undefined && state !== valuesOf(raw).state)
      yield* mutate(...transition(id, state))
  },
  // A fulfillment changes the state of its order and the stock of its products (NOTES "an order's state follows its
  // fulfillments").
  sideEffects: recordsAt({
    'commerce/orders': 'orderId',
    'commerce/products': 'lines.orderLine.productVariant.productId',
  }),
})
