/** Web shop collections. */
import {
  createOnly,
  enumeration,
  notNull,
  ofRecord,
  orElse,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import { states } from '../../definition/mapping/states.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { order } from '../../resources/commerce/order.ts'
import { product } from '../../resources/commerce/product.ts'
import { collection } from './collection.ts'
import { entriesOf } from './derived.ts'
import { money } from './formats.ts'
import { orderOfShipment } from './side-effects.ts'

const orderLine = {
  price: money('price'),
  unitCost: money('unitCost'),
  // The sandbox stores one currency per order.
  currency: ofRecord(notNull('currency')),
}

/** The collections of the web shop. */
export const commerce = [
  collection('shoppers', customer),
  collection('products', product, {
    productName: notNull('productName'),
    productStatus: notNull(enumeration('productStatus', ['live', 'draft', 'retired'])),
    // A variant without an id matches by SKU, then by name.
    variants: notNull(
      entriesOf(product, 'variants', { id: 'id', remoteId: 'id', price: money('price') }, [
        ['id'],
        ['sku'],
        ['title'],
      ]),
    ),
  }),
  collection('orders', order, {
    orderNumber: notNull('orderNumber'),
    orderStatus: notNull('orderStatus'),
    orderState: states('orderStatus', {
      placed: 'OPEN',
      processing: 'OPEN',
      completed: 'COMPLETED',
      cancelled: 'CANCELLED',
    }),
    fulfillmentStatus: writtenTo('stated_status', 'fulfillmentStatus'),
    fulfillmentState: states('fulfillmentStatus', {
      none: 'UNFULFILLED',
      partial: 'PARTIALLY_FULFILLED',
      shipped: 'FULFILLED',
    }),
    paymentStatus: notNull('paymentStatus'),
    paymentState: states('paymentStatus', {
      pending: 'UNPAID',
      paid: 'PAID',
      refunded: 'REFUNDED',
    }),
    // Null makes the sandbox compute the total again.
    totalPrice: writtenTo('stated_total', money('totalPrice')),
    totalDiscount: orElse(money('totalDiscount'), '0.00'),
    totalShipping: orElse(money('totalShipping'), '0.00'),
    totalTax: writtenTo('stated_tax', money('totalTax')),
    // The common model has no line ids, so lines match by variant.
    lineItems: notNull(entriesOf(order, 'lineItems', orderLine, [['variantId']])),
  }),
  collection(
    'shipments',
    fulfillment,
    {
      orderId: createOnly(notNull('orderId')),
      // The sandbox records a shipment when it leaves.
      shipmentState: () => 'SHIPPED',
      lineItems: entriesOf(fulfillment, 'lineItems', { price: money('price') }),
    },
    orderOfShipment,
  ),
]
