/** Decimal amounts: numbers on input, strings of digits on output. */
import { COLUMN_DECIMAL, DECIMAL, plainDecimal } from '../decimal.ts'
import { numericTextColumn } from './column.ts'
import { decimalParts } from './digits.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import { decimalFilter, type NumberOperator } from './number-filter.ts'

const schemaWith =
  (pattern: RegExp): Kind['jsonSchema'] =>
  (side) =>
    side === 'input'
      ? { type: ['number', 'string'], pattern: COLUMN_DECIMAL.source }
      : { type: 'string', pattern: pattern.source }

const parts = {
  ...decimalParts,
  name: 'decimal',
  column: { ...numericTextColumn, toJson: (digits: unknown) => plainDecimal(String(digits)) },
  filter: decimalFilter,
  graphql: { scalar: 'Decimal' },
  typescript: 'string',
  jsonSchema: schemaWith(COLUMN_DECIMAL),
  notes: { typescript: 'Decimal digits.' },
  example: (source) => source.amount('100.00'),
} as const satisfies Kind<string | null, number>

const decimalKind: Kind<string | null, number> = {
  ...parts,
  // Inside an object, the digits keep the app's notation.
  nested: { ...parts, jsonSchema: schemaWith(DECIMAL) },
}

/** An amount that is a number on input and a decimal string on output. */
export const decimal = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<string | null, Op, number> => fieldOf(decimalKind, doc, options)
