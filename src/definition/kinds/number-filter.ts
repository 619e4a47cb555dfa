/** Filters of numbers, which compare exact digits. */
import type { ZodType } from 'zod'
import { compareDecimals, type Decimal, JSON_DECIMAL, parseDecimal } from '../decimal.ts'
import { readAs } from './input.ts'
import type { Filter, FilterValue, Operator } from './kind.ts'

/** @throws TypeError if the value is not a decimal number */
const decimalOf = (value: unknown): Decimal => {
  const decimal = parseDecimal(String(value))
  if (decimal) return decimal
  throw new TypeError('A number filter compares a value that is not a decimal number.')
}

const isWithin = (difference: number, operator: Operator): boolean =>
  operator === 'min' ? difference >= 0 : operator === 'max' ? difference <= 0 : difference === 0

/** A filter of numbers by equality and bounds. `input` is the schema of the filter value. */
export const numberFilter = (
  input: ZodType<FilterValue>,
  details: Pick<Filter<number>, 'sql' | 'graphql' | 'jsonSchema'>,
): Filter<number> => ({
  operators: ['equals', 'min', 'max', 'notEquals'],
  input: () => input,
  meets: (stored, { value }, operator) =>
    isWithin(compareDecimals(decimalOf(stored), decimalOf(value)), operator),
  typescript: 'number',
  example: Number,
  ...details,
})

const decimalInput = readAs('a decimal number such as 12.50', (input): FilterValue | undefined => {
  const digits = String(input)
  return Number.isFinite(input) || JSON_DECIMAL.test(digits)
    ? { value: digits, isWholeDay: false }
    : undefined
})

/** The filter of the decimal kinds. */
export const decimalFilter = numberFilter(decimalInput, {
  sql: { form: 'value', cast: '::numeric' },
  graphql: { scalar: 'Float' },
  jsonSchema: () => ({ type: 'number' }),
})

/** The filter operators of numbers. */
export type NumberOperator = 'equals' | 'min' | 'max' | 'notEquals'
