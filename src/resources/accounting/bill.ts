import {
  date,
  defineShape,
  list,
  number,
  reference,
  references,
  text,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'

const billLineItem = defineShape({
  name: 'BillLineItem',
  doc: 'One line of a bill.',
  fields: {
    description: text('What was bought.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units bought.'),
    totalAmount: number('Amount of the line.'),
    currency: currency('Currency of the line.'),
    exchangeRate: number("Rate from the line's currency to the company's."),
    accountingItemId: reference('accounting/items', 'Item that was bought.'),
    accountId: reference('accounting/accounts', 'Account the line posts to.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the line is assigned to.',
    ),
    companyId: reference('accounting/companyInfo', 'Company the line belongs to.'),
  },
})

export const bill = defineResource({
  name: 'bill',
  plural: 'bills',
  category: 'accounting',
  doc: "A vendor's demand for payment.",
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    vendorId: reference('accounting/vendors', 'Vendor who sent the bill.'),
    billNumber: text('Number of the bill as the vendor gave it.'),
    billStatus: text("Standing of the bill, in the app's own words."),
    issueDate: date('Day the bill was issued.'),
    dueDate: date('Day by which the bill is to be paid.'),
    paidOnDate: date('Day the bill was paid in full.'),
    memo: text('Note on the bill.'),
    companyId: reference('accounting/companyInfo', 'Company that owes the bill.'),
    currency: currency('Currency of the bill.'),
    exchangeRate: number("Rate from the bill's currency to the company's."),
    subTotal: number('Sum of the lines before discount and tax.'),
    totalDiscount: number('Discount on the whole bill.'),
    totalTaxAmount: number('Tax on the whole bill.'),
    totalAmount: number('Amount of the bill, discount and tax included.'),
    balance: number('Amount still to be paid.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the bill is assigned to.',
    ),
    lineItems: list(billLineItem, 'Lines of the bill.'),
    purchaseOrderIds: references('accounting/purchaseOrders', 'Purchase orders the bill is for.'),
  },
})
