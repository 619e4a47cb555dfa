/** Accounting collections. */
import {
  createOnly,
  enumeration,
  listOf,
  notNull,
  ofRecord,
  readOnly,
} from '../../definition/mapping/converters.ts'
import { account } from '../../resources/accounting/account.ts'
import { bill } from '../../resources/accounting/bill.ts'
import { companyInfo } from '../../resources/accounting/company-info.ts'
import { customer } from '../../resources/accounting/customer.ts'
import { invoice } from '../../resources/accounting/invoice.ts'
import { item } from '../../resources/accounting/item.ts'
import { payment } from '../../resources/accounting/payment.ts'
import { purchaseOrder } from '../../resources/accounting/purchase-order.ts'
import { taxRate } from '../../resources/accounting/tax-rate.ts'
import { trackingCategory } from '../../resources/accounting/tracking-category.ts'
import { vendor } from '../../resources/accounting/vendor.ts'
import { collection } from './collection.ts'
import { money, quantity, rate } from './formats.ts'
import { accountsOfLines, settledByPayment } from './side-effects.ts'

/** The fields that all documents have under the same names. */
const document = {
  memo: 'remark',
  companyId: notNull('company'),
  currency: notNull('currency_code'),
  exchangeRate: rate('fx_rate'),
  trackingCategoryIds: 'cost_centers',
} as const

const line = {
  description: 'text',
  unitPrice: money('unit_price'),
  quantity: 'quantity',
  // The sandbox stores it on the document only; it applies to each line.
  currency: ofRecord(notNull('currency_code')),
  accountingItemId: 'item',
  accountId: 'account',
  trackingCategoryIds: 'cost_centers',
} as const

/** How lines match stored lines. A matched line keeps its tax code, which the common model lacks. */
const lineMatching = [
  ['text', 'item', 'account'],
  ['text', 'account'],
  ['item', 'account'],
] as const

const billingLine = {
  ...line,
  // Before discount and tax, like the subtotal.
  totalAmount: readOnly('net'),
  exchangeRate: ofRecord(notNull(rate('fx_rate'))),
  companyId: ofRecord(notNull('company')),
}

/** The fields of bills and invoices. */
const billing = {
  ...document,
  issueDate: notNull('issued_on'),
  dueDate: notNull('due_on'),
  paidOnDate: readOnly('paid_on'),
  subTotal: readOnly('net_total'),
  totalDiscount: readOnly('discount_total'),
  totalTaxAmount: readOnly('tax_total'),
  totalAmount: readOnly('total'),
  balance: readOnly('open_amount'),
  lineItems: notNull(listOf('lines', billingLine, { matchBy: lineMatching })),
  purchaseOrderIds: 'purchase_orders',
} as const

const billRules = {
  ...billing,
  vendorId: notNull('vendor'),
  billNumber: notNull('number'),
  billStatus: readOnly('state'),
}

const invoiceRules = {
  ...billing,
  customerId: notNull('client'),
  invoiceNumber: notNull('number'),
  invoiceStatus: readOnly('state'),
}

const paymentRules = {
  transactionDate: notNull('paid_on'),
  // For payments on account. A payment of an invoice or bill (`remoteFields`) has the document's party.
  customerId: createOnly('client'),
  vendorId: createOnly('vendor'),
  accountId: createOnly(notNull('account')),
  currency: createOnly(notNull('currency_code')),
  exchangeRate: createOnly(rate('fx_rate')),
  companyId: notNull('company'),
  totalAmount: createOnly(notNull(money('amount'))),
  trackingCategoryIds: 'cost_centers',
}

const orderLine = {
  ...line,
  taxAmount: readOnly('tax'),
  // Includes tax: the order has no subtotal, so its lines add up to the total.
  totalLineAmount: readOnly('gross'),
}

const orderStates = ['draft', 'sent', 'received', 'cancelled']

/** The accounting collections. */
export const accounting = [
  collection('companies', companyInfo),
  collection('tax_codes', taxRate),
  collection('cost_centers', trackingCategory),
  collection('ledger_accounts', account, {
    classification: readOnly('classification'),
    accountType: createOnly(notNull('accountType')),
    currentBalance: readOnly('currentBalance'),
  }),
  collection('vendors', vendor),
  collection('clients', customer),
  collection('catalog_items', item, {
    unitPrice: money('unitPrice'),
    purchasePrice: money('purchasePrice'),
    qtyOnHand: quantity('qtyOnHand'),
  }),
  collection('purchase_orders', purchaseOrder, {
    ...document,
    purchaseOrderStatus: notNull(enumeration('state', orderStates)),
    purchaseOrderNumber: notNull('number'),
    issueDate: notNull('ordered_on'),
    deliveryDate: 'expected_on',
    deliveryAddress: 'deliver_to',
    vendorId: notNull('vendor'),
    accountId: 'account',
    totalAmount: readOnly('total'),
    lineItems: notNull(listOf('lines', orderLine, { matchBy: lineMatching })),
  }),
  collection('bills', bill, billRules, accountsOfLines),
  collection('invoices', invoice, invoiceRules, accountsOfLines),
  collection('payments', payment, paymentRules, settledByPayment),
]
