/** Amounts that an app stores as integers, e.g. in cents: 9136 with 2 digits is `91.36`. They are never rounded. */
import { formatDecimal, parseDecimal, rescale } from '../decimal.ts'
import { type Values, valuesOf } from '../raw-values.ts'
import { WriteRejection } from '../steps.ts'
import type { Converter } from './rule.ts'

/**
 * An amount as decimal text: `fromMinorUnits(9136, 2)` is `91.36`.
 * @throws RangeError if the amount is not an integer
 */
export const fromMinorUnits = (amount: number, digits: number): string =>
  formatDecimal({ unscaled: BigInt(amount), scale: digits })

/**
 * Decimal text as an amount: `toMinorUnits('91.36', 2, 'price')` is 9136.
 * @throws WriteRejection naming the field if the amount has too many decimal places or is too large
 */
export const toMinorUnits = (text: string, digits: number, field: string): number => {
  const decimal = parseDecimal(text)
  if (!decimal) throw new WriteRejection(`${text} is not a decimal number.`, field)
  const exact = rescale(decimal, digits)
  if (exact === undefined)
    throw new WriteRejection(`${text} has more than ${digits} decimal places.`, field)
  const amount = Number(exact)
  if (!Number.isSafeInteger(amount)) throw new WriteRejection(`${text} is too large.`, field)
  return amount
}

/**
 * An amount in minor units: at a path, or computed from the object that contains it; then a write needs a path, too.
 * @param digits the number of decimal places, from the context of the account
 */
export const minorUnits = (
  from: string | ((raw: Values, context: unknown) => number | undefined),
  digits: (context: unknown) => number,
): Converter => ({
  from: typeof from === 'string' ? from : '',
  read: (value, _, context) => {
    const amount = typeof from === 'string' ? Number(value) : from(valuesOf(value), context)
    return amount === undefined ? null : fromMinorUnits(amount, digits(context))
  },
  write: (value, { path, context }) => toMinorUnits(String(value), digits(context), path),
})
