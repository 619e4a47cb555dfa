/** What is shipped of an order: the lines of its shipments, its fulfillment status, and the lines it must keep. */
import { FieldError } from './errors.ts'
import type { FieldsOf, SandboxRecord } from './kinds/kinds.ts'

type OrderedLine = FieldsOf<'orders'>['lineItems'][number]
type Shipment = SandboxRecord<'shipments'>

/** Shipped quantity by line of the order. */
const countShipped = (shipments: readonly Shipment[]): ReadonlyMap<string | null, number> => {
  const shipped = new Map<string | null, number>()
  for (const { lineItemId, quantity } of shipments.flatMap(({ fields }) => fields.lineItems))
    shipped.set(lineItemId, (shipped.get(lineItemId) ?? 0) + quantity)
  return shipped
}

/**
 * Checks that a change of an order keeps its shipped lines. Lines that were already missing or shipped in
 * excess are ignored.
 * @throws FieldError that names the line
 */
export const checkShippedLines = (
  before: readonly OrderedLine[],
  after: readonly OrderedLine[],
  shipments: readonly Shipment[],
): void => {
  const shipped = countShipped(shipments)
  for (const { id, title, quantity } of before) {
    const shippedQuantity = Math.min(shipped.get(id) ?? 0, quantity)
    const index = after.findIndex((line) => line.id === id)
    if ((after[index]?.quantity ?? 0) >= shippedQuantity) continue
    throw new FieldError(
      'shipped',
      index === -1 ? 'lineItems' : `lineItems.${index}.quantity`,
      `${shippedQuantity} of the line ${id} (${title}) are shipped. Keep at least this quantity, or change the fulfillment first.`,
    )
  }
}

/** The lines of an order that are not shipped yet, with the remaining quantities. */
export const unshippedLines = (
  lines: readonly OrderedLine[],
  shipments: readonly Shipment[],
): readonly OrderedLine[] => {
  const shipped = countShipped(shipments)
  return lines
    .map((line) => ({ ...line, quantity: line.quantity - (shipped.get(line.id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
}

/** Derives the fulfillment status of an order from its shipments. */
export const fulfillmentStatusOf = (
  lines: readonly OrderedLine[],
  shipments: readonly Shipment[],
): 'none' | 'partial' | 'shipped' => {
  if (shipments.every(({ fields }) => fields.lineItems.length === 0)) return 'none'
  return unshippedLines(lines, shipments).length === 0 ? 'shipped' : 'partial'
}
