/** The kind of references: the id of a record of the same credential. */
import { referencedId, resolveId } from '../identity.ts'
import { uuidColumn } from './column.ts'
import { idInput, idOf, idSchema } from './identifier.ts'
import { readAs, textInput } from './input.ts'
import {
  type Field,
  type FieldOptions,
  type Fields,
  type FilterValue,
  fieldOf,
  type Kind,
  type ReferenceTarget,
} from './kind.ts'
import { MAX_TEXT_LENGTH } from './limits.ts'
import { text } from './text.ts'

/** The object that an embedding reference shows instead of an id. */
export type EmbeddedRecord<Embed extends string> = {
  readonly id: string
  readonly remoteId: string
} & { readonly [Name in Embed]: string | null }

type ReferenceValue<Embed extends string> = [Embed] extends [never] ? string : EmbeddedRecord<Embed>

const embeddedText = text('A field of the referenced record.')

const embeddedFields = (embeds: readonly string[]): Fields =>
  Object.fromEntries(['id', 'remoteId', ...embeds].map((name) => [name, embeddedText]))

const filterInput = readAs(
  'an identifier',
  (value): FilterValue | undefined => (value === '' ? undefined : { value, isWholeDay: false }),
  textInput(MAX_TEXT_LENGTH, 'text'),
)

const kindOf = <Value>(reference: ReferenceTarget): Kind<Value | null, string> => {
  const { target, embeds } = reference
  return {
    name: 'reference',
    isCommon: true,
    column: uuidColumn,
    expected: 'an identifier',
    normalize: (value, { credentialId }) => idOf(value, credentialId, target),
    input: idInput,
    // Safe: the input schema has validated an identifier.
    mapReferences: (value, path, replace) =>
      replace({ path, target, value: value as string, names: embeds ?? [] }),
    reference,
    ...(embeds && { fields: embeddedFields(embeds) }),
    filter: {
      operators: ['equals', 'notEquals'],
      input: () => filterInput,
      sql: { form: 'identity', cast: '::uuid' },
      meets: (stored, { value }, _operator, credentialId) =>
        referencedId(stored) === resolveId(credentialId, target, String(value)),
      graphql: { scalar: 'ID' },
      typescript: 'string',
      jsonSchema: () => ({ type: 'string', maxLength: MAX_TEXT_LENGTH, minLength: 1 }),
      note: () => "The service's id or the app's.",
      example: (shown) => referencedId(shown) ?? '',
    },
    groupedBy: 'value',
    graphql: { scalar: 'ID' },
    typescript: 'string',
    jsonSchema: idSchema,
    // Safe: an id, or the embedded record.
    example: (source) => source.reference(reference) as Value,
  }
}

type EqualityOperator = 'equals' | 'notEquals'

/**
 * The id of a record of `target`. `as` sets the name of the link field, if the field's name does not end in
 * `Id`.
 */
export const reference = <
  const Op extends EqualityOperator = EqualityOperator,
  const Embed extends string = never,
>(
  target: string,
  doc: string,
  options?: FieldOptions<Op> & { readonly as?: string; readonly embeds?: readonly Embed[] },
  // NoInfer: the contextual type of a resource's fields would infer references that embed any text.
): Field<ReferenceValue<NoInfer<Embed>> | null, Op, string> =>
  fieldOf(kindOf({ target, as: options?.as, embeds: options?.embeds }), doc, options)
