/** Vendure's amounts: integers of a unit that the shop sets, whatever the currency (NOTES 22). */

/**
 * Decimal text of an integer of 10^-precision: `decimalText(9136, 2)` is `91.36`.
 * @throws RangeError if it is no integer
 */
export const decimalText = (amount: number, precision: number): string => {
  const digits = BigInt(amount).toString().replace('-', '')
  const padded = digits.padStart(precision + 1, '0')
  const whole = padded.slice(0, padded.length - precision)
  const sign = amount < 0 ? '-' : ''
  return sign + whole + (precision > 0 ? `.${padded.slice(-precision)}` : '')
}

/** The sum of integers, as exact as they are. */
export const sum = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => total + amount, 0)
