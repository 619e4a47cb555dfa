/** The shop at the start: its goods, its buyers, and three months of orders. */
import { slug } from '../invent/contacts.ts'
import {
  assortment,
  inventOrder,
  inventProduct,
  inventShipment,
  inventShopper,
} from '../invent/shop.ts'
import type { Stored } from '../kinds/kinds.ts'
import { shippingStateOf } from '../shipping.ts'
import { titleOf } from './books.ts'
import { type Draft, spread } from './draft.ts'

/** Ships an order whole, in two parcels, or only its first item. */
const ship = (draft: Draft, order: Stored<'orders'>, age: number): void => {
  const dice = draft.dice('shipments', order.id)
  const { items } = order.fields
  const way = dice.integer(1, 10)
  const first = way > 2 ? items : items.slice(0, 1)
  const rest = way === 2 ? items.slice(1) : []
  const shippedAt = draft.instant(age - dice.integer(1, 3))
  const shipments = [first, rest].flatMap((part) =>
    part.length === 0
      ? []
      : [draft.put('shipments', inventShipment(dice, order, part, shippedAt), shippedAt)],
  )
  const shipping_state = shippingStateOf(order.fields.items, shipments)
  const state = shipping_state === 'shipped' ? 'completed' : 'processing'
  draft.revise(order, { shipping_state, state }, shippedAt)
}

/** Needs nothing. */
export const draftShop = (draft: Draft): void => {
  const shop = `https://shop.${slug(titleOf(draft.tenant))}.example`
  for (const [index, sold] of assortment.entries())
    draft.put(
      'products',
      inventProduct(draft.dice('products', index), sold, shop),
      draft.instant(500 - index * 12),
    )
  for (const [index, daysAgo] of spread(40, 400, 100).entries())
    draft.put('shoppers', inventShopper(draft.dice('shoppers', index)), draft.instant(daysAgo))
  for (const [index, age] of spread(50, 95, 1).entries()) {
    const dice = draft.dice('orders', index)
    const placedAt = draft.instant(age)
    const shopper = dice.pick(draft.all('shoppers'))
    const given = inventOrder(dice, shopper, draft.all('products'), placedAt)
    const isCancelled = dice.chance(6)
    const order = draft.put(
      'orders',
      isCancelled ? { ...given, state: 'cancelled', payment_state: 'refunded' } : given,
      placedAt,
    )
    if (!isCancelled && age > 5 && dice.chance(85)) ship(draft, order, age)
  }
}
