import {
  type Json,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRefusal,
} from '../../definition/connector.ts'
import { act, entriesOf, query, rootFields, undo, type Values, valuesOf } from './graphql.ts'
import { readEntry, readWritten } from './listing.ts'
import { products, type RawProduct } from './product.ts'
import { makeOptions, type OptionPlan, planOptions } from './product-options.ts'
import {
  changedVariant,
  chosenBy,
  type Input,
  listedVariants,
  newVariant,
  type Placed,
  type Shop,
  variantsOf,
} from './product-variants.ts'
import { withRemoteFields } from './remote-fields.ts'
import { catalogue } from './shop.ts'

const CREATE = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }'
const UPDATE = 'mutation ($input: UpdateProductInput!) { updateProduct(input: $input) { id } }'
const DELETE = 'mutation ($id: ID!) { deleteProduct(id: $id) { result message } }'
const CREATE_VARIANTS = `mutation ($input: [CreateProductVariantInput!]!) {
  createProductVariants(input: $input) { id } }`
const UPDATE_VARIANTS = `mutation ($input: [UpdateProductVariantInput!]!) {
  updateProductVariants(input: $input) { id } }`
const SHOP = `query {
  activeChannel { defaultLanguageCode } ${catalogue.query} }`
const SHOP_AND_PRODUCT = `query ($id: ID!) {
  activeChannel { defaultLanguageCode } ${catalogue.query}
  product(id: $id) {
    optionGroups { id name options { id name } }
    variants { id stockLevels { stockLocationId } }
  } }`

const VARIANT_FIELDS = ['title', 'price', 'sku', 'optionValues', 'inventory'].map(
  (name) => `variants.${name}`,
)
const FIELDS = ['productName', 'description', 'productStatus', ...VARIANT_FIELDS]

const shopOf = (root: Values): Shop => ({
  ...catalogue.read(root),
  defaultLanguageCode: String(valuesOf(root.activeChannel).defaultLanguageCode),
})

const words = new Map<Json, boolean>([
  ['enabled', true],
  ['disabled', false],
])

const enabledOf = (status: Json | undefined): Input => {
  if (status === undefined) return {}
  const enabled = words.get(status)
  if (enabled === undefined)
    throw new WriteRefusal('Vendure knows enabled and disabled', 'productStatus')
  return { enabled }
}

const nameOf = (name: Json | undefined): string => {
  if (typeof name !== 'string' || name === '')
    throw new WriteRefusal('a product of Vendure has a name', 'productName')
  return name
}

/** The product itself, without its variants. */
const newProduct = ({ fields, remoteFields }: WriteInput, languageCode: string): Input => {
  const name = nameOf(fields.productName)
  const { slug, ...others } = remoteFields
  return withRemoteFields(
    {
      ...enabledOf(fields.productStatus),
      translations: [
        // Vendure brings a slug to its form and makes it unique.
        { languageCode, name, slug: slug ?? name, description: fields.description ?? '' },
      ],
    },
    others,
  )
}

/** What changes of the product itself; undefined if nothing does. */
const changedProduct = ({ fields, remoteFields }: WriteInput, raw: RawProduct) => {
  const { slug, ...others } = remoteFields
  const texts: Input = {
    ...(fields.productName !== undefined && { name: nameOf(fields.productName) }),
    ...(fields.description !== undefined && { description: fields.description ?? '' }),
    ...(slug !== undefined && { slug }),
  }
  const input = withRemoteFields(
    {
      ...enabledOf(fields.productStatus),
      // The language that the product is read in: it has all its texts there.
      ...(Object.keys(texts).length > 0 && {
        translations: [{ languageCode: raw.languageCode, ...texts }],
      }),
    },
    others,
    ['id'],
  )
  return Object.keys(input).length > 0 ? input : undefined
}

/**
 * Which variants change, and which are new. None goes by being left out: who sends one variant must not
 * lose the others.
 */
