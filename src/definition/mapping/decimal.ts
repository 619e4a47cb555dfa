/** Decimal numbers that an app limits in size, as text or as JSON numbers. Values are never rounded. */
import { formatDecimal, parseDecimal } from '../decimal.ts'
import { WriteRejection } from '../steps.ts'
import { trimTrailing } from '../value.ts'
import type { Converter } from './rule.ts'

/** How an app stores a decimal number. */
export interface DecimalFormat {
  readonly as: 'text' | 'number'
  /** The maximum number of digits before the decimal point. */
  readonly whole?: number
  /** The maximum number of digits after the decimal point. */
  readonly fraction?: number
  /** The minimum number of digits after the decimal point: 2 writes `12.50`. */
  readonly padTo?: number
  /** Rejects negative values. `name` is the subject of the error message: `An exchange rate`. */
  readonly notNegative?: { readonly name: string }
}

// A JSON number is exact up to 15 digits.
const EXACT_DIGITS = 15

/** A decimal number, read unchanged: `12.5` is written as `12.50` with `padTo: 2`. */
export const decimal = (path: string, format: DecimalFormat): Converter => ({
  from: path,
  write: (value, { app, path: field }) => {
    const refuse = (reason: string): never => {
      throw new WriteRejection(reason, field)
    }
    const parsed = parseDecimal(String(value)) ?? refuse('Expected a decimal number.')
    const sign = parsed.unscaled < 0n ? '-' : ''
    const [whole = '', digits = ''] = formatDecimal(parsed).replace('-', '').split('.')
    const fraction = trimTrailing(digits, '0')
    if (fraction.length > (format.fraction ?? Number.POSITIVE_INFINITY))
      refuse(`${app} stores at most ${format.fraction} decimals.`)
    if (whole.length > (format.whole ?? Number.POSITIVE_INFINITY))
      refuse(`${app} stores at most ${format.whole} digits before the decimal point.`)
    if (format.notNegative && sign === '-') refuse(`${format.notNegative.name} cannot be negative.`)
    const padded = fraction.padEnd(format.padTo ?? 0, '0')
    const text = `${sign}${whole}${padded === '' ? '' : `.${padded}`}`
    if (format.as === 'text') return text
    if (whole.length + fraction.length > EXACT_DIGITS)
      refuse(`${app} stores at most ${EXACT_DIGITS} digits of a number.`)
    return Number(text)
  },
})
