/** Option groups (`Size`) and options (`L`), which distinguish the variants of a product. */
import { type Steps, WriteRejection } from '../../../definition/connector.ts'
import { entriesOf, mutate, type Values } from '../graphql.ts'
import { isSameChoice, type Options, optionsOf, type VariantEntry } from './product-variants.ts'

interface Group {
  readonly name: string
  /** Undefined for a group to create. */
  readonly id: string | undefined
  /** Ids of existing options by name. */
  readonly ids: ReadonlyMap<string, string>
  /** Names of the options to create. */
  readonly missing: ReadonlySet<string>
}

/** The groups and options to create, and the options that each new variant chooses. */
export interface OptionPlan {
  readonly groups: readonly Group[]
  readonly choices: readonly Options[]
}

const idsOf = (options: unknown): ReadonlyMap<string, string> =>
  new Map(entriesOf(options).map(({ name, id }) => [String(name), String(id)]))

/** @throws WriteRejection if a new variant has the same options as another variant */
const checkDistinct = (
  choices: readonly Options[],
  taken: readonly Options[],
  added: readonly VariantEntry[],
): void => {
  for (const [index, choice] of choices.entries())
    if ([...taken, ...choices.slice(0, index)].some((other) => isSameChoice(choice, other)))
      throw new WriteRejection(
        'another variant of the product has the same options',
        `${added[index]?.at}.optionValues`,
      )
}

/** The existing options of a product. */
interface KnownOptions {
  /** Undefined if the product has no variants and groups yet: the new variants define the groups. */
  readonly groups: readonly Values[] | undefined
  /** The options of the existing variants. */
  readonly taken: readonly Options[]
}

/**
 * Plans the options of new variants.
 * @throws WriteRejection unless each new variant has one option of each group and differs from all others
 */
export const planOptions = (
  { groups: known, taken }: KnownOptions,
  added: readonly VariantEntry[],
): OptionPlan => {
  const choices = added.map(optionsOf)
  const names = known?.map(({ name }) => String(name)) ?? [...(choices[0]?.keys() ?? [])]
  for (const [index, choice] of choices.entries())
    if (choice.size !== names.length || !names.every((name) => choice.has(name)))
      throw new WriteRejection(
        names.length > 0
          ? `each variant of the product needs exactly one value for each of: ${names.join(', ')}`
          : 'the product has no options',
        `${added[index]?.at}.optionValues`,
      )
  checkDistinct(choices, taken, added)
  const groups = names.map((name): Group => {
    const group = known?.find((candidate) => candidate.name === name)
    const ids = idsOf(group?.options)
    const chosen = choices.flatMap((choice) => choice.get(name) ?? [])
    return {
      name,
      ids,
      id: group && String(group.id),
      missing: new Set(chosen.filter((option) => !ids.has(option))),
    }
  })
  return { groups, choices }
}

const CREATE_GROUP = `mutation ($input: CreateProductOptionGroupInput!) {
  createProductOptionGroup(input: $input) { id options { id name } } }`
const ADD_GROUP = `mutation ($productId: ID!, $groupId: ID!) {
  addOptionGroupToProduct(productId: $productId, optionGroupId: $groupId) { id } }`
const CREATE_OPTION = `mutation ($input: CreateProductOptionInput!) {
  createProductOption(input: $input) { id } }`

/** The code and the translated name of a group or option. */
const named = (name: string, languageCode: string) => ({
  code: name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
  translations: [{ languageCode, name }],
})

function* createGroup(
  productId: string,
  { name, missing }: Group,
  languageCode: string,
): Steps<ReadonlyMap<string, string>> {
  const options = [...missing].map((option) => named(option, languageCode))
  const { id, ...created } = yield* mutate(CREATE_GROUP, {
    input: { ...named(name, languageCode), options },
  })
  yield* mutate(ADD_GROUP, { productId, groupId: String(id) })
  return idsOf(created.options)
}

function* extendGroup(
  productOptionGroupId: string,
  { ids, missing }: Group,
  languageCode: string,
): Steps<ReadonlyMap<string, string>> {
  const all = new Map(ids)
  for (const option of missing) {
    const input = { ...named(option, languageCode), productOptionGroupId }
    all.set(option, String((yield* mutate(CREATE_OPTION, { input })).id))
  }
  return all
}

/** Creates missing groups and options. @returns the option ids of each new variant */
export function* makeOptions(
  productId: string,
  { groups, choices }: OptionPlan,
  languageCode: string,
): Steps<readonly (readonly string[])[]> {
  const ids = new Map<string, ReadonlyMap<string, string>>()
  for (const group of groups)
    ids.set(
      group.name,
      group.id === undefined
        ? yield* createGroup(productId, group, languageCode)
        : yield* extendGroup(group.id, group, languageCode),
    )
  return choices.map((choice) =>
    [...choice].flatMap(([name, option]) => ids.get(name)?.get(option) ?? []),
  )
}
