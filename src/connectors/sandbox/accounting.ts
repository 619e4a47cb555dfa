/** Accounting collections. */
import {
  createOnly,
  enumeration,
  notNull,
  ofRecord,
  readOnly,
} from '../../definition/mapping/converters.ts'
import { states } from '../../definition/mapping/states.ts'
import type { Resource } from '../../definition/resource.ts'
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
import { entriesOf } from './derived.ts'
import { money, quantity, rate } from './formats.ts'
import { accountsOfLines, settledByPayment } from './side-effects.ts'

/** Rules of fields that the sandbox computes. */
const computed = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, readOnly(name)]))

/** How lines match stored lines. A matched line keeps its tax code, which the common model lacks. */
const lineMatching = [
  ['description', 'accountingItemId', 'accountId'],
  ['description', 'accountId'],
  ['accountingItemId', 'accountId'],
]

const line = {
  unitPrice: money('unitPrice'),
  // The sandbox stores it on the document; it applies to each line.
  currency: ofRecord(notNull('currency')),
}

const billingLine = {
  ...line,
  exchangeRate: ofRecord(notNull(rate('exchangeRate'))),
  companyId: ofRecord(notNull('companyId')),
  ...computed('totalAmount'),
}

/** The state of a bill or an invoice. */
const documentState = states('state', {
  draft: 'DRAFT',
  open: 'OPEN',
  part_paid: 'PARTIALLY_PAID',
  paid: 'PAID',
})

/** Rules of bills and invoices. */
const billing = (resource: Resource) => ({
  exchangeRate: rate('exchangeRate'),
  issueDate: notNull('issueDate'),
  dueDate: notNull('dueDate'),
  ...computed(
    'paidOnDate',
    'subTotal',
    'totalDiscount',
    'totalTaxAmount',
    'totalAmount',
    'balance',
  ),
  lineItems: notNull(entriesOf(resource, 'lineItems', billingLine, lineMatching)),
})

/** The accounting collections. */
export const accounting = [
  collection('companies', companyInfo),
  collection('tax_codes', taxRate),
  collection('cost_centers', trackingCategory),
  collection('ledger_accounts', account, {
    accountType: createOnly(notNull('accountType')),
    ...computed('classification', 'currentBalance'),
  }),
  collection('vendors', vendor),
  collection('clients', customer),
  collection('catalog_items', item, {
    unitPrice: money('unitPrice'),
    purchasePrice: money('purchasePrice'),
    qtyOnHand: quantity('qtyOnHand'),
  }),
  collection('purchase_orders', purchaseOrder, {
    exchangeRate: rate('exchangeRate'),
    purchaseOrderStatus: notNull(
      enumeration('purchaseOrderStatus', ['draft', 'sent', 'received', 'cancelled']),
    ),
    purchaseOrderNumber: notNull('purchaseOrderNumber'),
    issueDate: notNull('issueDate'),
    vendorId: notNull('vendorId'),
    ...computed('totalAmount'),
    lineItems: notNull(
      entriesOf(
        purchaseOrder,
        'lineItems',
        {
          ...line,
          // With tax: the order has no subtotal, so its lines add up to the total.
          ...computed('taxAmount', 'totalLineAmount'),
        },
        lineMatching,
      ),
    ),
  }),
  collection(
    'bills',
    bill,
    {
      ...billing(bill),
      vendorId: notNull('vendorId'),
      billNumber: notNull('billNumber'),
      billStatus: readOnly('state'),
      billState: documentState,
    },
    accountsOfLines,
  ),
  collection(
    'invoices',
    invoice,
    {
      ...billing(invoice),
      customerId: notNull('customerId'),
      invoiceNumber: notNull('invoiceNumber'),
      invoiceStatus: readOnly('state'),
      invoiceState: documentState,
    },
    accountsOfLines,
  ),
  collection(
    'payments',
    payment,
    {
      transactionDate: notNull('transactionDate'),
      // For payments on account. A payment of an invoice or bill (`remoteFields`) has the document's party.
      customerId: createOnly('customerId'),
      vendorId: createOnly('vendorId'),
      accountId: createOnly(notNull('accountId')),
      currency: createOnly(notNull('currency')),
      exchangeRate: createOnly(rate('exchangeRate')),
      totalAmount: createOnly(notNull(money('totalAmount'))),
      paymentState: () => 'COMPLETED',
    },
    settledByPayment,
  ),
]
