/** Fulfillment orders: what is still to be shipped of an order, by location (NOTES "fulfillment orders"). */
import { type Json, type Steps, WriteRejection } from '../../definition/connector.ts'
import { rootFields } from '../../definition/graphql.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { entriesOf, textsAt, type Values, valuesAt, valuesOf } from '../../definition/raw-values.ts'
import { query } from './graphql.ts'

/** A line of a fulfillment order with units that can be shipped. */
export interface OpenLine {
  readonly fulfillmentOrderId: string
  readonly id: string
  /** The id of the order line. */
  readonly lineItemId: string
  readonly left: number
}

const OPEN = `query ($id: ID!, $after: String) { order(id: $id) {
  fulfillmentOrders(first: 4, after: $after) {
    nodes { id status lineItems(first: 100) { nodes { id remainingQuantity lineItem { id } } } }
    pageInfo { hasNextPage endCursor } } } }`

const OPEN_STATUSES: readonly unknown[] = ['OPEN', 'IN_PROGRESS']

const linesOf = (fulfillmentOrder: Values): readonly OpenLine[] =>
  OPEN_STATUSES.includes(fulfillmentOrder.status)
    ? valuesAt(fulfillmentOrder, 'lineItems.nodes').flatMap((line) => {
        const [lineItemId = ''] = textsAt(line, 'lineItem.id')
        const { id, remainingQuantity } = valuesOf(line)
        const left = Number(remainingQuantity)
        const fulfillmentOrderId = String(fulfillmentOrder.id)
        return left > 0 ? [{ fulfillmentOrderId, id: String(id), lineItemId, left }] : []
      })
    : []

/** The lines of an order that can be shipped. @throws WriteRejection if the shop has no such order */
export function* openLines(orderId: string): Steps<readonly OpenLine[]> {
  const found: OpenLine[] = []
  for (let after: Json = null; ; ) {
    const { order } = rootFields(yield query(OPEN, { id: orderId, after }))
    if (!order) throw new WriteRejection('Shopify has no order with this id.', 'orderId')
    const { nodes, pageInfo } = valuesOf(valuesOf(order).fulfillmentOrders)
    found.push(...entriesOf(nodes).flatMap(linesOf))
    const { hasNextPage, endCursor } = valuesOf(pageInfo)
    if (hasNextPage !== true) return found
    after = String(endCursor)
  }
}

/**
 * Divides the lines of a fulfillment among fulfillment orders.
 * @param lines the lines of a request body: `{ lineItem: { id }, quantity }`
 * @throws WriteRejection if fewer units are left
 */
export const shipmentsOf = (lines: unknown, open: readonly OpenLine[]): readonly Json[] => {
  const left = new Map(open.map((line) => [line, line.left]))
  const taken = entriesOf(lines).flatMap((line, index) => {
    const [lineItemId] = textsAt(line, 'lineItem.id')
    let missing = Number(line.quantity)
    const parts = open
      .filter((candidate) => candidate.lineItemId === lineItemId)
      .flatMap((candidate) => {
        const quantity = Math.min(missing, left.get(candidate) ?? 0)
        missing -= quantity
        left.set(candidate, (left.get(candidate) ?? 0) - quantity)
        return quantity > 0 ? [{ line: candidate, quantity }] : []
      })
    if (missing > 0)
      throw new WriteRejection(
        `At most ${Number(line.quantity) - missing} of this line can still be shipped.`,
        `lineItems[${index}].quantity`,
      )
    return parts
  })
  const byOrder = Map.groupBy(taken, ({ line }) => line.fulfillmentOrderId)
  return [...byOrder].map(
    ([fulfillmentOrderId, parts]): JsonObject => ({
      fulfillmentOrderId,
      fulfillmentOrderLineItems: parts.map(({ line: { id }, quantity }) => ({ id, quantity })),
    }),
  )
}
