/** What the variants of a product are told apart by: groups (`Size`) of options (`L`). */
import { type Steps, WriteRefusal } from '../../definition/connector.ts'
import { act, entriesOf, type Values } from './graphql.ts'
import { isSameChoice, type Options, optionsOf, type Placed } from './product-variants.ts'

interface Group {
  readonly name: string
  /** Undefined: it is to be made. */
  readonly id: string | undefined
  /** Ids by name. */
  readonly ids: ReadonlyMap<string, string>
  /** Options that it lacks. */
  readonly lacks: ReadonlySet<string>
}

/** What is to be made before new variants can choose, and what each of them chooses. */
export interface OptionPlan {
  readonly groups: readonly Group[]
  readonly choices: readonly Options[]
}

const idsOf = (options: unknown): ReadonlyMap<string, string> =>
  new Map(entriesOf(options).map(({ name, id }) => [String(name), String(id)]))

/** @throws WriteRefusal if a new variant chooses as another does: Vendure could not tell them apart */
const checkDistinct = (
  choices: readonly Options[],
  taken: readonly Options[],
  added: readonly Placed[],
): void => {
  for (const [index, choice] of choices.entries())
    if ([...taken, ...choices.slice(0, index)].some((other) => isSameChoice(choice, other)))
      throw new WriteRefusal(
        'another variant of the product chooses the same',
        `${added[index]?.at}.optionValues`,
      )
}

/** What a product has already. */
interface KnownOptions {
  /** Undefined where it has no variant yet, so that the new ones say what its groups are. */
  readonly groups: readonly Values[] | undefined
  /** What its variants choose. */
  readonly taken: readonly Options[]
}

/** @throws WriteRefusal if a new variant does not choose one option of each group, or as another does */
export const planOptions = (
  { groups: known, taken }: KnownOptions,
  added: readonly Placed[],
): OptionPlan => {
  const choices = added.map(optionsOf)
  const names = known?.map(({ name }) => String(name)) ?? [...(choices[0]?.keys() ?? [])]
  for (const [index, choice] of choices.entries())
    if (choice.size !== names.length || !names.every((name) => choice.has(name)))
      throw new WriteRefusal(
        names.length > 0
          ? `each variant of the product chooses one of each: ${names.join(', ')}`
          : 'the variants of the product have nothing to choose',
        `${added[index]?.at}.optionValues`,
      )
  checkDistinct(choices, taken, added)
  const groups = names.map((name): Group => {
    const group = known?.find((one) => one.name === name)
    const ids = idsOf(group?.options)
    const wanted = choices.flatMap((choice) => choice.get(name) ?? [])
    return {
      ...{ name, ids, id: group && String(group.id) },
      lacks: new Set(wanted.filter((option) => !ids.has(option))),
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

/** How Vendure wants a group or an option named. */
const named = (name: string, languageCode: string) => ({
  code: name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
  translations: [{ languageCode, name }],
})

function* createGroup(
  productId: string,
  { name, lacks }: Group,
  languageCode: string,
): Steps<ReadonlyMap<string, string>> {
  const options = [...lacks].map((option) => named(option, languageCode))
  const { id, ...made } = yield* act(CREATE_GROUP, {
    input: { ...named(name, languageCode), options },
  })
  yield* act(ADD_GROUP, { productId, groupId: String(id) })
  return idsOf(made.options)
}

function* extendGroup(
  productOptionGroupId: string,
  { ids, lacks }: Group,
  languageCode: string,
): Steps<ReadonlyMap<string, string>> {
  const all = new Map(ids)
  for (const option of lacks) {
    const input = { ...named(option, languageCode), productOptionGroupId }
    all.set(option, String((yield* act(CREATE_OPTION, { input })).id))
  }
  return all
}

/** Makes what is lacking. @returns the ids of the options that each variant chooses */
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
