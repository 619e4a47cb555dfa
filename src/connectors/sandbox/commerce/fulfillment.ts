import { defineMapping } from '../../../definition/mapping.ts'
import { fulfillment } from '../../../resources/commerce/fulfillment.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { once } from '../inverse.ts'
import { parcels } from '../parcels.ts'
import { recordFields } from '../shared.ts'
import { shippedItems } from '../shipped-items.ts'
import { orderOfShipment } from '../side-effects.ts'

interface Raw {
  readonly parcels: readonly {
    readonly tracking_number: string
    readonly tracking_page: string | null
  }[]
  readonly items: readonly {
    readonly order_item: string
    readonly product: string
    readonly variant: string
    readonly name: string
    readonly sku: string | null
    readonly unit_price: string
    readonly quantity: number
  }[]
}

const mapping = defineMapping<typeof fulfillment, Raw>(fulfillment, {
  ...recordFields,
  orderId: 'order',
  carrier: 'carrier',
  service: 'service',
  trackingNumbers: ({ parcels }) => parcels.map(({ tracking_number }) => tracking_number),
  // The lists are paired by position: an empty string stands for a parcel without a page.
  trackingUrls: ({ parcels }) =>
    parcels.some(({ tracking_page }) => tracking_page !== null)
      ? parcels.map(({ tracking_page }) => tracking_page ?? '')
      : [],
  lineItems: ({ items }) =>
    items.map((item) => ({
      lineItemId: item.order_item,
      productId: item.product,
      variantId: item.variant,
      title: item.name,
      sku: item.sku,
      price: item.unit_price,
      quantity: item.quantity,
    })),
})

/** `/v1/shipments` */
export default collection(
  'shipments',
  mapping,
  {
    orderId: once('order', required()),
    carrier: 'carrier',
    service: 'service',
    trackingNumbers: parcels,
    trackingUrls: parcels,
    lineItems: shippedItems,
  },
  orderOfShipment,
)
