/** The kind of 32-bit integers. */
import { integerColumn } from './column.ts'
import { readAs } from './input.ts'
import { type Field, type FieldOptions, type FilterValue, fieldOf, type Kind } from './kind.ts'
import { INT32_MAX } from './limits.ts'
import { type NumberOperator, numberFilter } from './number-filter.ts'

const INTEGER = /^-?\d{1,10}$/
const RANGE = `a whole number from -${INT32_MAX} to ${INT32_MAX}`

const fitsColumn = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(Number(value)) <= INT32_MAX

const isInteger = (text: string): boolean => INTEGER.test(text) && fitsColumn(Number(text))

const filterInput = readAs(RANGE, (input): FilterValue | undefined =>
  isInteger(String(input)) ? { value: Number(input), isWholeDay: false } : undefined,
)

const integerKind: Kind<number | null, number> = {
  name: 'integer',
  isScalar: true,
  column: integerColumn,
  expected: 'a 32-bit integer',
  normalize: (value) => {
    const whole = typeof value === 'string' && value !== '' ? Number(value) : value
    return fitsColumn(whole) ? whole : undefined
  },
  input: readAs(RANGE, (value) => (fitsColumn(value) ? Number(value) : undefined)),
  // Text that is not an integer stays text, so that `input` rejects it.
  fromText: (text) => (INTEGER.test(text) ? Number(text) : text),
  accepts: ['integer', 'json'],
  filter: numberFilter(filterInput, {
    sql: { form: 'value', cast: '::integer' },
    graphql: { scalar: 'Int' },
    jsonSchema: () => ({
      type: 'integer',
      format: 'int32',
      minimum: -INT32_MAX,
      maximum: INT32_MAX,
    }),
  }),
  order: { isValue: isInteger },
  isMeasured: true,
  graphql: { scalar: 'Int' },
  typescript: 'number',
  jsonSchema: () => ({ type: 'integer', format: 'int32' }),
  example: (source) => Number(source.amount('100')),
}

/** A 32-bit integer. */
export const integer = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<number | null, Op, number> => fieldOf(integerKind, doc, options)
