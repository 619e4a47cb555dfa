/** JSON whose numbers are not rounded. */
import { compareDecimals, parseDecimal } from './decimal.ts'

/** A reviver with the third argument, which TypeScript's library does not declare yet. */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown

// JavaScript rounds no number of fewer digits. A reviver makes parsing several times slower.
const MAY_BE_ROUNDED = /[\d.]{16}/
// With up to 17 digits, some programs write the value of a double: 0.10000000000000001 is 0.1.
const MAX_DOUBLE_DIGITS = 17

/** Whether JavaScript loses digits of a number: of an integer, or of a decimal with more digits than a double. */
const isRounded = (value: number, source: string): boolean => {
  const [mantissa = ''] = source.split(/e/i)
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '')
  if (mantissa.includes('.') && digits.length <= MAX_DOUBLE_DIGITS) return false
  const [parsed, written] = [parseDecimal(String(value)), parseDecimal(source)]
  return !parsed || !written || compareDecimals(parsed, written) !== 0
}

/**
 * Parses JSON.
 * @param revive as of `JSON.parse`
 * @param onRounded the value in place of a number that JavaScript would round, from its digits. Default: the
 *   digits as a string, which every decimal field accepts
 * @throws SyntaxError
 */
export const parseJson = (
  text: string,
  revive?: (name: string, value: unknown) => unknown,
  onRounded: (name: string, digits: string) => unknown = (_name, digits) => digits,
): unknown => {
  if (!MAY_BE_ROUNDED.test(text)) return JSON.parse(text, revive)
  const reviveExactly: Reviver = (name, value, { source }) => {
    const isLost = typeof value === 'number' && source !== undefined && isRounded(value, source)
    if (isLost) return onRounded(name, source)
    return revive ? revive(name, value) : value
  }
  // Reviver differs only in its third argument.
  return JSON.parse(text, reviveExactly as (name: string, value: unknown) => unknown)
}
