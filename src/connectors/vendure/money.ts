/** Vendure's amounts: integers of a unit that the shop sets, whatever the currency (NOTES 22). */
import { WriteRefusal } from '../../definition/connector.ts'
import { formatDecimal, parseDecimal, rescale } from '../../definition/decimal.ts'

/**
 * Decimal text of an integer of 10^-precision: `decimalText(9136, 2)` is `91.36`.
 * @throws RangeError if it is no integer
 */
export const decimalText = (amount: number, precision: number): string =>
  formatDecimal({ unscaled: BigInt(amount), scale: precision })

/** The sum of integers, as exact as they are. */
export const sum = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => total + amount, 0)

/**
 * The reverse of `decimalText`: `unitsOf('91.36', 2, 'price')` is 9136. No digit is rounded away.
 * @throws WriteRefusal that names the field if the shop's unit is too coarse, or the amount too large
 */
export const unitsOf = (text: string, precision: number, field: string): number => {
  const decimal = parseDecimal(text)
  if (!decimal) throw new WriteRefusal(`${text} is no decimal number`, field)
  const exact = rescale(decimal, precision)
  if (exact === undefined)
    throw new WriteRefusal(`${text} has more than ${precision} decimal places`, field)
  const units = Number(exact)
  if (!Number.isSafeInteger(units)) throw new WriteRefusal(`${text} is too large`, field)
  return units
}
