/** The shared parts of the kinds of decimal numbers, which keep exact digits as text. */
import { COLUMN_DECIMAL, compareDecimals, DECIMAL, parseDecimal } from '../decimal.ts'
import { readAs } from './input.ts'
import type { Kind } from './kind.ts'
import { MAX_INPUT_DIGITS } from './limits.ts'

/** The digits of a value from an app or a column; undefined if it is not a decimal number. */
export const digitsOf = (value: unknown): string | undefined => {
  const digits = String(value)
  return typeof value !== 'boolean' && DECIMAL.test(digits) ? digits : undefined
}

/** The input schema of a decimal number; its result is the digits. */
export const digitsInput = readAs('a decimal number such as 12.50', (value) => {
  if (typeof value !== 'string' && !Number.isFinite(value)) return
  const digits = String(value)
  return digits.length <= MAX_INPUT_DIGITS && DECIMAL.test(digits) ? digits : undefined
})

const isSameNumber = (stored: unknown, input: unknown): boolean => {
  const a = parseDecimal(String(stored))
  const b = parseDecimal(String(input))
  return a !== undefined && b !== undefined && compareDecimals(a, b) === 0
}

/** The shared parts of decimal kinds. Each kind adds how the API shows its values. */
export const decimalParts = {
  isScalar: true,
  expected: 'a decimal number',
  normalize: digitsOf,
  input: digitsInput,
  matches: isSameNumber,
  accepts: ['integer', 'number', 'decimal', 'json'],
  order: { isValue: (text: string) => COLUMN_DECIMAL.test(text) },
  isMeasured: true,
} as const satisfies Partial<Kind>
