/** Option groups (`Size`) and options (`L`), which distinguish the variants of a product. */
import { type Steps, WriteRejection } from '../../definition/connector.ts'
import type { WrittenEntry } from '../../definition/mapping/changed-fields.ts'
import { entriesOf, textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { mutate, read, write } from './graphql.ts'

/** The options of a variant, by group: `Size` → `L`. */
type Choice = ReadonlyMap<string, string>

/** The options of a variant of Vendure, or of a request body. */
const choiceOf = ({ options }: Values): Choice =>
  new Map(entriesOf(options).map(({ name, group }) => [String(valuesOf(group).name), String(name)]))

/** A text that is the same for variants with the same options. */
const choiceKey = (variant: Values): string => JSON.stringify([...choiceOf(variant)].sort())

/** Reads the option groups of a product, with their options. */
export function* readGroups(productId: string): Steps<readonly Values[]> {
  const parts = 'optionGroups { id name options { id name } }'
  return entriesOf((yield* read('product(id: ID!)', { id: productId }, parts)).optionGroups)
}

/**
 * Checks the options of new variants. If the product has no variants and groups, the first one defines the groups.
 * @throws WriteRejection unless each has one option of each group, and differs from all others
 */
export const checkOptions = (
  added: readonly WrittenEntry[],
  present: readonly Values[],
  groups: readonly Values[],
): void => {
  const taken = new Set(present.map(choiceKey))
  const [first] = added
  const isDefined = present.length > 0 || groups.length > 0
  const names = isDefined ? textsAt(groups, 'name') : [...choiceOf(first?.entry ?? {}).keys()]
  for (const { entry, path } of added) {
    const choice = choiceOf(entry)
    const hasEach = names.every((name) => choice.has(name))
    if (!hasEach || entriesOf(entry.options).length !== names.length)
      throw new WriteRejection(
        `each variant of the product needs exactly one value for each of: ${names.join(', ') || 'no option'}`,
        `${path}.optionValues`,
      )
    if (taken.has(choiceKey(entry)))
      throw new WriteRejection(
        'another variant of the product has the same options',
        `${path}.optionValues`,
      )
    taken.add(choiceKey(entry))
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
