/** Exact money arithmetic: decimal strings at the edge, integer ten-thousandths inside. */

// The finest minor unit of a currency is a ten-thousandth (CLF, UYW).
const UNITS = 10_000

/** Ten-thousandths of a decimal string: `'12.34'` becomes 123400. */
export const units = (amount: string): number => Math.round(Number(amount) * UNITS)

/** Decimal string of ten-thousandths, with two to four decimals: 123400 becomes `'12.34'`. */
export const amount = (value: number): string => {
  const digits = String(Math.abs(Math.round(value))).padStart(5, '0')
  const sign = value <= -0.5 ? '-' : ''
  return `${sign}${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`
}

/** Decimal string of cents, rounded to whole cents: 1234 becomes `'12.34'`. */
export const ofCents = (cents: number): string => amount(Math.round(cents) * 100)

const steps = new Map<string, number>()

/** Ten-thousandths of the smallest amount of a currency: 100 of a euro, 10,000 of a yen. */
const stepOf = (currency: string): number => {
  const known = steps.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const step = UNITS / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2)
  steps.set(currency, step)
  return step
}

/** An amount times a rate or a quantity, rounded to whole minor units of the currency. */
export const times = (value: number, factor: number | string, currency: string): number => {
  const step = stepOf(currency)
  return Math.round((value * Number(factor)) / step) * step
}

/** `percent` (a decimal string) of an amount, rounded to whole minor units of its currency. */
export const shareOf = (value: number, percent: string, currency: string): number =>
  times(value, Number(percent) / 100, currency)

/** Sum of numbers. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)
