import {
  date,
  defineShape,
  list,
  number,
  object,
  reference,
  references,
  text,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { postalAddress } from '../shapes/postal-address.ts'

const purchaseOrderLineItem = defineShape({
  name: 'PurchaseOrderLineItem',
  doc: 'One line of a purchase order.',
  fields: {
    description: text('What is ordered.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units ordered.'),
    accountingItemId: reference('accounting/items', 'Item that is ordered.'),
    accountId: reference('accounting/accounts', 'Account the line posts to.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the line is assigned to.',
    ),
    taxAmount: number('Tax on the line.'),
    totalLineAmount: number('Amount of the line.'),
    currency: currency('Currency of the line.'),
  },
})

export const purchaseOrder = defineResource({
  name: 'purchaseOrder',
  plural: 'purchaseOrders',
  category: 'accounting',
  doc: "The company's order to a vendor.",
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    purchaseOrderStatus: text("Standing of the purchase order, in the app's own words."),
    purchaseOrderNumber: text('Number of the purchase order.'),
    issueDate: date('Day the purchase order was issued.'),
    deliveryDate: date('Day the delivery is expected.'),
    deliveryAddress: object(postalAddress, 'Where the delivery goes.'),
    vendorId: reference('accounting/vendors', 'Vendor the order goes to.'),
    accountId: reference('accounting/accounts', 'Account the purchase order posts to.'),
    memo: text('Note on the purchase order.'),
    companyId: reference('accounting/companyInfo', 'Company that orders.'),
    totalAmount: number('Amount of the purchase order.'),
    currency: currency('Currency of the purchase order.'),
    exchangeRate: number("Rate from the purchase order's currency to the company's."),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the purchase order is assigned to.',
    ),
    lineItems: list(purchaseOrderLineItem, 'Lines of the purchase order.'),
  },
})
