/** Totals of a document. They are computed line by line, so that they always add up. */
import { amount, shareOf, sum, times, units } from './amounts.ts'
import { FieldError } from './errors.ts'
import type { RecordCompletion } from './kinds/kind.ts'

interface PricedLine {
  readonly unit_price: string
  readonly quantity: number
  readonly tax_code: string
}

interface PricedDocument<L> {
  readonly lines: readonly L[]
  readonly discount_percent: string
  readonly fx_rate: string
  readonly currency_code: string
}

// Ten-thousandths. A hundred times this is still a safe integer, so percentages and sums are exact.
const LARGEST = 9e13

/** Checks that an amount is small enough for exact sums, also in euro. @throws FieldError */
export const checkSize = (value: number, fxRate: string, field: string): void => {
  if (Math.abs(value) * Math.max(1, Number(fxRate)) > LARGEST)
    throw new FieldError('too_large', field)
}

/** Computes the totals of each line and of the document: total = net − discount + tax. */
export const documentTotals = <L extends PricedLine>(
  { lines, discount_percent, fx_rate, currency_code }: PricedDocument<L>,
  { lookUp }: Pick<RecordCompletion, 'lookUp'>,
) => {
  const priced = lines.map((line) => {
    const net = times(units(line.unit_price), line.quantity, currency_code)
    const discount = shareOf(net, discount_percent, currency_code)
    const percent = String(lookUp('tax_codes', line.tax_code)?.effectiveTaxRate ?? 0)
    return { line, net, discount, tax: shareOf(net - discount, percent, currency_code) }
  })
  const net = sum(priced.map((line) => line.net))
  const discount = sum(priced.map((line) => line.discount))
  const tax = sum(priced.map((line) => line.tax))
  checkSize(sum(priced.map((line) => Math.abs(line.net))), fx_rate, 'lines')
  return {
    lines: priced.map(({ line, ...sums }) => ({
      ...line,
      net: amount(sums.net),
      discount: amount(sums.discount),
      tax: amount(sums.tax),
      gross: amount(sums.net - sums.discount + sums.tax),
    })),
    net_total: amount(net),
    discount_total: amount(discount),
    tax_total: amount(tax),
    total: amount(net - discount + tax),
  }
}

/** Payment state of a bill or an invoice. */
export interface Settlement {
  readonly state: 'draft' | 'open' | 'part_paid' | 'paid'
  readonly paid_total: string
  readonly open_amount: string
  readonly paid_on: string | null
}

const settlement = (total: number, paid: number, inBooks: boolean, day: unknown): Settlement => {
  const isPaid = inBooks && total > 0 && paid >= total
  return {
    state: !inBooks ? 'draft' : isPaid ? 'paid' : paid > 0 ? 'part_paid' : 'open',
    paid_total: amount(paid),
    open_amount: amount(total - paid),
    paid_on: isPaid ? String(day) : null,
  }
}

/** Settlement of a document after a write of its lines; the paid amount stays. */
export const settlementOf = (
  total: string,
  inBooks: boolean,
  { previous, today }: Pick<RecordCompletion, 'previous' | 'today'>,
): Settlement =>
  settlement(
    units(total),
    units(String(previous?.paid_total ?? '0')),
    inBooks,
    previous?.paid_on ?? today,
  )

/** Settlement of a document after a payment of `paid` on a day; negative for a removed payment. */
export const settle = (
  document: { readonly total: string; readonly paid_total: string; readonly state: string },
  paid: number,
  day: string,
): Settlement =>
  settlement(
    units(document.total),
    units(document.paid_total) + paid,
    document.state !== 'draft',
    day,
  )

/** Number of a document: the specified one, or one derived from its id, e.g. `INV-0042`. */
export const documentNumber = (prefix: string, stated: string | undefined, id: string): string =>
  stated ?? `${prefix}-${id.slice(id.indexOf('_') + 1)}`
