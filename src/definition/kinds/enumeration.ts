/** The kind of enumerations: one of a fixed set of words. */
import { type JsonSchema, schemaRef } from '../json.ts'
import { isStorableText } from '../value.ts'
import { textColumn } from './column.ts'
import { oneOf, readAs, textInput, wordInput } from './input.ts'
import { type Field, type FieldOptions, type FilterValue, fieldOf, type Kind } from './kind.ts'
import { MAX_TEXT_LENGTH } from './limits.ts'

const union = (values: readonly string[]): string =>
  values.map((value) => `'${value.replace(/['\\]/g, '\\$&')}'`).join(' | ')

const kindOf = <Value extends string>(
  values: readonly Value[],
  name: string | undefined,
): Kind<Value | null, Value> => {
  const graphql = { enumeration: { name, values } }
  const typescript = name ?? union(values)
  // An enumeration that several fields share is a named schema in the components.
  const schema: JsonSchema = name === undefined ? { type: 'string', enum: values } : schemaRef(name)
  const known = (word: string): Value | undefined => values.find((value) => value === word)
  const filterInput = readAs(
    oneOf(values),
    (input): FilterValue | undefined => {
      const value = known(input.toUpperCase())
      return value === undefined ? undefined : { value, wholeDay: false }
    },
    textInput(MAX_TEXT_LENGTH, 'text'),
  )
  return {
    name: 'enumeration',
    isScalar: true,
    isCommon: true,
    column: textColumn,
    expected: `one of ${values.slice(0, 20).join(', ')}`,
    normalize: (value) =>
      typeof value !== 'string'
        ? undefined
        : values.find((word) => word === value || word === value.toUpperCase()),
    input: wordInput(values),
    values,
    accepts: ['text', 'enumeration', 'label', 'json'],
    filter: {
      operators: ['equals', 'notEquals'],
      input: () => filterInput,
      sql: { form: 'value', cast: '' },
      meets: (stored, { value }) => stored === value,
      graphql,
      typescript,
      jsonSchema: () => schema,
      // Safe: the example record has one of the values.
      example: (shown) => shown as Value,
    },
    order: { isValue: isStorableText },
    groupedBy: 'value',
    graphql,
    typescript,
    jsonSchema: () => schema,
    example: (source) => known(source.code()) ?? values[0] ?? null,
  }
}

type ChoiceOperator = 'equals' | 'notEquals'

/** One of `values`. `enumName` names an enumeration that several fields share. */
export const enumeration = <
  const Value extends string,
  const Op extends ChoiceOperator = ChoiceOperator,
>(
  doc: string,
  values: readonly Value[],
  options?: FieldOptions<Op> & { readonly enumName?: string },
): Field<Value | null, Op, Value> => fieldOf(kindOf(values, options?.enumName), doc, options)