const divide = (given: readonly Placed[], raw: RawProduct) => {
  const left = new Map(raw.variants.map((variant) => [variant.id, variant]))
  const changed = []
  const added = []
  for (const placed of given) {
    const { remoteId, id } = placed.variant
    const named = remoteId ?? id
    if (named === undefined || named === null) {
      added.push(placed)
      continue
    }
    const variant = left.get(named)
    if (!variant)
      throw new WriteRefusal('no other variant of the product has it', `${placed.at}.remoteId`)
    left.delete(named)
    changed.push({ placed, variant })
  }
  const [lost] = left.values()
  if (lost)
    throw new WriteRefusal(
      `${lost.name} (${lost.id}) is left out, and variants are not deleted so`,
      'variants',
    )
  return { changed, added }
}

/** The new variants, and first what they choose from. */
function* createVariants(
  productId: string,
  inputs: readonly Input[],
  plan: OptionPlan,
  languageCode: string,
): Steps<void> {
  if (inputs.length === 0) return
  const optionIds = yield* makeOptions(productId, plan, languageCode)
  const input = inputs.map((variant, index) => ({
    ...{ productId, optionIds: optionIds[index] ?? [] },
    ...variant,
  }))
  yield* act(CREATE_VARIANTS, { input })
}

/** The changes of the variants that are there, each with its id. */
const changesOf = (
  changed: ReturnType<typeof divide>['changed'],
  shop: Shop,
  product: unknown,
): readonly Input[] => {
  const levelsOf = new Map(
    entriesOf(valuesOf(product).variants).map(({ id, stockLevels }) => [id, stockLevels]),
  )
  return changed
    .map(({ placed, variant }): Input => {
      const levels = entriesOf(levelsOf.get(variant.id))
      const locations = levels.map(({ stockLocationId }) => String(stockLocationId))
      return { id: variant.id, ...changedVariant(placed, variant, shop, locations) }
    })
    .filter((change) => Object.keys(change).length > 1)
}

export const productWriter: ResourceWriter = {
  *get(remoteId) {
    const [record] = yield* readEntry(products, remoteId)
    return record
  },
  create: {
    fields: FIELDS,
    *steps(input) {
      const shop = shopOf(rootFields(yield query(SHOP, {})))
      const name = nameOf(input.fields.productName)
      const product = newProduct(input, shop.defaultLanguageCode)
      const given = variantsOf(input.fields.variants) ?? []
      const variants = given.map((placed) => newVariant(placed, name, shop))
      const plan = planOptions({ groups: undefined, taken: [] }, given)

      const id = String((yield* act(CREATE, { input: product })).id)
      try {
        yield* createVariants(id, variants, plan, shop.defaultLanguageCode)
      } catch (error) {
        // Half a product would be in the shop, and made once more by a second try.
        yield* undo(DELETE, { id })
        throw error
      }
      return yield* readWritten(products, id)
    },
  },
  update: {
    fields: [...FIELDS, 'variants.id', 'variants.remoteId'],
    guard: 'compare',
    *steps(input, { remoteId: id }) {
      // The listing asks for every field of it.
      const raw = (yield* readWritten(products, id)) as unknown as RawProduct
      const product = changedProduct(input, raw)
      const given = variantsOf(input.fields.variants)
      if (!given) {
        if (product) yield* act(UPDATE, { input: { ...product, id } })
        return yield* readWritten(products, id)
      }

      // What can be refused here is, before anything is sent.
      const root = rootFields(yield query(SHOP_AND_PRODUCT, { id }))
      const shop = shopOf(root)
      const { changed, added } = divide(given, raw)
      const changes = changesOf(changed, shop, root.product)
      const name = String(input.fields.productName ?? raw.name)
      const variants = added.map((placed) => newVariant(placed, name, shop))
      const groups = entriesOf(valuesOf(root.product).optionGroups)
      const hasNone = raw.variants.length === 0 && groups.length === 0
      const known = { groups: hasNone ? undefined : groups, taken: raw.variants.map(chosenBy) }
      const plan = planOptions(known, added)

      if (product) yield* act(UPDATE, { input: { ...product, id } })
      if (changes.length > 0) yield* act(UPDATE_VARIANTS, { input: changes })
      yield* createVariants(id, variants, plan, shop.defaultLanguageCode)
      return yield* readWritten(products, id)
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId: id }) {
      yield* act(DELETE, { id })
    },
  },
  shownAs: ({ fields, remoteFields: { slug: _, ...remoteFields } }) => {
    const variants = listedVariants(fields.variants)
    return { fields: { ...fields, ...(variants && { variants }) }, remoteFields }
  },
}
