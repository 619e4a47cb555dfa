/** Events in the shop. */
import { amount, ofCents, shareOf, units } from '../amounts.ts'
import type { FieldsOf, SandboxRecord } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { generateCity, generateName, generatePostal, mailOf, slug } from './contacts.ts'
import { liveWhere, type SimulatedEvent, withOne } from './event.ts'
import { assortment, brands, carriers } from './words.ts'

type Variants = FieldsOf<'products'>['variants']

const joinShop = (workspace: Workspace, random: Random): Promise<SandboxRecord<'shoppers'>> => {
  const name = generateName(random)
  return workspace.create('shoppers', {
    ...name,
    email: mailOf(name, random.pick(['post', 'mail', 'inbox'])),
    phone: random.chance(75) ? random.digits(generateCity(random).phone) : null,
    accepts_marketing: random.chance(45),
  })
}

/** Adds the next product of the assortment. */
const addProduct: SimulatedEvent = async (workspace, random) => {
  const next = assortment[(await workspace.live('products')).length]
  const [company] = await workspace.live('companies')
  if (!next || !company) return false
  const [name, category, { option, choices }] = next
  const shop = company.fields.companyUrls.at(-1)
  const page = slug(name)
  const price = random.integer(6, 120) * 100 - random.pick([1, 5, 50])
  return workspace.create('products', {
    name,
    description_html: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    category,
    state: random.chance(88) ? 'live' : random.pick(['draft', 'retired']),
    pictures: Array.from(
      { length: random.integer(1, 3) },
      (_, index) => `${shop}/pictures/${page}-${index + 1}.jpg`,
    ),
    labels: random.some(['new', 'gift', 'bestseller', 'organic', 'sale'], random.integer(0, 2)),
    brand: random.pick(brands),
    page: `${shop}/products/${page}`,
    variants: choices.map((choice, index) => ({
      label: choice,
      sku: `${page.slice(0, 4).toUpperCase()}-${index + 1}-${random.digits('###')}`,
      price: ofCents(price + index * 200),
      cost: ofCents((price * random.integer(35, 60)) / 100),
      options: [{ option, choice }],
      stock: random.integer(0, 80),
      weight_grams: random.integer(40, 1800),
    })),
  })
}

const takeFromStock = async (
  workspace: Workspace,
  order: SandboxRecord<'orders'>,
): Promise<void> => {
  for (const { product: id, variant, quantity } of order.fields.items) {
    const product = await workspace.find('products', id)
    if (!product) continue
    const variants: Variants = product.fields.variants.map((entry) =>
      entry.id === variant ? { ...entry, stock: Math.max(0, entry.stock - quantity) } : entry,
    )
    await workspace.update(product, { variants })
  }
}

/** Places an order of one to four live products, sometimes of a new shopper. */
const placeOrder: SimulatedEvent = async (workspace, random) => {
  const products = await liveWhere(workspace, 'products', ({ state }) => state === 'live')
  if (products.length === 0) return false
  const shoppers = await workspace.live('shoppers')
  const isNew = shoppers.length === 0 || random.chance(30)
  const shopper = isNew ? await joinShop(workspace, random) : random.pick(shoppers)
  const { phone } = shopper.fields
  const home = generatePostal(random, shopper.fields, phone)
  const order = await workspace.create('orders', {
    payment_state: random.chance(85) ? 'paid' : 'pending',
    discount: random.chance(20) ? ofCents(random.integer(1, 5) * 100) : '0.00',
    shipping: random.pick(['0.00', '4.90', '4.90', '7.50']),
    shopper: shopper.id,
    bill_to: home,
    ship_to: random.chance(85) ? home : generatePostal(random, generateName(random), phone),
    items: random.some(products, random.integer(1, 4)).map(({ id, fields }) => ({
      product: id,
      variant: random.pick(fields.variants).id,
      quantity: random.pick([1, 1, 1, 2, 2, 3]),
    })),
  })
  return takeFromStock(workspace, order)
}

const isWaiting = ({ state, shipping_state }: FieldsOf<'orders'>): boolean =>
  (state === 'placed' || state === 'processing') && shipping_state !== 'shipped'

/** Ships the remaining items of one of the oldest orders, or the first item. */
const shipOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await liveWhere(workspace, 'orders', isWaiting)
  return withOne(random, orders.slice(0, 10), async (order) => {
    const earlier = await liveWhere(workspace, 'shipments', (fields) => fields.order === order.id)
    const shippedOf = (item: string): number =>
      earlier
        .flatMap(({ fields }) => fields.items)
        .reduce((n, { order_item, quantity }) => n + (order_item === item ? quantity : 0), 0)
    const rest = order.fields.items
      .map(({ id, quantity }) => ({ order_item: id, quantity: quantity - shippedOf(id) }))
      .filter(({ quantity }) => quantity > 0)
    const [carrier, service, track] = random.pick(carriers)
    const tracking_number = random.digits('SB########IE')
    await workspace.create('shipments', {
      order: order.id,
      carrier,
      service,
      shipped_at: workspace.now,
      parcels: [{ tracking_number, tracking_page: `${track}${tracking_number}` }],
      items: earlier.length === 0 && random.chance(30) ? rest.slice(0, 1) : rest,
    })
    const shipped = await workspace.find('orders', order.id)
    if (!shipped) return
    const isDone = shipped.fields.shipping_state === 'shipped'
    await workspace.update(
      shipped,
      isDone ? { state: 'completed', payment_state: 'paid' } : { state: 'processing' },
    )
  })
}

const cancelOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await liveWhere(workspace, 'orders', ({ state }) => state === 'placed')
  return withOne(random, orders.slice(-5), (order) =>
    workspace.update(order, { state: 'cancelled', payment_state: 'refunded' }),
  )
}

const changeVariants = async (
  workspace: Workspace,
  random: Random,
  change: (variant: Variants[number]) => Partial<Variants[number]>,
): Promise<unknown> =>
  withOne(random, await workspace.live('products'), (product) =>
    workspace.update(product, {
      variants: product.fields.variants.map((variant) => ({ ...variant, ...change(variant) })),
    }),
  )

const changePrice: SimulatedEvent = (workspace, random) => {
  const percent = random.pick(['90', '95', '105', '110'])
  return changeVariants(workspace, random, ({ price }) => ({
    price: amount(shareOf(units(price), percent, 'EUR')),
  }))
}

const fillShelf: SimulatedEvent = (workspace, random) => {
  const more = random.integer(10, 60)
  // At most 100, because restocking outpaces sales.
  return changeVariants(workspace, random, ({ stock }) => ({ stock: Math.min(100, stock + more) }))
}

/** Events that only the history has. */
export const shopGrowth = { joinShop, addProduct }

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
