import {
  decimal,
  defineShape,
  enumeration,
  integer,
  list,
  object,
  reference,
  text,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { country } from '../country.ts'
import { currency } from '../currency.ts'
import { orderFulfillmentStates, orderPaymentStates, orderStates } from '../states.ts'

const orderLineItem = defineShape({
  name: 'OrderLineItem',
  doc: 'One line of an order.',
  fields: {
    productId: reference('commerce/products', 'Ordered product.'),
    variantId: reference('commerce/products.variants', 'Ordered variant.'),
    title: text('Name of the ordered variant at the time of the order.'),
    price: decimal('Price of one unit.'),
    unitCost: decimal('Cost of one unit to the shop.'),
    currency: currency('Currency of the line.'),
    sku: text('Stock keeping unit.'),
    quantity: integer('Units ordered.'),
  },
})

const orderAddress = defineShape({
  name: 'OrderAddress',
  doc: 'The billing or shipping address of an order.',
  fields: {
    address1: text('First line of the street address.'),
    address2: text('Second line of the street address.'),
    city: text('City or town.'),
    countryCode: country('Two-letter country code.'),
    firstName: text('First name of the person at the address.'),
    lastName: text('Last name of the person at the address.'),
    phone: text('Telephone number at the address.'),
    region: text('State or region.'),
    postalCode: text('Postal code.'),
  },
})

const orderCustomer = defineShape({
  name: 'OrderCustomer',
  doc: 'The buyer, with the details recorded in the order.',
  fields: {
    customerId: reference('commerce/customers', 'Customer who placed the order.'),
    firstName: text('First name.'),
    lastName: text('Last name.'),
    email: text('E-mail address of the buyer.'),
    phone: text('Telephone number of the buyer.'),
  },
})

export const order = defineResource({
  name: 'order',
  plural: 'orders',
  category: 'commerce',
  doc: 'A purchase made in the shop.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    orderNumber: text('Order number that the buyer sees.'),
    orderStatus: text('Status of the order, as the app names it.'),
    orderState: enumeration('Status of the order, the same words for every app.', orderStates),
    fulfillmentStatus: text('Fulfillment status of the order, as the app names it.'),
    fulfillmentState: enumeration(
      'Fulfillment status of the order, the same words for every app.',
      orderFulfillmentStates,
    ),
    paymentStatus: text('Payment status of the order, as the app names it.'),
    paymentState: enumeration(
      'Payment status of the order, the same words for every app.',
      orderPaymentStates,
    ),
    currency: currency('Currency of the order.'),
    totalPrice: decimal(
      'Total amount of the order, after discount and including shipping and tax.',
    ),
    totalDiscount: decimal('Total discount of the order.'),
    totalShipping: decimal('Total shipping charge of the order.'),
    totalTax: decimal('Total tax of the order.'),
    lineItems: list(orderLineItem, 'Lines of the order.'),
    billingAddress: object(orderAddress, 'Billing address of the order.'),
    shippingAddress: object(orderAddress, 'Shipping address of the order.'),
    customer: object(orderCustomer, 'Buyer of the order.'),
  },
})
