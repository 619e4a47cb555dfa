import {
  decimal,
  defineShape,
  integer,
  list,
  reference,
  text,
  texts,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

const fulfillmentLineItem = defineShape({
  name: 'FulfillmentLineItem',
  doc: 'One line of a fulfillment: what of an order line is shipped.',
  fields: {
    // Text, not a reference: the contract gives the lines of an order no id of the service.
    lineItemId: text('Line of the order, by its identifier in the app.'),
    productId: reference('commerce/products', 'Product that is shipped.'),
    variantId: reference('commerce/products.variants', 'Variant that is shipped.'),
    title: text('Name of what is shipped.'),
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
    carrier: text('Company that carries the shipment.'),
    service: text('Type of shipping service.'),
    trackingNumbers: texts("The carrier's numbers of the parcels."),
    trackingUrls: texts('Web addresses where the parcels can be followed.'),
    lineItems: list(fulfillmentLineItem, 'What the shipment holds.'),
  },
})
