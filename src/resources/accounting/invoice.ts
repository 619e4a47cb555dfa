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

const invoiceLineItem = defineShape({
  name: 'InvoiceLineItem',
  doc: 'One line of an invoice.',
  fields: {
    description: text('What was sold.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units sold.'),
    totalAmount: number('Amount of the line.'),
    currency: currency('Currency of the line.'),
    exchangeRate: number("Rate from the line's currency to the company's."),
    accountingItemId: reference('accounting/items', 'Item that was sold.'),
    accountId: reference('accounting/accounts', 'Account the line posts to.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the line is assigned to.',
    ),
    companyId: reference('accounting/companyInfo', 'Company the line belongs to.'),
  },
})

export const invoice = defineResource({
  name: 'invoice',
  plural: 'invoices',
  category: 'accounting',
  doc: "The company's demand for payment by a customer.",
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    customerId: reference('accounting/customers', 'Customer who is to pay.'),
    invoiceNumber: text('Number of the invoice.'),
    invoiceStatus: text("Standing of the invoice, in the app's own words."),
    issueDate: date('Day the invoice was issued.'),
    dueDate: date('Day by which the invoice is to be paid.'),
    paidOnDate: date('Day the invoice was paid in full.'),
    memo: text('Note on the invoice.'),
    companyId: reference('accounting/companyInfo', 'Company that issued the invoice.'),
    currency: currency('Currency of the invoice.'),
    exchangeRate: number("Rate from the invoice's currency to the company's."),
    subTotal: number('Sum of the lines before discount and tax.'),
    totalDiscount: number('Discount on the whole invoice.'),
    totalTaxAmount: number('Tax on the whole invoice.'),
    totalAmount: number('Amount of the invoice, discount and tax included.'),
    balance: number('Amount still to be paid.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the invoice is assigned to.',
    ),
    lineItems: list(invoiceLineItem, 'Lines of the invoice.'),
    purchaseOrderIds: references(
      'accounting/purchaseOrders',
      'Purchase orders the invoice is for.',
    ),
  },
})
