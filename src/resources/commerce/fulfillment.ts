import {
  decimal,
  defineShape,
  enumeration,
  integer,
  list,
  reference,
  text,
  texts,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { shipmentStates } from '../states.ts'

const fulfillmentLineItem = defineShape({
  name: 'FulfillmentLineItem',
  doc: 'One line of a fulfillment: the units of an order line that are shipped.',
  fields: {
    // Text, not a reference: in the contract, order lines have no id of the service.
    lineItemId: text('Id of the order line in the app.'),
    productId: reference('commerce/products', 'Shipped product.'),
    variantId: reference('commerce/products.variants', 'Shipped variant.'),
    title: text('Name of the shipped variant.'),
    sku: text('Stock keeping unit.'),
    price: decimal('Price of one unit.'),
    quantity: integer('Units shipped.'),
  },
})

export const fulfillment = defineResource({
  name: 'fulfillment',
  plural: 'fulfillments',
  category: 'commerce',
  doc: 'A shipment of an order or of part of it.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  parent: 'orderId',
  fields: {
    orderId: reference('commerce/orders', 'Order the fulfillment belongs to.'),
    shipmentState: enumeration(
      'Status of the shipment, the same words for every app.',
      shipmentStates,
    ),
    carrier: text('Company that carries the shipment.'),
    service: text('Type of shipping service.'),
    trackingNumbers: texts('Tracking numbers of the parcels.'),
    trackingUrls: texts('Tracking URLs of the parcels.'),
    lineItems: list(fulfillmentLineItem, 'Lines of the fulfillment.'),
  },
})
