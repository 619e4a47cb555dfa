/** The kind of decimal numbers that the API shows as JSON numbers. */
import { plainDecimal } from '../decimal.ts'
import { numericColumn } from './column.ts'
import { decimalParts, digitsInput, digitsOf } from './digits.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import { decimalFilter, type NumberOperator } from './number-filter.ts'

declare global {
  interface JSON {
    /** A value that JSON.stringify writes verbatim. V8 has it; TypeScript 6.0 does not declare it. */
    rawJSON(text: string): unknown
  }
}

const parts = {
  ...decimalParts,
  name: 'number',
  column: {
    ...numericColumn,
    // Keep the digits: 1.50 stays 1.50.
    toJson: (digits: unknown) => JSON.rawJSON(plainDecimal(String(digits))),
  },
  filter: decimalFilter,
  graphql: { scalar: 'Float' },
  typescript: 'number',
  jsonSchema: () => ({ type: 'number' }),
  example: (source) => Number(source.amount('100')),
} as const satisfies Kind<number | null, number>

const numberKind: Kind<number | null, number> = {
  ...parts,
  // Only a column keeps exact digits; inside an object the value is a JSON number.
  nested: {
    ...parts,
    normalize: (value) => {
      const digits = digitsOf(value)
      return digits === undefined ? undefined : Number(digits)
    },
    input: digitsInput.transform(Number),
  },
}

/** A decimal number: a JSON number in the API, `numeric` in the database. */
export const number = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<number | null, Op, number> => fieldOf(numberKind, doc, options)
