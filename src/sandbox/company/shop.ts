/** Events in the shop. */
import { amount, ofCents, shareOf, units } from '../amounts.ts'
import type { FieldsOf } from '../kinds/kinds.ts'
import { unshippedLines } from '../shipping.ts'
import { creationOf, type Events, pickRecord, type SimulatedEvent } from './event.ts'
import { pickSubject, sampleOf, slug } from './samples.ts'
import { assortment, brands, carriers } from './words.ts'

/** Adds the next product of the assortment. */
const addProduct: SimulatedEvent = async (workspace, random) => {
  const next = assortment[(await workspace.where('products')).length]
  const [company] = await workspace.where('companies')
  if (!next || !company) return false
  const [name, category, { option, choices }] = next
  const shop = company.fields.companyUrls.at(-1)
  const page = slug(name)
  const price = random.integer(6, 120) * 100 - random.pick([1, 5, 50])
  return workspace.create('products', {
    productName: name,
    description: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    productType: category,
    productStatus: random.chance(88) ? 'live' : random.pick(['draft', 'retired']),
    images: Array.from(
      { length: random.integer(1, 3) },
      (_, index) => `${shop}/pictures/${page}-${index + 1}.jpg`,
    ),
    tags: random.some(['new', 'gift', 'bestseller', 'organic', 'sale'], random.integer(0, 2)),
    vendor: random.pick(brands),
    productUrl: `${shop}/products/${page}`,
    variants: choices.map((choice, index) => ({
      title: choice,
      sku: `${page.slice(0, 4).toUpperCase()}-${index + 1}-${random.digits('###')}`,
      price: ofCents(price + index * 200),
      cost: ofCents((price * random.integer(35, 60)) / 100),
      optionValues: [{ name: option, value: choice }],
      inventory: { totalCount: random.integer(0, 80) },
      weight: { value: random.integer(40, 1800) },
    })),
  })
}

/** Places an order of one to four live products, sometimes of a new shopper. */
const placeOrder: SimulatedEvent = async (workspace, random) => {
  const products = await workspace.where('products', { productStatus: 'live' })
  if (products.length === 0) return false
  const shoppers = await workspace.where('shoppers')
  const isNew = shoppers.length === 0 || random.chance(30)
  const shopper = isNew
    ? await workspace.create('shoppers', await sampleOf('shoppers', workspace, random))
    : random.pick(shoppers)
  const { firstName, lastName } = shopper.fields
  const subject = pickSubject(random, firstName && lastName ? { firstName, lastName } : {})
  const sample = await sampleOf('orders', workspace, random, subject)
  const { billingAddress, shippingAddress } = sample
  return workspace.create('orders', {
    paymentStatus: random.chance(85) ? 'paid' : 'pending',
    totalDiscount: random.chance(20) ? ofCents(random.integer(1, 5) * 100) : '0.00',
    totalShipping: random.pick(['0.00', '4.90', '4.90', '7.50']),
    customer: { customerId: shopper.id },
    billingAddress,
    shippingAddress: random.chance(85) ? billingAddress : shippingAddress,
    lineItems: random.some(products, random.integer(1, 4)).map(({ id, fields }) => ({
      productId: id,
      variantId: random.pick(fields.variants).id,
      quantity: random.pick([1, 1, 1, 2, 2, 3]),
    })),
  })
}

const isWaiting = ({ orderStatus, fulfillmentStatus }: FieldsOf<'orders'>): boolean =>
  (orderStatus === 'placed' || orderStatus === 'processing') && fulfillmentStatus !== 'shipped'

/** Ships the remaining lines of one of the oldest orders, or the first line. */
const shipOrder: SimulatedEvent = async (workspace, random) => {
  const order = await pickRecord(workspace, random, 'orders', isWaiting, 10)
  if (!order) return false
  const earlier = await workspace.where('shipments', { orderId: order.id })
  const rest = unshippedLines(order.fields.lineItems, earlier)
  const lines = earlier.length === 0 && random.chance(40) ? rest.slice(0, 1) : rest
  const [carrier, service, track] = random.pick(carriers)
  const trackingNumber = random.digits('SB########IE')
  await workspace.create('shipments', {
    orderId: order.id,
    carrier,
    service,
    trackingNumbers: [trackingNumber],
    trackingUrls: [`${track}${trackingNumber}`],
    lineItems: lines.map(({ id, quantity }) => ({ lineItemId: id, quantity })),
  })
  const shipped = await workspace.find('orders', order.id)
  if (!shipped) return true
  const isDone = shipped.fields.fulfillmentStatus === 'shipped'
  return workspace.update(
    shipped,
    isDone ? { orderStatus: 'completed', paymentStatus: 'paid' } : { orderStatus: 'processing' },
  )
}

const cancelOrder: SimulatedEvent = async (workspace, random) => {
  const order = await pickRecord(workspace, random, 'orders', { orderStatus: 'placed' })
  if (!order) return false
  return workspace.update(order, { orderStatus: 'cancelled', paymentStatus: 'refunded' })
}

const changePrice: SimulatedEvent = async (workspace, random) => {
  const product = await pickRecord(workspace, random, 'products')
  if (!product) return false
  const percent = random.pick(['90', '95', '105', '110'])
  const variants = product.fields.variants.map((variant) => ({
    ...variant,
    price: amount(shareOf(units(variant.price), percent, 'EUR')),
    inventory: { totalCount: random.integer(0, 80) },
  }))
  return workspace.update(product, { variants })
}

/** Events of the shop. */
export const shopEvents: Events = {
  joinShop: [1, creationOf('shoppers')],
  addProduct: [1, addProduct],
  placeOrder: [3, placeOrder],
  shipOrder: [3, shipOrder],
  cancelOrder: [1, cancelOrder],
  changePrice: [1, changePrice],
}
