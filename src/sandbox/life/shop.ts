/** What happens in the shop. */
import { amount, cents } from '../amounts.ts'
import { inventOrder, inventShipment, inventShopper } from '../invent/shop.ts'
import type { FieldsOf, Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import { type Card, liveWhere, withOne } from './card.ts'

type Variants = FieldsOf<'products'>['variants']

const takeFromStock = async (workspace: Workspace, order: Stored<'orders'>): Promise<void> => {
  for (const { product: id, variant, quantity } of order.fields.items) {
    const product = await workspace.find('products', id)
    if (!product) continue
    const variants: Variants = product.fields.variants.map((entry) =>
      entry.id === variant ? { ...entry, stock: Math.max(0, entry.stock - quantity) } : entry,
    )
    await workspace.update(product, { variants })
  }
}

const placeOrder: Card = async (workspace, dice) => {
  const products = await workspace.live('products')
  const shoppers = await workspace.live('shoppers')
  if (!products.some(({ fields }) => fields.state === 'live')) return false
  const isNew = shoppers.length === 0 || dice.chance(30)
  const shopper = isNew
    ? await workspace.create('shoppers', inventShopper(dice))
    : dice.pick(shoppers)
  const given = inventOrder(dice, shopper, products, workspace.now)
  await takeFromStock(workspace, await workspace.create('orders', given))
  return true
}

const isWaiting = ({ state, shipping_state }: FieldsOf<'orders'>): boolean =>
  (state === 'placed' || state === 'processing') && shipping_state !== 'shipped'

/** Ships what is not shipped yet of one of the oldest orders, and closes it. */
const shipOrder: Card = async (workspace, dice) => {
  const orders = await liveWhere(workspace, 'orders', isWaiting)
  return withOne(dice, orders.slice(0, 5), async (order) => {
    const earlier = await liveWhere(workspace, 'shipments', (fields) => fields.order === order.id)
    const shippedOf = (item: string): number =>
      earlier
        .flatMap(({ fields }) => fields.items)
        .reduce((n, { order_item, quantity }) => n + (order_item === item ? quantity : 0), 0)
    const items = order.fields.items
      .map(({ id, quantity }) => ({ id, quantity: quantity - shippedOf(id) }))
      .filter(({ quantity }) => quantity > 0)
    await workspace.create('shipments', inventShipment(dice, order, items, workspace.now))
    const shipped = await workspace.find('orders', order.id)
    if (shipped) await workspace.update(shipped, { state: 'completed', payment_state: 'paid' })
  })
}

const cancelOrder: Card = async (workspace, dice) => {
  const orders = await liveWhere(workspace, 'orders', ({ state }) => state === 'placed')
  return withOne(dice, orders.slice(-5), (order) =>
    workspace.update(order, { state: 'cancelled', payment_state: 'refunded' }),
  )
}

const changeVariants =
  (workspace: Workspace, change: (variants: Variants) => Variants) =>
  (product: Stored<'products'>) =>
    workspace.update(product, { variants: change(product.fields.variants) })

const changePrice: Card = async (workspace, dice) => {
  const percent = dice.pick([90, 95, 105, 110])
  return withOne(
    dice,
    await workspace.live('products'),
    changeVariants(workspace, (variants) =>
      variants.map((entry) => ({ ...entry, price: amount((cents(entry.price) * percent) / 100) })),
    ),
  )
}

const fillShelf: Card = async (workspace, dice) => {
  const more = dice.integer(10, 60)
  return withOne(
    dice,
    await workspace.live('products'),
    changeVariants(workspace, (variants) =>
      // A shelf holds no more than a hundred: what is sold is not more than what is filled up.
      variants.map((entry) => ({ ...entry, stock: Math.min(100, entry.stock + more) })),
    ),
  )
}

/** The cards of the shop: what happens most often is in the deck twice. */
export const shopCards = {
  placeOrder,
  placeAnotherOrder: placeOrder,
  shipOrder,
  shipAnotherOrder: shipOrder,
  cancelOrder,
  changePrice,
  fillShelf,
}
