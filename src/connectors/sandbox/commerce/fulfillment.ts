import { defineMapping } from '../../../definition/mapping.ts'
import { fulfillment } from '../../../resources/commerce/fulfillment.ts'
import { history } from '../shared.ts'

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

/** `/v1/shipments` */
export default defineMapping<typeof fulfillment, Raw>(fulfillment, {
  ...history,
  orderId: 'order',
  carrier: 'carrier',
  service: 'service',
  trackingNumbers: ({ parcels }) => parcels.map(({ tracking_number }) => tracking_number),
  trackingUrls: ({ parcels }) => parcels.map(({ tracking_page }) => tracking_page),
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
