/** Simulated events of the shop. */
import { amount, shareOf, units } from '../amounts.ts'
import { generateOrder, generateShipment, generateShopper } from '../generators/shop.ts'
import type { FieldsOf, Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import { liveWhere, type SimulatedEvent, withOne } from './event.ts'

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

const placeOrder: SimulatedEvent = async (workspace, random) => {
  const products = await workspace.live('products')
  const shoppers = await workspace.live('shoppers')
  if (!products.some(({ fields }) => fields.state === 'live')) return false
  const isNew = shoppers.length === 0 || random.chance(30)
  const shopper = isNew
    ? await workspace.create('shoppers', generateShopper(random))
    : random.pick(shoppers)
  const input = generateOrder(random, shopper, products, workspace.now)
  await takeFromStock(workspace, await workspace.create('orders', input))
  return true
}

const isWaiting = ({ state, shipping_state }: FieldsOf<'orders'>): boolean =>
  (state === 'placed' || state === 'processing') && shipping_state !== 'shipped'

/** Ships the remaining items of one of the oldest orders and closes it. */
const shipOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await liveWhere(workspace, 'orders', isWaiting)
  return withOne(random, orders.slice(0, 5), async (order) => {
    const earlier = await liveWhere(workspace, 'shipments', (fields) => fields.order === order.id)
    const shippedOf = (item: string): number =>
      earlier
        .flatMap(({ fields }) => fields.items)
        .reduce((n, { order_item, quantity }) => n + (order_item === item ? quantity : 0), 0)
    const items = order.fields.items
      .map(({ id, quantity }) => ({ id, quantity: quantity - shippedOf(id) }))
      .filter(({ quantity }) => quantity > 0)
    await workspace.create('shipments', generateShipment(random, order, items, workspace.now))
    const shipped = await workspace.find('orders', order.id)
    if (shipped) await workspace.update(shipped, { state: 'completed', payment_state: 'paid' })
  })
}

const cancelOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await liveWhere(workspace, 'orders', ({ state }) => state === 'placed')
  return withOne(random, orders.slice(-5), (order) =>
    workspace.update(order, { state: 'cancelled', payment_state: 'refunded' }),
  )
}

const changeVariants =
  (workspace: Workspace, change: (variants: Variants) => Variants) =>
  (product: Stored<'products'>) =>
    workspace.update(product, { variants: change(product.fields.variants) })

const changePrice: SimulatedEvent = async (workspace, random) => {
  const percent = random.pick(['90', '95', '105', '110'])
  return withOne(
    random,
    await workspace.live('products'),
    changeVariants(workspace, (variants) =>
      variants.map((entry) => ({
        ...entry,
        price: amount(shareOf(units(entry.price), percent, 'EUR')),
      })),
    ),
  )
}

const fillShelf: SimulatedEvent = async (workspace, random) => {
  const more = random.integer(10, 60)
  return withOne(
    random,
    await workspace.live('products'),
    changeVariants(workspace, (variants) =>
      // At most 100, because restocking outpaces sales.
      variants.map((entry) => ({ ...entry, stock: Math.min(100, entry.stock + more) })),
    ),
  )
}

/** Events of the shop, by name. Frequent events are listed twice. */
export const shopEvents = {
  placeOrder,
  placeAnotherOrder: placeOrder,
  shipOrder,
  shipAnotherOrder: shipOrder,
  cancelOrder,
  changePrice,
  fillShelf,
}
