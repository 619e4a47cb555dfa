/** Rules that bills, invoices and purchase orders share. */
import { currency, money, rate, required, sameList } from '../conversion.ts'
import { as, type Inverse } from '../inverse.ts'
import { list, ofRecord, type Parts, part } from '../nested.ts'

/** A line in a response. */
export interface RawLine {
  readonly text: string
  readonly item: string | null
  readonly account: string
  readonly cost_centers: readonly string[]
  readonly unit_price: string
  readonly quantity: number
  readonly net: string
  readonly tax: string
  readonly gross: string
}

/** The fields of a response that the rules read. */
export interface RawDocument {
  readonly company: string
  readonly currency_code: string
  readonly fx_rate: string
  readonly lines: readonly RawLine[]
}

/** Reads a line of a bill or an invoice. Its amount is before discount and tax, like the subtotal. */
const readLine = (line: RawLine, document: RawDocument) => ({
  description: line.text,
  unitPrice: line.unit_price,
  quantity: line.quantity,
  totalAmount: line.net,
  // The sandbox stores these on the document only; they apply to each line.
  currency: document.currency_code,
  exchangeRate: document.fx_rate,
  companyId: document.company,
  accountingItemId: line.item,
  accountId: line.account,
  trackingCategoryIds: line.cost_centers,
})

/** Read rules that bills and invoices share. */
export const billingRules = {
  issueDate: 'issued_on',
  dueDate: 'due_on',
  paidOnDate: 'paid_on',
  memo: 'remark',
  companyId: 'company',
  currency: 'currency_code',
  exchangeRate: 'fx_rate',
  subTotal: 'net_total',
  totalDiscount: 'discount_total',
  totalTaxAmount: 'tax_total',
  totalAmount: 'total',
  balance: 'open_amount',
  trackingCategoryIds: 'cost_centers',
  purchaseOrderIds: 'purchase_orders',
  lineItems: (raw: RawDocument) => raw.lines.map((line) => readLine(line, raw)),
} as const

/** The writable parts of a line. The sandbox computes the totals and the tax. */
export const lineParts: Parts = {
  description: 'text',
  unitPrice: part('unit_price', money),
  quantity: 'quantity',
  currency: ofRecord('currency_code', currency),
  accountingItemId: 'item',
  accountId: 'account',
  trackingCategoryIds: part('cost_centers', sameList),
}

/** How lines match stored lines. A matched line keeps its tax code, which the common model lacks. */
export const lineMatching = {
  in: 'lines',
  by: [
    ['text', 'item', 'account'],
    ['text', 'account'],
    ['item', 'account'],
  ],
} as const

const billingLineParts: Parts = {
  ...lineParts,
  exchangeRate: ofRecord('fx_rate', required(rate)),
  companyId: ofRecord('company', required()),
}

/** Write rules that bills and invoices share. */
export const billingInverse: Inverse = {
  issueDate: as('issued_on', required()),
  dueDate: as('due_on', required()),
  memo: 'remark',
  companyId: as('company', required()),
  currency: as('currency_code', currency),
  exchangeRate: as('fx_rate', rate),
  trackingCategoryIds: as('cost_centers', sameList),
  lineItems: as('lines', required(list(billingLineParts, lineMatching))),
  purchaseOrderIds: as('purchase_orders', sameList),
}
