/** The kind of text. */
import { isStorableText } from '../value.ts'
import { textColumn } from './column.ts'
import { textInput } from './input.ts'
import { type Field, type FieldOptions, type Filter, fieldOf, type Kind } from './kind.ts'
import { MAX_INPUT_TEXT, MAX_TEXT_LENGTH } from './limits.ts'

const filterInput = textInput(MAX_TEXT_LENGTH, 'text').transform((value) => ({
  value,
  isWholeDay: false,
}))

const filter: Filter<string> = {
  operators: ['equals', 'contains', 'notEquals'],
  input: () => filterInput,
  sql: { form: 'value', cast: '' },
  meets: (stored, { value }, operator) =>
    operator === 'contains'
      ? String(stored).toLowerCase().includes(String(value).toLowerCase())
      : stored === value,
  graphql: { scalar: 'String' },
  typescript: 'string',
  jsonSchema: () => ({ type: 'string', maxLength: MAX_TEXT_LENGTH }),
  example: String,
}

const textKind: Kind<string | null, string> = {
  name: 'text',
  isScalar: true,
  column: textColumn,
  expected: 'a string',
  normalize: (value) =>
    typeof value === 'string'
      ? value
      : typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : undefined,
  input: textInput(MAX_INPUT_TEXT),
  accepts: 'scalars',
  filter,
  order: { isValue: isStorableText },
  groupedBy: 'value',
  graphql: { scalar: 'String' },
  typescript: 'string',
  jsonSchema: (side) =>
    side === 'input' ? { type: 'string', maxLength: MAX_INPUT_TEXT } : { type: 'string' },
  example: (source) => source.text(),
}

type TextOperator = 'equals' | 'contains' | 'notEquals'

/** Text, filtered by equality, inequality and containment. */
export const text = <const Op extends TextOperator = TextOperator>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<string | null, Op, string> => fieldOf(textKind, doc, options)

/** Whether a field was created with `text(…)`. */
export const isText = ({ kind }: Field): boolean => kind === textKind
