/** Option groups (`Size`) and options (`L`), which distinguish the variants of a product. */
import { type Steps, WriteRejection } from '../../definition/connector.ts'
import type { WrittenEntry } from '../../definition/mapping/changed-fields.ts'
import { entriesOf, textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { mutate, write } from './graphql.ts'

/** The options of a variant, by group: `Size` → `L`. */
type Choice = ReadonlyMap<string, string>

/** The options of a variant of Vendure, or of a request body. */
const choiceOf = ({ options }: Values): Choice =>
  new Map(entriesOf(options).map(({ name, group }) => [String(valuesOf(group).name), String(name)]))

/** A text that is the same for variants with the same options. */
const choiceKey = (variant: Values): string => JSON.stringify([...choiceOf(variant)].sort())

/** Why a variant cannot have its options. @param names the groups · @param taken the options of the other variants */
const problemOf = (
  { entry: written, stored }: WrittenEntry,
  names: readonly string[],
  taken: ReadonlySet<string>,
): string | undefined => {
  const entry = { ...stored, ...written }
  const [choice, key] = [choiceOf(entry), choiceKey(entry)]
  if (stored)
    return key === choiceKey(stored) ? undefined : 'Vendure cannot change the options of a variant'
  if (entriesOf(entry.options).length !== names.length || !names.every((name) => choice.has(name)))
    return `each variant of the product needs exactly one value for each of: ${names.join(', ') || 'no option'}`
  return taken.has(key) ? 'another variant of the product has the same options' : undefined
}

/**
 * Checks the options of variants. If the product has no variants and groups, the first new one defines the groups.
 * @throws WriteRejection unless each new one has one option of each group, and differs from all others
 */
export const checkOptions = (entries: readonly WrittenEntry[], groups: readonly Values[]): void => {
  const taken = new Set(entries.flatMap(({ stored }) => (stored ? [choiceKey(stored)] : [])))
  const defines = taken.size === 0 && groups.length === 0
  const names = defines ? [...choiceOf(entries[0]?.entry ?? {}).keys()] : textsAt(groups, 'name')
  for (const written of entries) {
    const problem = problemOf(written, names, taken)
    if (problem !== undefined) throw new WriteRejection(problem, `${written.path}.optionValues`)
    taken.add(choiceKey(written.stored ?? written.entry))
  }
}

/** The code and the translated name of a group or option. */
const named = (name: string, languageCode: string) => ({
  code: name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
  translations: [{ languageCode, name }],
})

/** Creates the missing groups and options of new variants. @returns the option ids of each */
export function* createOptions(
  productId: string,
  variants: readonly Values[],
  groups: readonly Values[],
  languageCode: string,
): Steps<readonly (readonly string[])[]> {
  const choices = variants.map(choiceOf)
  const ids = new Map<string, string>()
  for (const name of choices[0]?.keys() ?? []) {
    const wanted = [...new Set(choices.map((choice) => choice.get(name) ?? ''))]
    let group = groups.find((candidate) => candidate.name === name)
    if (!group) {
      const options = wanted.map((option) => named(option, languageCode))
      const input = { ...named(name, languageCode), options }
      group = yield* write('createProductOptionGroup', input, 'id options { id name }')
      const added = { productId, optionGroupId: String(group.id) }
      yield* mutate('addOptionGroupToProduct(productId: ID!, optionGroupId: ID!)', added, 'id')
    }
    for (const option of wanted) {
      const input = { ...named(option, languageCode), productOptionGroupId: String(group.id) }
      const { id } =
        entriesOf(group.options).find((present) => present.name === option) ??
        (yield* write('createProductOption', input))
      ids.set(`${name}\0${option}`, String(id))
    }
  }
  return choices.map((choice) =>
    [...choice].map(([name, option]) => ids.get(`${name}\0${option}`) ?? ''),
  )
}
