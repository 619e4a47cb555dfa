/** Money without rounding surprises: decimal texts at the edge, whole cents in between. */

/** The cents of a decimal text: `'12.34'` is 1234. */
export const cents = (amount: string): number => Math.round(Number(amount) * 100)

/** The decimal text of cents: 1234 is `'12.34'`. */
export const amount = (value: number): string => {
  const digits = String(Math.abs(Math.round(value))).padStart(3, '0')
  const sign = value <= -0.5 ? '-' : ''
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** `percent` (a decimal text) of cents, rounded to whole cents. */
export const shareOf = (value: number, percent: string): number =>
  Math.round((value * Number(percent)) / 100)

/** Cents times a rate or a quantity, rounded to whole cents. */
export const times = (value: number, factor: number | string): number =>
  Math.round(value * Number(factor))

/** The sum of numbers, usually cents. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)
