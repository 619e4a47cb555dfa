/** The kind of enumerations: one of a fixed set of words. */
import { type JsonSchema, schemaRef } from '../json.ts'
import { isStorableText } from '../value.ts'
import { textColumn } from './column.ts'
import { oneOf, readAs, textInput, wordInput } from './input.ts'
import {
  type Enumeration,
  type Field,
  type FieldOptions,
  type FilterValue,
  fieldOf,
  type Kind,
} from './kind.ts'
import { MAX_TEXT_LENGTH } from './limits.ts'

/** The TypeScript type of one of these words. */
export const unionOf = (values: readonly string[]): string =>
  values.map((value) => `'${value.replace(/['\\]/g, '\\$&')}'`).join(' | ')

/** More words are codes, such as currencies, which documentation does not list. */
export const MAX_DESCRIBED_WORDS = 20

/** The words and their descriptions as sentences; empty for codes. */
export const describeWords = (words: Enumeration['words']): string => {
  const entries = Object.entries(words)
  return entries.length > MAX_DESCRIBED_WORDS
    ? ''
    : entries.map(([word, doc]) => `\`${word}\`: ${doc}`).join(' ')
}

interface Words<Value extends string> extends Enumeration {
  readonly words: Readonly<Record<Value, string>>
}

const kindOf = <Value extends string>(enumeration: Words<Value>): Kind<Value | null, Value> => {
  const { name, words } = enumeration
  // The keys of an object type are those that it names.
  const values = Object.keys(words) as Value[]
  const graphql = { enumeration }
  const typescript = name ?? unionOf(values)
  // An enumeration that several fields share is a named schema in the components.
  const schema: JsonSchema = name === undefined ? { type: 'string', enum: values } : schemaRef(name)
  const meaning = describeWords(words)
  const known = (word: string): Value | undefined => values.find((value) => value === word)
  const filterInput = readAs(
    oneOf(values),
    (input): FilterValue | undefined => {
      const value = known(input.toUpperCase())
      return value === undefined ? undefined : { value, isWholeDay: false }
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
    // The schema of a shared enumeration has a description of its own.
    ...(name === undefined && { notes: { output: meaning, input: meaning } }),
    example: (source) => known(source.code()) ?? values[0] ?? null,
  }
}

type EqualityOperator = 'equals' | 'notEquals'

/** The options of an enumeration; `shared`: the name and description of a set that several fields share. */
export interface EnumerationOptions<Op extends EqualityOperator> extends FieldOptions<Op> {
  readonly shared?: { readonly name: string; readonly doc: string }
}

/** One of `words`, each with its description. */
export const enumeration = <
  const Value extends string,
  const Op extends EqualityOperator = EqualityOperator,
>(
  doc: string,
  words: Readonly<Record<Value, string>>,
  { shared, ...options }: EnumerationOptions<Op> = {},
): Field<Value | null, Op, Value> =>
  fieldOf(kindOf({ name: shared?.name, doc: shared?.doc ?? doc, words }), doc, options)
