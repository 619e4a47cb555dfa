/** The kind of lists of references: ids of records of the same credential. */
import { uuidsColumn } from './column.ts'
import { idInput, idOf, idSchema } from './identifier.ts'
import { listInput } from './input.ts'
import { type Field, fieldOf, type Kind, type ReferenceTarget } from './kind.ts'
import { MAX_INPUT_ENTRIES } from './limits.ts'

const kindOf = (reference: ReferenceTarget): Kind<readonly string[]> => {
  const { target } = reference
  return {
    name: 'references',
    isList: true,
    isCommon: true,
    column: uuidsColumn,
    expected: 'a list of identifiers',
    normalize: (value, { credentialId }) =>
      Array.isArray(value)
        ? value.flatMap((entry) => idOf(entry, credentialId, target) ?? [])
        : undefined,
    input: listInput(idInput, 'a list of identifiers'),
    // Safe: the input schema has validated a list of identifiers.
    mapReferences: (ids, path, replace) =>
      (ids as readonly string[]).map((value, index) =>
        replace({ path: `${path}[${index}]`, target, value, names: [] }),
      ),
    reference,
    graphql: { scalar: 'ID' },
    typescript: 'readonly string[]',
    jsonSchema: (side) => ({
      type: 'array',
      items: idSchema(side),
      ...(side === 'input' && { maxItems: MAX_INPUT_ENTRIES }),
    }),
    // Safe: a list of references never embeds, so the example is an id.
    example: (source) => [source.reference(reference) as string],
  }
}

/** A list of ids of records of `target`, which may be empty. */
export const references = (
  target: string,
  doc: string,
  options?: { readonly as?: string },
): Field<readonly string[], never> =>
  fieldOf(kindOf({ target, as: options?.as, embeds: undefined }), doc)
