/**
 * The kind of labels: words of a fixed set, case-insensitive on input and capitalised on output
 * (`Billing`).
 */
import { capitalise } from '../value.ts'
import { textColumn } from './column.ts'
import { wordInput } from './input.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'

const kindOf = (values: readonly string[]): Kind<string | null> => {
  const capitalised = values.map(capitalise)
  return {
    name: 'label',
    isScalar: true,
    column: textColumn,
    expected: `one of ${values.slice(0, 20).join(', ')}`,
    // Apps have more types of addresses and numbers than the contract lists, so keep unknown words.
    normalize: (value) => (typeof value === 'string' ? capitalise(value) : undefined),
    input: wordInput(values),
    values,
    accepts: ['text', 'enumeration', 'label', 'json'],
    graphql: { scalar: 'String' },
    typescript: 'string',
    jsonSchema: (side) => ({
      type: 'string',
      examples: capitalised,
      // Both the contract's spelling and the output's.
      ...(side === 'input' && { enum: values.flatMap((word) => [word, capitalise(word)]) }),
    }),
    notes: {
      graphqlInput: `One of ${values.join(', ')}.`,
      typescript: `${capitalised.join(', ')}, or another word that the app uses.`,
    },
    example: () => capitalised[0] ?? '',
  }
}

/** One of `values`, shown capitalised, for the types of addresses and telephone numbers. */
export const label = (
  doc: string,
  values: readonly string[],
  options?: Pick<FieldOptions, 'required'>,
): Field<string | null, never> => fieldOf(kindOf(values), doc, options)
