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

const invoiceLineItem = defineShape({
  name: 'InvoiceLineItem',
  doc: 'One line of an invoice.',
  fields: {
    description: text('Description of the sold item.'),
    unitPrice: number('Price of one unit.'),
    quantity: number('Units sold.'),
    totalAmount: number('Total amount of the line.'),
    currency: currency('Currency of the line.'),
    exchangeRate: number("Exchange rate from the line's currency to the company's."),
    accountingItemId: reference('accounting/items', 'Item that was sold.'),
    accountId: reference('accounting/accounts', 'Account to which the line is posted.'),
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
  doc: 'An invoice that the company issues to a customer.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    customerId: reference('accounting/customers', 'Customer to whom the invoice is issued.'),
    invoiceNumber: text('Number of the invoice.'),
    invoiceStatus: text('Status of the invoice, as the app names it.'),
    invoiceState: enumeration(
      'Status of the invoice, the same words for every app.',
      documentStates,
    ),
    issueDate: date('Date on which the invoice was issued.'),
    dueDate: date('Due date of the invoice.'),
    paidOnDate: date('Date on which the invoice was paid in full.'),
    memo: text('Note about the invoice.'),
    companyId: reference('accounting/companyInfo', 'Company that issued the invoice.'),
    currency: currency('Currency of the invoice.'),
    exchangeRate: number("Exchange rate from the invoice's currency to the company's."),
    subTotal: number('Sum of the lines before discount and tax.'),
    totalDiscount: number('Total discount of the invoice.'),
    totalTaxAmount: number('Total tax of the invoice.'),
    totalAmount: number('Total amount of the invoice, after discount and including tax.'),
    balance: number('Outstanding amount.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the invoice is assigned to.',
    ),
    lineItems: list(invoiceLineItem, 'Lines of the invoice.'),
    purchaseOrderIds: references(
      'accounting/purchaseOrders',
      'Purchase orders that the invoice covers.',
    ),
  },
})
