/** Initial shop records: products, shoppers and three months of orders. */
import { slug } from '../generators/contacts.ts'
import {
  assortment,
  generateOrder,
  generateProduct,
  generateShipment,
  generateShopper,
} from '../generators/shop.ts'
import type { Stored } from '../kinds/kinds.ts'
import { shippingStateOf } from '../shipping.ts'
import { titleOf } from './books.ts'
import { type DatasetDraft, spread } from './draft.ts'

/** Ships an order completely, in two shipments, or only its first item. */
const ship = (draft: DatasetDraft, order: Stored<'orders'>, age: number): void => {
  const random = draft.random('shipments', order.id)
  const { items } = order.fields
  const way = random.integer(1, 10)
  const first = way > 2 ? items : items.slice(0, 1)
  const rest = way === 2 ? items.slice(1) : []
  const shippedAt = draft.instant(age - random.integer(1, 3))
  const shipments = [first, rest].flatMap((part) =>
    part.length === 0
      ? []
      : [draft.put('shipments', generateShipment(random, order, part, shippedAt), shippedAt)],
  )
  const shipping_state = shippingStateOf(order.fields.items, shipments)
  const state = shipping_state === 'shipped' ? 'completed' : 'processing'
  draft.revise(order, { shipping_state, state }, shippedAt)
}

/** Adds the shop records. It depends on no other records. */
export const draftShop = (draft: DatasetDraft): void => {
  const shop = `https://shop.${slug(titleOf(draft.tenant))}.example`
  for (const [index, sold] of assortment.entries())
    draft.put(
      'products',
      generateProduct(draft.random('products', index), sold, shop),
      draft.instant(500 - index * 12),
    )
  for (const [index, daysAgo] of spread(40, 400, 100).entries())
    draft.put('shoppers', generateShopper(draft.random('shoppers', index)), draft.instant(daysAgo))
  for (const [index, age] of spread(50, 95, 1).entries()) {
    const random = draft.random('orders', index)
    const placedAt = draft.instant(age)
    const shopper = random.pick(draft.all('shoppers'))
    const input = generateOrder(random, shopper, draft.all('products'), placedAt)
    const isCancelled = random.chance(6)
    const order = draft.put(
      'orders',
      isCancelled ? { ...input, state: 'cancelled', payment_state: 'refunded' } : input,
      placedAt,
    )
    if (!isCancelled && age > 5 && random.chance(85)) ship(draft, order, age)
  }
}
