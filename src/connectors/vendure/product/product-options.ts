/** Option groups (`Size`) and options (`L`), which distinguish the variants of a product. */
import { type Steps, WriteRejection } from '../../../definition/connector.ts'
import type { JsonObject } from '../../../definition/mapping/rule.ts'
import { entriesOf, textsAt, type Values, valuesOf } from '../../../definition/raw-values.ts'
import { mutate } from '../graphql.ts'

/** The options of a variant, by group: `Size` → `L`. */
type Choice = ReadonlyMap<string, string>

/** The options of a variant of Vendure, or of a request body. */
const choiceOf = ({ options }: Values): Choice =>
  new Map(entriesOf(options).map(({ name, group }) => [String(valuesOf(group).name), String(name)]))

/** A text that is the same for variants with the same options. */
export const choiceKey = (variant: Values): string => JSON.stringify([...choiceOf(variant)].sort())

/** A variant of a request body, and its path in the input: `variants[0]`. */
export interface VariantEntry {
  readonly variant: JsonObject
  readonly at: string
}

/**
 * Checks the options of new variants. If the product has no variants and groups, the first one defines the groups.
 * @throws WriteRejection unless each has one option of each group, and differs from all other variants
 */
export const checkOptions = (
  added: readonly VariantEntry[],
  {
    variants,
    groups,
  }: { readonly variants: readonly Values[]; readonly groups: readonly Values[] },
): void => {
  const defines = variants.length === 0 && groups.length === 0
  const names = defines ? [...choiceOf(added[0]?.variant ?? {}).keys()] : textsAt(groups, 'name')
  const taken = new Set(variants.map(choiceKey))
  for (const { variant, at } of added) {
    const choice = choiceOf(variant)
    const isComplete =
      entriesOf(variant.options).length === names.length && names.every((name) => choice.has(name))
    if (!isComplete)
      throw new WriteRejection(
        `each variant of the product needs exactly one value for each of: ${names.join(', ') || 'no option'}`,
        `${at}.optionValues`,
      )
    if (taken.has(choiceKey(variant)))
      throw new WriteRejection(
        'another variant of the product has the same options',
        `${at}.optionValues`,
      )
    taken.add(choiceKey(variant))
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
      group = yield* mutate(
        'createProductOptionGroup(input: CreateProductOptionGroupInput!)',
        { input: { ...named(name, languageCode), options } },
        'id options { id name }',
      )
      yield* mutate(
        'addOptionGroupToProduct(productId: ID!, optionGroupId: ID!)',
        { productId, optionGroupId: String(group.id) },
        'id',
      )
    }
    for (const option of entriesOf(group.options))
      ids.set(`${name}\0${option.name}`, String(option.id))
    for (const option of wanted.filter((option) => !ids.has(`${name}\0${option}`))) {
      const input = { ...named(option, languageCode), productOptionGroupId: String(group.id) }
      const signature = 'createProductOption(input: CreateProductOptionInput!)'
      ids.set(`${name}\0${option}`, String((yield* mutate(signature, { input }, 'id')).id))
    }
  }
  return choices.map((choice) =>
    [...choice].map(([name, option]) => ids.get(`${name}\0${option}`) ?? ''),
  )
}
