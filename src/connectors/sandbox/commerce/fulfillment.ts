import { createOnly, notNull } from '../../../definition/mapping/converters.ts'
import { fulfillment } from '../../../resources/commerce/fulfillment.ts'
import { collection } from '../collection.ts'
import { trackingNumbers, trackingUrls } from '../parcels.ts'
import { shippedItems } from '../shipped-items.ts'
import { orderOfShipment } from '../side-effects.ts'

const rules = {
  orderId: createOnly(notNull('order')),
  carrier: 'carrier',
  service: 'service',
  trackingNumbers,
  trackingUrls,
  lineItems: shippedItems,
}

/** `/v1/shipments` */
export default collection('shipments', fulfillment, rules, orderOfShipment)
