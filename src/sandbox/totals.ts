/** What the sums on a document are: line by line, so that they always add up. */
import { amount, cents, shareOf, sum, times } from './amounts.ts'
import { type Completion, FieldError } from './kinds/kind.ts'

interface PricedLine {
  readonly unit_price: string
  readonly quantity: number
  readonly tax_code: string
}

interface PricedDocument<L> {
  readonly lines: readonly L[]
  readonly discount_percent: string
  readonly fx_rate: string
}

const LARGEST = 1e13 // cents: sums of thousands of such are still whole numbers

/** @throws FieldError if an amount is too large to be added up to the cent, here or in euro */
export const checkSize = (value: number, fxRate: string, field: string): void => {
  if (Math.abs(value) * Math.max(1, Number(fxRate)) > LARGEST)
    throw new FieldError('too_large', field)
}

/** The lines with their sums, and the sums of the document: total = net − discount + tax. */
export const documentTotals = <L extends PricedLine>(
  { lines, discount_percent, fx_rate }: PricedDocument<L>,
  { look }: Pick<Completion, 'look'>,
) => {
  const priced = lines.map((line) => {
    const net = times(cents(line.unit_price), line.quantity)
    const discount = shareOf(net, discount_percent)
    const percent = String(look('tax_codes', line.tax_code)?.effective_percent ?? '0')
    return { line, net, discount, tax: shareOf(net - discount, percent) }
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

/** How much of a bill or an invoice is paid. */
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

/** The standing of a document whose lines were written: what was paid stays paid. */
export const settlementOf = (
  total: string,
  inBooks: boolean,
  { previous, today }: Pick<Completion, 'previous' | 'today'>,
): Settlement =>
  settlement(
    cents(total),
    cents(String(previous?.paid_total ?? '0')),
    inBooks,
    previous?.paid_on ?? today,
  )

/** The standing of a document after `paid` cents more, or fewer, were paid on a day. */
export const settle = (
  document: { readonly total: string; readonly paid_total: string; readonly state: string },
  paid: number,
  day: string,
): Settlement =>
  settlement(
    cents(document.total),
    cents(document.paid_total) + paid,
    document.state !== 'draft',
    day,
  )

/** The number that a document is given unless its writer has one: `INV-0042`. */
export const numbered = (prefix: string, given: string | undefined, id: string): string =>
  given ?? `${prefix}-${id.slice(id.indexOf('_') + 1)}`
