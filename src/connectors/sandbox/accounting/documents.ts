/** What bills and invoices have in common. */

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
