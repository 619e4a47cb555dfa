/** Totals of a document. They are computed line by line, so that they always add up. */
import { amount, shareOf, sum, times, units } from './amounts.ts'
import { FieldError } from './errors.ts'

interface PricedLine {
  readonly unitPrice: string
  readonly quantity: number
}

/** A document whose totals follow from its lines. */
export interface PricedDocument<L> {
  readonly lineItems: readonly L[]
  readonly discount_percent: string
  readonly tax_percent: string
  readonly exchangeRate: string
  readonly currency: string
}

// Ten-thousandths. A hundred times this is still a safe integer, so percentages and sums are exact.
const LARGEST = 9e13

/** Checks that an amount is small enough for exact sums, also in euro. @throws FieldError */
export const checkSize = (value: number, exchangeRate: string, field: string): void => {
  if (Math.abs(value) * Math.max(1, Number(exchangeRate)) > LARGEST)
    throw new FieldError('too_large', field)
}

/** Computes the totals of each line and of the document: total = net − discount + tax. */
export const documentTotals = <L extends PricedLine>(document: PricedDocument<L>) => {
  const { lineItems, discount_percent, tax_percent, exchangeRate, currency } = document
  const priced = lineItems.map((line) => {
    const net = times(units(line.unitPrice), line.quantity, currency)
    const discount = shareOf(net, discount_percent, currency)
    const tax = shareOf(net - discount, tax_percent, currency)
    return { line, net, discount, tax, gross: net - discount + tax }
  })
  checkSize(sum(priced.map(({ net }) => Math.abs(net))), exchangeRate, 'lineItems')
  const totalOf = (name: 'net' | 'discount' | 'tax' | 'gross') =>
    amount(sum(priced.map(({ [name]: value }) => value)))
  return {
    lineItems: priced.map(({ line, net, discount, tax, gross }) => ({
      ...line,
      // Before discount and tax.
      totalAmount: amount(net),
      discount: amount(discount),
      taxAmount: amount(tax),
      totalLineAmount: amount(gross),
    })),
    subTotal: totalOf('net'),
    totalDiscount: totalOf('discount'),
    totalTaxAmount: totalOf('tax'),
    totalAmount: totalOf('gross'),
  }
}
