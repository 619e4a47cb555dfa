/** What a shipment holds: lines of its order, which the sandbox describes as the order does. */
import { isAbsent, type Json, type Steps, WriteRefusal } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import { convert, type Draft, type Given, money, objectsIn, same } from './conversion.ts'
import type { Rule } from './inverse.ts'
import { entriesOf } from './nested.ts'

/** What a line says that must be as the order has it. */
const described = {
  productId: { name: 'product', by: same },
  variantId: { name: 'variant', by: same },
  title: { name: 'name', by: same },
  sku: { name: 'sku', by: same },
  price: { name: 'unit_price', by: money },
} as const

function* itemsOfOrder({ given, stored }: Draft): Steps<readonly Given[]> {
  const id = given.orderId ?? stored?.order
  if (typeof id !== 'string') throw new WriteRefusal('Lines are of an order: name it.', 'orderId')
  try {
    const path = `/v1/orders/${encodeURIComponent(id)}`
    const { body } = yield { method: 'GET', path }
    return isObject(body) ? objectsIn(body.items) : []
  } catch (error) {
    // Not the shipment is absent.
    if (isAbsent(error)) throw new WriteRefusal('The sandbox has no such order.', 'orderId')
    throw error
  }
}

/** The line of the order that is meant: by its id, or by its variant, then each line once. */
const findItem = (
  entry: Given,
  ordered: readonly Given[],
  left: Set<Given>,
  place: string,
): Given => {
  const { lineItemId = null, variantId = null } = entry
  if (lineItemId === null && variantId === null)
    throw new WriteRefusal(
      'A line of the order is named by this or by variantId.',
      `${place}.lineItemId`,
    )
  const item =
    lineItemId === null
      ? [...left].find(({ variant }) => variant === variantId)
      : ordered.find(({ id }) => id === lineItemId)
  if (!item) {
    const name = lineItemId === null ? 'variantId' : 'lineItemId'
    throw new WriteRefusal('The order has no such line.', `${place}.${name}`)
  }
  left.delete(item)
  return item
}

/** The rule of a shipment's lines. */
export const shippedItems: Rule = {
  to: ['items'],
  *ask(value, path, draft) {
    if (value === null) return draft.put('items', [], path)
    const ordered = yield* itemsOfOrder(draft)
    const left = new Set(ordered)
    const items = entriesOf(value, path).map(({ entry, place }): Json => {
      const item = findItem(entry, ordered, left, place)
      for (const [name, { name: own, by }] of Object.entries(described)) {
        const { [name]: said } = entry
        if (said === undefined) continue
        if (convert(by, said, `${place}.${name}`, draft) !== item[own])
          throw new WriteRefusal('The line of the order says otherwise.', `${place}.${name}`)
      }
      return {
        order_item: item.id ?? null,
        ...(entry.quantity !== undefined && { quantity: entry.quantity }),
      }
    })
    draft.put('items', items, path)
  },
}
