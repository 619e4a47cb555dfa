/** The kind of boolean fields. */
import { booleanColumn } from './column.ts'
import { readAs } from './input.ts'
import { type Field, type FieldOptions, type FilterValue, fieldOf, type Kind } from './kind.ts'

const EXPECTED = 'true or false'

const booleanOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const fromText = (text: unknown): unknown =>
  text === 'true' ? true : text === 'false' ? false : text

const filterInput = readAs(EXPECTED, (input): FilterValue | undefined => {
  const value = booleanOf(fromText(input))
  return value === undefined ? undefined : { value, isWholeDay: false }
})

const booleanKind: Kind<boolean | null, boolean> = {
  name: 'boolean',
  isScalar: true,
  isCommon: true,
  column: booleanColumn,
  expected: EXPECTED,
  normalize: booleanOf,
  input: readAs(EXPECTED, booleanOf),
  fromText,
  accepts: ['boolean', 'json'],
  filter: {
    operators: ['equals'],
    hasTwoValues: true,
    input: () => filterInput,
    sql: { form: 'value', cast: '' },
    meets: (stored, { value }) => stored === value,
    graphql: { scalar: 'Boolean' },
    typescript: 'boolean',
    jsonSchema: () => ({ type: 'boolean' }),
    example: Boolean,
  },
  groupedBy: 'value',
  graphql: { scalar: 'Boolean' },
  typescript: 'boolean',
  jsonSchema: () => ({ type: 'boolean' }),
  example: () => true,
}

/** A boolean, filtered by equality. */
export const boolean = <const Op extends 'equals' = 'equals'>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<boolean | null, Op, boolean> => fieldOf(booleanKind, doc, options)
