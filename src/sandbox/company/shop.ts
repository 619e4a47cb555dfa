/** Events in the shop. */
import { amount, ofCents, shareOf, units } from '../amounts.ts'
import type { FieldsOf } from '../kinds/kinds.ts'
import { unshippedLines } from '../shipping.ts'
import { creationOf, type Events, pickRecord, type SimulatedEvent, updateOf } from './event.ts'
import { pickSubject, sampleOf, slug } from './samples.ts'
import { assortment, carriers } from './words.ts'

/** Adds the next product of the assortment. */
const addProduct: SimulatedEvent = async (workspace, random) => {
  const next = assortment[(await workspace.where('products')).length]
  if (!next) return false
  const [name, category, { option, choices }] = next
  const price = random.integer(6, 120) * 100 - random.pick([1, 5, 50])
  return workspace.create('products', {
    ...(await sampleOf('products', workspace, random)),
    productName: name,
    description: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    productType: category,
    productStatus: random.chance(88) ? 'live' : random.pick(['draft', 'retired']),
    variants: choices.map((choice, index) => ({
      title: choice,
      sku: `${slug(name).slice(0, 4).toUpperCase()}-${index + 1}-${random.digits('###')}`,
      price: ofCents(price + index * 200),
      cost: ofCents((price * random.integer(35, 60)) / 100),
      optionValues: [{ name: option, value: choice }],
      inventory: { totalCount: random.integer(0, 80) },
      weight: { value: random.integer(40, 1800) },
    })),
  })
}

/** Places an order of one to four live products. */
const placeOrder: SimulatedEvent = async (workspace, random) => {
  const products = await workspace.where('products', { productStatus: 'live' })
  const shopper = await pickRecord(workspace, random, 'shoppers')
  if (!shopper) return false
  const { firstName, lastName } = shopper.fields
  const subject = pickSubject(random, firstName && lastName ? { firstName, lastName } : {})
  const { billingAddress, shippingAddress } = await sampleOf('orders', workspace, random, subject)
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
  const shipments = await workspace.where('shipments', { orderId: order.id })
  const shipped = shipments.flatMap(({ fields }) => fields.lineItems)
  const rest = unshippedLines(order.fields.lineItems, shipped)
  const lines = shipped.length === 0 && random.chance(40) ? rest.slice(0, 1) : rest
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
  const current = await workspace.find('orders', order.id)
  if (!current) return true
  const isDone = current.fields.fulfillmentStatus === 'shipped'
  return workspace.update(
    current,
    isDone ? { orderStatus: 'completed', paymentStatus: 'paid' } : { orderStatus: 'processing' },
  )
}

/** Changes the prices of a product, and its stock. */
const changePrice = updateOf('products', {}, ({ variants }, random) => {
  const percent = random.pick(['90', '95', '105', '110'])
  return {
    variants: variants.map((variant) => ({
      ...variant,
      price: amount(shareOf(units(variant.price), percent, 'EUR')),
      inventory: { totalCount: random.integer(0, 80) },
    })),
  }
})

/** Events of the shop. */
export const shopEvents: Events = {
  joinShop: [1, creationOf('shoppers')],
  addProduct: [1, addProduct],
  placeOrder: [4, placeOrder],
  shipOrder: [4, shipOrder],
  cancelOrder: [
    1,
    updateOf('orders', { condition: { orderStatus: 'placed' } }, () => ({
      orderStatus: 'cancelled',
      paymentStatus: 'refunded',
    })),
  ],
  changePrice: [1, changePrice],
}
