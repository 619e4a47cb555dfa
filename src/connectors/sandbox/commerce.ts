/** Web shop collections. */
import { createOnly, notNull } from '../../definition/mapping/converters.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { order } from '../../resources/commerce/order.ts'
import { product } from '../../resources/commerce/product.ts'
import { collection } from './collection.ts'
import { orderRules } from './order.ts'
import { trackingNumbers, trackingUrls } from './parcels.ts'
import { productRules } from './product.ts'
import { shippedItems } from './shipped-items.ts'
import { orderOfShipment } from './side-effects.ts'

const shipmentRules = {
  orderId: createOnly(notNull('order')),
  trackingNumbers,
  trackingUrls,
  lineItems: shippedItems,
}

/** The collections of the web shop. */
export const commerce = [
  collection('shoppers', customer),
  collection('products', product, productRules),
  collection('orders', order, orderRules),
  collection('shipments', fulfillment, shipmentRules, orderOfShipment),
]
