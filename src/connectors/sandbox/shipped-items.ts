/** The lines of a shipment. They reference lines of the order, which describe the goods. */
import { isAbsent, type Json, type Steps, WriteRejection } from '../../definition/connector.ts'
import { listOf } from '../../definition/mapping/converters.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { Converter, ConverterContext, JsonObject } from '../../definition/mapping/rule.ts'
import { entriesAt, writeValue } from '../../definition/mapping/write.ts'
import { isObject } from '../../definition/value.ts'
import { money } from './formats.ts'

/** Fields of a line that must equal those of the order's line. */
const described = {
  productId: { from: 'product' },
  variantId: { from: 'variant' },
  title: { from: 'name' },
  sku: { from: 'sku' },
  price: money('unit_price'),
} as const

/** The lines of an order; undefined if the order does not exist. */
function* readOrderItems(id: string): Steps<readonly JsonObject[] | undefined> {
  try {
    const path = `/v1/orders/${encodeURIComponent(id)}`
    const { body } = yield { method: 'GET', path }
    return isObject(body) ? objectsIn(body.items) : []
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** The lines that the shipment may reference: those of its order, and those it has that the order lost. */
function* itemsOfOrder({ input, stored }: ConverterContext): Steps<readonly JsonObject[]> {
  const id = input.orderId ?? stored?.order
  if (typeof id !== 'string')
    throw new WriteRejection('Lines belong to an order. Pass its id.', 'orderId')
  const ordered = yield* readOrderItems(id)
  const shipped = objectsIn(stored?.items).map(
    ({ order_item = null, ...item }): JsonObject => ({ ...item, id: order_item }),
  )
  if (!ordered && shipped.length === 0)
    throw new WriteRejection('This order does not exist in the sandbox.', 'orderId')
  const known = new Set(ordered?.map(({ id }) => id))
  return [...(ordered ?? []), ...shipped.filter(({ id }) => !known.has(id ?? null))]
}

/** Finds the order's line by its id, or by its variant; by variant, each line matches once. */
const findItem = (
  entry: JsonObject,
  ordered: readonly JsonObject[],
  unmatched: Set<JsonObject>,
  entryPath: string,
): JsonObject => {
  const { lineItemId = null, variantId = null } = entry
  if (lineItemId === null && variantId === null)
    throw new WriteRejection(
      'Pass lineItemId or variantId to name a line of the order.',
      `${entryPath}.lineItemId`,
    )
  const item =
    lineItemId === null
      ? [...unmatched].find(({ variant }) => variant === variantId)
      : ordered.find(({ id }) => id === lineItemId)
  if (!item) {
    const name = lineItemId === null ? 'variantId' : 'lineItemId'
    throw new WriteRejection('The order has no such line.', `${entryPath}.${name}`)
  }
  unmatched.delete(item)
  return item
}

/** The lines of a shipment. */
export const shippedItems: Converter = {
  ...listOf('items', { lineItemId: 'order_item', ...described, quantity: 'quantity' }),
  *apply(value, context) {
    const { path, put } = context
    if (value === null) return put('items', [], path)
    const ordered = yield* itemsOfOrder(context)
    const unmatched = new Set(ordered)
    const items = entriesAt(value, path).map(({ entry, entryPath }): Json => {
      const item = findItem(entry, ordered, unmatched, entryPath)
      for (const [name, converter] of Object.entries(described)) {
        const { [name]: value } = entry
        if (value === undefined) continue
        const at = { ...context, path: `${entryPath}.${name}` }
        if (writeValue(converter, undefined, value, at) !== item[converter.from])
          throw new WriteRejection('This differs from the line of the order.', at.path)
      }
      return {
        order_item: item.id ?? null,
        ...(entry.quantity !== undefined && { quantity: entry.quantity }),
      }
    })
    put('items', items, path)
  },
}
