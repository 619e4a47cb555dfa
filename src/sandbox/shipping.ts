/** What is shipped of an order: the lines of its shipments, its fulfillment status, and the lines it must keep. */
import { FieldError } from './errors.ts'
import type { SandboxFields } from './kinds/kind.ts'

interface Counted {
  readonly quantity: number
}

interface OrderedLine extends Counted {
  readonly id: string
  readonly title: string
}

interface ShippedLine extends Counted {
  readonly lineItemId: string | null
}

interface Shipment {
  readonly fields: { readonly lineItems: readonly ShippedLine[] }
}

const DESCRIBED = ['productId', 'variantId', 'title', 'sku', 'price'] as const

type DescribedLine = ShippedLine & { readonly [Name in (typeof DESCRIBED)[number]]: string | null }

/**
 * Describes the lines of a shipment as its order does. A line names the order's line by its id, or by its
 * variant, which each of the order's lines matches once. `shipped` are the lines of the stored shipment.
 * @throws FieldError
 */
export const describeShippedLines = (
  lines: readonly DescribedLine[],
  ordered: readonly SandboxFields[],
  shipped: readonly SandboxFields[],
) => {
  const asShipped = ordered.map(({ id, ...line }): SandboxFields => ({ ...line, lineItemId: id }))
  const lost = shipped.filter(({ lineItemId }) => !ordered.some(({ id }) => id === lineItemId))
  const known = [...asShipped, ...lost]
  const unmatched = new Set(known)
  return lines.map((line, index) => {
    const fail = (reason: string, name: string, explanation: string) => {
      throw new FieldError(reason, `lineItems.${index}.${name}`, explanation)
    }
    const { lineItemId, variantId, quantity } = line
    if (lineItemId === null && variantId === null)
      return fail('required', 'lineItemId', 'Pass lineItemId or variantId to name an order line.')
    const source =
      lineItemId === null
        ? [...unmatched].find((each) => each.variantId === variantId)
        : known.find((each) => each.lineItemId === lineItemId)
    if (!source)
      return fail(
        'no_such_record',
        lineItemId === null ? 'variantId' : 'lineItemId',
        'The order has no such line.',
      )
    unmatched.delete(source)
    const stored = shipped.find((each) => each.lineItemId === source.lineItemId)
    for (const name of DESCRIBED)
      if (line[name] !== null && ![source[name], stored?.[name]].includes(line[name]))
        fail('invalid', name, 'This differs from the line of the order.')
    // Safe cast: the order and the stored shipment have validated their lines.
    const described = Object.fromEntries(DESCRIBED.map((name) => [name, source[name] ?? null]))
    return { ...described, lineItemId: source.lineItemId, quantity } as DescribedLine
  })
}

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
export const unshippedLines = <L extends Counted & { readonly id: string }>(
  lines: readonly L[],
  shipments: readonly Shipment[],
): readonly L[] => {
  const shipped = countShipped(shipments)
  return lines
    .map((line) => ({ ...line, quantity: line.quantity - (shipped.get(line.id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
}

/** Derives the fulfillment status of an order from its shipments. */
export const fulfillmentStatusOf = (
  lines: readonly (Counted & { readonly id: string })[],
  shipments: readonly Shipment[],
): 'none' | 'partial' | 'shipped' => {
  if (shipments.every(({ fields }) => fields.lineItems.length === 0)) return 'none'
  return unshippedLines(lines, shipments).length === 0 ? 'shipped' : 'partial'
}
