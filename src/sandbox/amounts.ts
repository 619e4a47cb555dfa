/** Exact money arithmetic: decimal strings at the edge, integer ten-thousandths inside. */

// The finest minor unit of a currency is a ten-thousandth (CLF, UYW).
const UNITS = 10_000

/**
 * Currencies whose minor unit is not a hundredth (ISO 4217, list one). Codes without a minor unit (metals,
 * funds, test codes) count in hundredths.
 */
const minorDigits = new Map<string, number>([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG'].map(
    (code) => [code, 0] as const,
  ),
  ...['RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ...['CLF', 'UYW'].map((code) => [code, 4] as const),
])

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

/** Rounds ten-thousandths to the minor unit of a currency: `12.5` yen become 13. */
const round = (value: number, currency: string): number => {
  const step = UNITS / 10 ** (minorDigits.get(currency) ?? 2)
  return Math.round(value / step) * step
}

/** `percent` (a decimal string) of an amount, rounded to the minor unit of its currency. */
export const shareOf = (value: number, percent: string, currency: string): number =>
  round((value * Number(percent)) / 100, currency)

/** An amount times a rate or a quantity, rounded to the minor unit of the currency. */
export const times = (value: number, factor: number | string, currency: string): number =>
  round(value * Number(factor), currency)

/** Sum of numbers. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)
