/** Vendure's amounts (NOTES "amounts are integers of a unit that the shop sets"). */
import { WriteRejection } from '../../definition/connector.ts'
import { formatDecimal, parseDecimal, rescale } from '../../definition/decimal.ts'

/**
 * An amount as decimal text: `decimalText(9136, 2)` is `91.36`.
 * @throws RangeError if the amount is not an integer
 */
export const decimalText = (amount: number, precision: number): string =>
  formatDecimal({ unscaled: BigInt(amount), scale: precision })

/** The sum of amounts. */
export const sum = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => total + amount, 0)

/**
 * Decimal text as an amount, the reverse of `decimalText`: `unitsOf('91.36', 2, 'price')` is 9136. It never
 * rounds.
 * @throws WriteRejection naming the field if the amount has too many decimal places or is too large
 */
export const unitsOf = (text: string, precision: number, field: string): number => {
  const decimal = parseDecimal(text)
  if (!decimal) throw new WriteRejection(`${text} is not a decimal number`, field)
  const exact = rescale(decimal, precision)
  if (exact === undefined)
    throw new WriteRejection(`${text} has more than ${precision} decimal places`, field)
  const units = Number(exact)
  if (!Number.isSafeInteger(units)) throw new WriteRejection(`${text} is too large`, field)
  return units
}
