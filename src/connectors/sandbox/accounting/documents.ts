/** What the papers of the books have in common. */
import { currency, filled, listed, money, rate } from '../conversion.ts'
import { as, type Inverse } from '../inverse.ts'
import { list, ofRecord, type Parts, told } from '../nested.ts'

/** A line as the sandbox sends it. */
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

/** What the rules of documents read. */
export interface RawDocument {
  readonly company: string
  readonly currency_code: string
  readonly fx_rate: string
  readonly lines: readonly RawLine[]
}

/** A line that both kinds of demand have: before discount and tax, as their subtotal is. */
const demandLine = (line: RawLine, document: RawDocument) => ({
  description: line.text,
  unitPrice: line.unit_price,
  quantity: line.quantity,
  totalAmount: line.net,
  // The sandbox says these of the document alone; they hold for each of its lines.
  currency: document.currency_code,
  exchangeRate: document.fx_rate,
  companyId: document.company,
  accountingItemId: line.item,
  accountId: line.account,
  trackingCategoryIds: line.cost_centers,
})

/** The rules that bills and invoices share. */
export const demand = {
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
  lineItems: (raw: RawDocument) => raw.lines.map((line) => demandLine(line, raw)),
} as const

/** A line as it is written; its sums and its tax the sandbox works out. */
export const lineParts: Parts = {
  description: 'text',
  unitPrice: told('unit_price', money),
  quantity: 'quantity',
  currency: ofRecord('currency_code', currency),
  accountingItemId: 'item',
  accountId: 'account',
  trackingCategoryIds: told('cost_centers', listed),
}

/** How a line is known again: so it keeps its tax code, for which the common model has no field. */
export const recognisedLines = {
  in: 'lines',
  by: [
    ['text', 'item', 'account'],
    ['text', 'account'],
    ['item', 'account'],
  ],
} as const

const demandLineParts: Parts = {
  ...lineParts,
  exchangeRate: ofRecord('fx_rate', filled(rate)),
  companyId: ofRecord('company', filled()),
}

/** The fields that bills and invoices share, as they are written. */
export const demandInverse: Inverse = {
  issueDate: as('issued_on', filled()),
  dueDate: as('due_on', filled()),
  memo: 'remark',
  companyId: as('company', filled()),
  currency: as('currency_code', currency),
  exchangeRate: as('fx_rate', rate),
  trackingCategoryIds: as('cost_centers', listed),
  lineItems: as('lines', filled(list(demandLineParts, recognisedLines))),
  purchaseOrderIds: as('purchase_orders', listed),
}
