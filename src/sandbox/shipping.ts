/** How much of an order is on its way. */

interface Counted {
  readonly quantity: number
}

/** Of the items ordered and all shipments of them. */
export const shippingStateOf = (
  items: readonly (Counted & { readonly id: string })[],
  shipments: readonly {
    readonly fields: { readonly items: readonly (Counted & { readonly order_item: string })[] }
  }[],
): 'none' | 'partial' | 'shipped' => {
  const shipped = new Map<string, number>()
  for (const { order_item, quantity } of shipments.flatMap(({ fields }) => fields.items))
    shipped.set(order_item, (shipped.get(order_item) ?? 0) + quantity)
  if (shipped.size === 0) return 'none'
  return items.every(({ id, quantity }) => (shipped.get(id) ?? 0) >= quantity)
    ? 'shipped'
    : 'partial'
}
