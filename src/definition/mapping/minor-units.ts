/** Amounts that an app stores as integers, e.g. in cents: 9136 with 2 digits is `91.36`. They are never rounded. */
import { formatDecimal, parseDecimal, rescale } from '../decimal.ts'
import { WriteRejection } from '../steps.ts'

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
  if (!decimal) throw new WriteRejection(`${text} is not a decimal number`, field)
  const exact = rescale(decimal, digits)
  if (exact === undefined)
    throw new WriteRejection(`${text} has more than ${digits} decimal places`, field)
  const amount = Number(exact)
  if (!Number.isSafeInteger(amount)) throw new WriteRejection(`${text} is too large`, field)
  return amount
}
