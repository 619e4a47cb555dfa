/** Records for a shop that has existed for a while. */
import { createCustomer } from './customers.ts'
import { createFulfillment } from './fulfillments.ts'
import { createOrder } from './order-writes.ts'
import { createProduct } from './product-writes.ts'
import { variantsOf } from './products.ts'
import type { Shop } from './shop.ts'

const addOne = (at: number, shop: Shop): void => {
  const customer = createCustomer(
    {
      ...{ firstName: 'Amy', lastName: `Lee ${at}`, email: `amy${at}@example.com` },
      addresses: [
        { address1: `${at} Main Street`, city: 'Phoenix', countryCode: 'US', provinceCode: 'AZ' },
      ],
    },
    shop,
  )
  const product = createProduct({ title: `Shirt ${at}`, productType: 'Shirts' }, shop)
  const [variant] = variantsOf(product.id, shop)
  if (!variant) throw new Error('A product has a variant')
  shop.ProductVariant.change(variant.id, { price: 10 + at / 100, sku: `SHIRT-${at}` })
  const order = createOrder(
    {
      ...{ email: customer.value.email, customerId: customer.id },
      lineItems: [{ variantId: variant.id, quantity: 1 + (at % 3) }],
    },
    shop,
  )
  const work = shop.FulfillmentOrder.list().at(-1)
  if (at % 2 === 0 && work?.value.orderId === order.id)
    createFulfillment({ lineItemsByFulfillmentOrder: [{ fulfillmentOrderId: work.id }] }, shop)
}

/** Adds so many customers, products and orders each, and fulfillments of every second order. */
export const addSampleRecords = (count: number, shop: Shop): void => {
  for (let at = 1; at <= count; at++) addOne(at, shop)
}
