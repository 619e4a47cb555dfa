import {
  date,
  defineShape,
  enumeration,
  list,
  number,
  reference,
  references,
  text,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { documentStates } from '../states.ts'

const billLineItem = defineShape({
  name: 'BillLineItem',
  doc: 'One line of a bill.',
  fields: {
    description: text('Description of the bought item.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units bought.'),
    totalAmount: number('Total amount of the line.'),
    currency: currency('Currency of the line.'),
    exchangeRate: number("Exchange rate from the line's currency to the company's."),
    accountingItemId: reference('accounting/items', 'Item that was bought.'),
    accountId: reference('accounting/accounts', 'Account to which the line is posted.'),
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
  doc: 'An invoice that the company receives from a vendor.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    vendorId: reference('accounting/vendors', 'Vendor who sent the bill.'),
    billNumber: text('Number that the vendor assigned to the bill.'),
    billStatus: text('Status of the bill, as the app names it.'),
    billState: enumeration('Status of the bill, the same words for every app.', documentStates),
    issueDate: date('Date on which the bill was issued.'),
    dueDate: date('Due date of the bill.'),
    paidOnDate: date('Date on which the bill was paid in full.'),
    memo: text('Note about the bill.'),
    companyId: reference('accounting/companyInfo', 'Company that owes the bill.'),
    currency: currency('Currency of the bill.'),
    exchangeRate: number("Exchange rate from the bill's currency to the company's."),
    subTotal: number('Sum of the lines before discount and tax.'),
    totalDiscount: number('Total discount of the bill.'),
    totalTaxAmount: number('Total tax of the bill.'),
    totalAmount: number('Total amount of the bill, after discount and including tax.'),
    balance: number('Outstanding amount.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the bill is assigned to.',
    ),
    lineItems: list(billLineItem, 'Lines of the bill.'),
    purchaseOrderIds: references(
      'accounting/purchaseOrders',
      'Purchase orders that the bill covers.',
    ),
  },
})
