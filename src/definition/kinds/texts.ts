/** The kind of lists of strings. */
import { textsColumn } from './column.ts'
import { listInput, textInput } from './input.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import { MAX_INPUT_ENTRIES, MAX_INPUT_TEXT } from './limits.ts'
import { text } from './text.ts'

const textsKind: Kind<readonly string[]> = {
  name: 'texts',
  isList: true,
  column: textsColumn,
  expected: 'a list of strings',
  normalize: (value) =>
    Array.isArray(value)
      ? value.filter((entry) => entry !== null && entry !== undefined).map(String)
      : undefined,
  input: listInput(textInput(MAX_INPUT_TEXT), 'a list of strings'),
  // In a query string, one parameter with comma-separated values.
  fromText: (parameter) => parameter.split(','),
  entry: text('An entry.'),
  accepts: ['texts'],
  graphql: { scalar: 'String' },
  typescript: 'readonly string[]',
  jsonSchema: (side) => ({
    type: 'array',
    items: side === 'input' ? { type: 'string', maxLength: MAX_INPUT_TEXT } : { type: 'string' },
    ...(side === 'input' && { maxItems: MAX_INPUT_ENTRIES }),
  }),
  example: (source) => [source.entry()],
}

/** A list of strings, which may be empty. */
export const texts = (
  doc: string,
  options?: Pick<FieldOptions, 'required'>,
): Field<readonly string[], never> => fieldOf(textsKind, doc, options)
