/** Rules that bills, invoices and purchase orders share. */
import { listOf, notNull, ofRecord, readOnly } from '../../../definition/mapping/converters.ts'
import { money, rate } from '../formats.ts'

/** The fields of a line that all documents have. */
export const line = {
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
export const lineMatching = [
  ['text', 'item', 'account'],
  ['text', 'account'],
  ['item', 'account'],
] as const

/** Rules that bills and invoices share. */
export const billing = {
  issueDate: notNull('issued_on'),
  dueDate: notNull('due_on'),
  paidOnDate: readOnly('paid_on'),
  memo: 'remark',
  companyId: notNull('company'),
  currency: notNull('currency_code'),
  exchangeRate: rate('fx_rate'),
  subTotal: readOnly('net_total'),
  totalDiscount: readOnly('discount_total'),
  totalTaxAmount: readOnly('tax_total'),
  totalAmount: readOnly('total'),
  balance: readOnly('open_amount'),
  trackingCategoryIds: 'cost_centers',
  lineItems: notNull(
    listOf(
      'lines',
      {
        ...line,
        // Before discount and tax, like the subtotal.
        totalAmount: readOnly('net'),
        exchangeRate: ofRecord(notNull(rate('fx_rate'))),
        companyId: ofRecord(notNull('company')),
      },
      lineMatching,
    ),
  ),
  purchaseOrderIds: 'purchase_orders',
} as const
