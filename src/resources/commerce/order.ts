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
import { countryCodes } from '../codes.ts'
import { currency } from '../currency.ts'

const orderLineItem = defineShape({
  name: 'OrderLineItem',
  doc: 'One line of an order.',
  fields: {
    productId: reference('commerce/products', 'Product that was ordered.'),
    variantId: reference('commerce/products.variants', 'Variant that was ordered.'),
    title: text('Name of what was ordered, at the time of the order.'),
    price: decimal('Price of one unit.'),
    unitCost: decimal('What one unit costs the shop.'),
    currency: currency('Currency of the line.'),
    sku: text('Stock keeping unit.'),
    quantity: integer('Units ordered.'),
  },
})

const orderAddress = defineShape({
  name: 'OrderAddress',
  doc: 'The address an order is billed or shipped to.',
  fields: {
    address1: text('First line of the street address.'),
    address2: text('Second line of the street address.'),
    city: text('City or town.'),
    countryCode: enumeration('Two-letter country code.', countryCodes, { enumName: 'CountryCode' }),
    firstName: text('First name of the person at the address.'),
    lastName: text('Last name of the person at the address.'),
    phone: text('Telephone number at the address.'),
    region: text('State or region.'),
    postalCode: text('Postal code.'),
  },
})

const orderCustomer = defineShape({
  name: 'OrderCustomer',
  doc: 'The buyer, as the order names them.',
  fields: {
    customerId: reference('commerce/customers', 'Customer who ordered.'),
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
    orderNumber: text('Number of the order as the buyer sees it.'),
    orderStatus: text("Standing of the order, in the app's own words."),
    fulfillmentStatus: text("How much of the order is shipped, in the app's own words."),
    paymentStatus: text("How much of the order is paid, in the app's own words."),
    currency: currency('Currency of the order.'),
    totalPrice: decimal('Amount of the order, discount, shipping and tax included.'),
    totalDiscount: decimal('Discount on the whole order.'),
    totalShipping: decimal('Shipping charge of the whole order.'),
    totalTax: decimal('Tax on the whole order.'),
    lineItems: list(orderLineItem, 'Lines of the order.'),
    billingAddress: object(orderAddress, 'Address the order is billed to.'),
    shippingAddress: object(orderAddress, 'Address the order is shipped to.'),
    customer: object(orderCustomer, 'Buyer of the order.'),
  },
})
