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
    description: text('Description of the ordered item.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units ordered.'),
    accountingItemId: reference('accounting/items', 'Ordered item.'),
    accountId: reference('accounting/accounts', 'Account to which the line is posted.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the line is assigned to.',
    ),
    taxAmount: number('Tax on the line.'),
    totalLineAmount: number('Total amount of the line.'),
    currency: currency('Currency of the line.'),
  },
})

export const purchaseOrder = defineResource({
  name: 'purchaseOrder',
  plural: 'purchaseOrders',
  category: 'accounting',
  doc: 'An order that the company places with a vendor.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    purchaseOrderStatus: text('Status of the purchase order, as the app names it.'),
    purchaseOrderNumber: text('Number of the purchase order.'),
    issueDate: date('Date on which the purchase order was issued.'),
    deliveryDate: date('Expected date of the delivery.'),
    deliveryAddress: object(postalAddress, 'Address of the delivery.'),
    vendorId: reference('accounting/vendors', 'Vendor with whom the order is placed.'),
    accountId: reference('accounting/accounts', 'Account to which the purchase order is posted.'),
    memo: text('Note about the purchase order.'),
    companyId: reference('accounting/companyInfo', 'Company that places the order.'),
    totalAmount: number('Total amount of the purchase order.'),
    currency: currency('Currency of the purchase order.'),
    exchangeRate: number("Exchange rate from the purchase order's currency to the company's."),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the purchase order is assigned to.',
    ),
    lineItems: list(purchaseOrderLineItem, 'Lines of the purchase order.'),
  },
})
