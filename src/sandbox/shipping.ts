/** Shipping state of an order, and the check that its shipped items stay. */
import { FieldError } from './errors.ts'

interface Counted {
  readonly quantity: number
}

interface OrderedItem extends Counted {
  readonly id: string
  readonly name: string
}

interface Shipment {
  readonly fields: { readonly items: readonly (Counted & { readonly order_item: string })[] }
}

/** Shipped quantity by order item. */
const countShipped = (shipments: readonly Shipment[]): ReadonlyMap<string, number> => {
  const shipped = new Map<string, number>()
  for (const { order_item, quantity } of shipments.flatMap(({ fields }) => fields.items))
    shipped.set(order_item, (shipped.get(order_item) ?? 0) + quantity)
  return shipped
}

/**
 * Checks that a change of an order keeps its shipped items. Items that were already missing or shipped in
 * excess are ignored.
 * @throws FieldError that names the item
 */
export const checkShippedItems = (
  before: readonly OrderedItem[],
  after: readonly OrderedItem[],
  shipments: readonly Shipment[],
): void => {
  const shipped = countShipped(shipments)
  for (const { id, name, quantity } of before) {
    const shippedQuantity = Math.min(shipped.get(id) ?? 0, quantity)
    const index = after.findIndex((item) => item.id === id)
    if ((after[index]?.quantity ?? 0) >= shippedQuantity) continue
    throw new FieldError(
      'shipped',
      index === -1 ? 'items' : `items.${index}.quantity`,
      `${shippedQuantity} of the line ${id} (${name}) are shipped. Keep at least this quantity, or change the fulfillment first.`,
    )
  }
}

/** Derives the shipping state of an order from its shipments. */
export const shippingStateOf = (
  items: readonly (Counted & { readonly id: string })[],
  shipments: readonly Shipment[],
): 'none' | 'partial' | 'shipped' => {
  const shipped = countShipped(shipments)
  if (shipped.size === 0) return 'none'
  return items.every(({ id, quantity }) => (shipped.get(id) ?? 0) >= quantity)
    ? 'shipped'
    : 'partial'
}
