/** Events in the shop. */
import { amount, ofCents, shareOf, units } from '../amounts.ts'
import type { FieldsOf } from '../kinds/kinds.ts'
import { unshippedLines } from '../shipping.ts'
import { creationOf, type Events, updateOf } from './event.ts'

/** Places an order of one to four live products. */
const placeOrder = creationOf('orders', async ({ workspace, random, pick, sample }) => {
  const products = await workspace.where('products', { productStatus: 'live' })
  const shopper = await pick('shoppers')
  if (!shopper || products.length === 0) return undefined
  const { firstName, lastName } = shopper.fields
  const { billingAddress } = await sample('orders')
  return {
    orderStatus: 'placed',
    paymentStatus: random.chance(85) ? 'paid' : 'pending',
    totalDiscount: random.chance(20) ? ofCents(random.integer(1, 5) * 100) : '0.00',
    totalShipping: random.pick(['0.00', '4.90', '4.90', '7.50']),
    customer: { customerId: shopper.id },
    billingAddress: { ...billingAddress, firstName, lastName },
    lineItems: random.some(products, random.integer(1, 4)).map(({ id, fields }) => ({
      productId: id,
      variantId: random.pick(fields.variants).id,
      quantity: random.pick([1, 1, 1, 2, 2, 3]),
    })),
  }
})

/** Ships the remaining lines of one of the oldest orders, or the first line. */
const shipOrder = creationOf('shipments', async ({ workspace, random, pick }) => {
  const isWaiting = ({ orderStatus, fulfillmentStatus }: FieldsOf<'orders'>) =>
    /^(?:placed|processing)$/.test(orderStatus) && fulfillmentStatus !== 'shipped'
  const order = await pick('orders', isWaiting, 10)
  if (!order) return undefined
  const earlier = await workspace.where('shipments', { orderId: order.id })
  const shipped = earlier.flatMap(({ fields }) => fields.lineItems)
  const rest = unshippedLines(order.fields.lineItems, shipped)
  const isPart = shipped.length === 0 && rest.length > 1 && random.chance(40)
  await workspace.update(
    order,
    isPart ? { orderStatus: 'processing' } : { orderStatus: 'completed', paymentStatus: 'paid' },
  )
  const lines = isPart ? rest.slice(0, 1) : rest
  return {
    orderId: order.id,
    lineItems: lines.map(({ id, quantity }) => ({ lineItemId: id, quantity })),
  }
})

/** Changes the prices of a product, and its stock. */
const changePrice = updateOf('products', {}, ({ variants }, { random }) => {
  const percent = random.pick(['90', '95', '105', '110'])
  return {
    variants: variants.map((variant) => ({
      ...variant,
      price: amount(shareOf(units(variant.price), percent, 'EUR')),
      inventory: { totalCount: random.integer(0, 80) },
    })),
  }
})

const cancelOrder = updateOf('orders', { condition: { orderStatus: 'placed' } }, () => ({
  orderStatus: 'cancelled',
  paymentStatus: 'refunded',
}))

/** Events of the shop. */
export const shopEvents: Events = {
  joinShop: [1, creationOf('shoppers')],
  placeOrder: [3, placeOrder],
  shipOrder: [3, shipOrder],
  cancelOrder: [1, cancelOrder],
  changePrice: [1, changePrice],
}
