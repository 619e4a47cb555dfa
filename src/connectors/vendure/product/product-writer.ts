import {
  type Json,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRefusal,
} from '../../../definition/connector.ts'
import { act, entriesOf, query, rootFields, undo, type Values, valuesOf } from '../graphql.ts'
import { readEntry, readWritten } from '../listing.ts'
import { withRemoteFields } from '../remote-fields.ts'
import { catalogue } from '../shop.ts'
import { products, type RawProduct } from './product.ts'
import { makeOptions, type OptionPlan, planOptions } from './product-options.ts'
import {
  changedVariant,
  chosenBy,
  listedVariants,
  newVariant,
  type Placed,
  type Shop,
  type VariantInput,
  variantsOf,
} from './product-variants.ts'

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

const statuses = new Map<Json, boolean>([
  ['enabled', true],
  ['disabled', false],
])

const enabledOf = (status: Json | undefined): VariantInput => {
  if (status === undefined) return {}
  const enabled = statuses.get(status)
  if (enabled === undefined)
    throw new WriteRefusal('the status must be enabled or disabled', 'productStatus')
  return { enabled }
}

const nameOf = (name: Json | undefined): string => {
  if (typeof name !== 'string' || name === '')
    throw new WriteRefusal('Vendure requires a name', 'productName')
  return name
}

/** A `CreateProductInput`. */
const newProduct = ({ fields, remoteFields }: WriteInput, languageCode: string): VariantInput => {
  const name = nameOf(fields.productName)
  const { slug, ...others } = remoteFields
  return withRemoteFields(
    {
      ...enabledOf(fields.productStatus),
      translations: [
        // Vendure normalizes the slug and makes it unique.
        { languageCode, name, slug: slug ?? name, description: fields.description ?? '' },
      ],
    },
    others,
  )
}

/** An `UpdateProductInput` without its id; undefined if no field of the product itself changes. */
const changedProduct = ({ fields, remoteFields }: WriteInput, raw: RawProduct) => {
  const { slug, ...others } = remoteFields
  const texts: VariantInput = {
    ...(fields.productName !== undefined && { name: nameOf(fields.productName) }),
    ...(fields.description !== undefined && { description: fields.description ?? '' }),
    ...(slug !== undefined && { slug }),
  }
  const input = withRemoteFields(
    {
      ...enabledOf(fields.productStatus),
      // Write in the language in which the product is read: all its texts exist in it.
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
 * Divides the input into existing and new variants. Leaving a variant out is an error, so that a caller who
 * sends one variant does not lose the others.
 * @throws WriteRefusal if a variant is missing, unknown or repeated
 */
const divide = (input: readonly Placed[], raw: RawProduct) => {
  const remaining = new Map(raw.variants.map((variant) => [variant.id, variant]))
  const changed = []
  const added = []
  for (const placed of input) {
    const { remoteId, id } = placed.variant
    const variantId = remoteId ?? id
    if (variantId === undefined || variantId === null) {
      added.push(placed)
      continue
    }
    const variant = remaining.get(variantId)
    if (!variant)
      throw new WriteRefusal(
        'the product has no such variant, or the list has it twice',
        `${placed.at}.remoteId`,
      )
    remaining.delete(variantId)
    changed.push({ placed, variant })
  }
  const [missing] = remaining.values()
  if (missing)
    throw new WriteRefusal(
      `the variant ${missing.name} (${missing.id}) is missing; an update cannot delete variants`,
      'variants',
    )
  return { changed, added }
}

/** Creates the missing options, then the new variants. */
function* createVariants(
  productId: string,
  inputs: readonly VariantInput[],
  plan: OptionPlan,
  languageCode: string,
): Steps<void> {
  if (inputs.length === 0) return
  const optionIds = yield* makeOptions(productId, plan, languageCode)
  const input = inputs.map((variant, index) => ({
    productId,
    optionIds: optionIds[index] ?? [],
    ...variant,
  }))
  yield* act(CREATE_VARIANTS, { input })
}

/** The `UpdateProductVariantInput`s of the existing variants that change. */
const changesOf = (
  changed: ReturnType<typeof divide>['changed'],
  shop: Shop,
  product: unknown,
): readonly VariantInput[] => {
  const levelsOf = new Map(
    entriesOf(valuesOf(product).variants).map(({ id, stockLevels }) => [id, stockLevels]),
  )
  return changed
    .map(({ placed, variant }): VariantInput => {
      const levels = entriesOf(levelsOf.get(variant.id))
      const locations = levels.map(({ stockLocationId }) => String(stockLocationId))
      return { id: variant.id, ...changedVariant(placed, variant, shop, locations) }
    })
    .filter((change) => Object.keys(change).length > 1)
}

/** The writer of products and their variants (NOTES "a product takes several calls"). */
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
      const inputVariants = variantsOf(input.fields.variants) ?? []
      const variants = inputVariants.map((placed) => newVariant(placed, name, shop))
      const plan = planOptions({ groups: undefined, taken: [] }, inputVariants)

      const id = String((yield* act(CREATE, { input: product })).id)
      try {
        yield* createVariants(id, variants, plan, shop.defaultLanguageCode)
      } catch (error) {
        // Otherwise an incomplete product would stay in the shop, and a retry would create a second one.
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
      // Safe: the listing selects every field of it.
      const raw = (yield* readWritten(products, id)) as unknown as RawProduct
      const product = changedProduct(input, raw)
      const inputVariants = variantsOf(input.fields.variants)
      if (!inputVariants) {
        if (product) yield* act(UPDATE, { input: { ...product, id } })
        return yield* readWritten(products, id)
      }

      // Validate everything before the first mutation.
      const root = rootFields(yield query(SHOP_AND_PRODUCT, { id }))
      const shop = shopOf(root)
      const { changed, added } = divide(inputVariants, raw)
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
  normalize: ({ fields, remoteFields: { slug: _, ...remoteFields } }) => {
    const variants = listedVariants(fields.variants)
    return { fields: { ...fields, ...(variants && { variants }) }, remoteFields }
  },
}
