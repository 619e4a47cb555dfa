/** What is shipped of an order: the lines of its shipments, its fulfillment status, and the lines it must keep. */
import { sum } from './amounts.ts'
import { FieldError } from './errors.ts'

interface OrderedLine {
  readonly id: string
  readonly title: string
  readonly quantity: number
}

/** A line of a shipment. */
export interface ShippedLine {
  /** The line of the order. */
  readonly lineItemId: string | null
  readonly quantity: number
}

/** The shipped quantity of a line of the order. */
const shippedOf = ({ id }: OrderedLine, shipped: readonly ShippedLine[]): number =>
  sum(shipped.map(({ lineItemId, quantity }) => (lineItemId === id ? quantity : 0)))

/**
 * Checks that a change of an order keeps its shipped lines. Lines that were already missing or shipped in
 * excess are ignored.
 * @throws FieldError that names the line
 */
export const checkShippedLines = (
  before: readonly OrderedLine[],
  after: readonly OrderedLine[],
  shipped: readonly ShippedLine[],
): void => {
  for (const line of before) {
    const { id, title, quantity } = line
    const shippedQuantity = Math.min(shippedOf(line, shipped), quantity)
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
export const unshippedLines = <L extends OrderedLine>(
  lines: readonly L[],
  shipped: readonly ShippedLine[],
): readonly L[] =>
  lines
    .map((line) => ({ ...line, quantity: line.quantity - shippedOf(line, shipped) }))
    .filter(({ quantity }) => quantity > 0)

/** Derives the fulfillment status of an order from the lines of its shipments. */
export const fulfillmentStatusOf = (
  lines: readonly OrderedLine[],
  shipped: readonly ShippedLine[],
): 'none' | 'partial' | 'shipped' => {
  if (shipped.length === 0) return 'none'
  return unshippedLines(lines, shipped).length === 0 ? 'shipped' : 'partial'
}
