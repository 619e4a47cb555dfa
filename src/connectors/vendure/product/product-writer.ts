import {
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRejection,
} from '../../../definition/connector.ts'
import type { WriteVerb } from '../../../definition/mapping/rule.ts'
import { writableFields } from '../../../definition/mapping/write.ts'
import { getBy } from '../../../definition/paging/compose.ts'
import { entriesOf, mutate, query, rootFields, undo, type Values, valuesOf } from '../graphql.ts'
import { readWritten } from '../listing.ts'
import { catalogue } from '../shop.ts'
import { inputOf, withRemoteFields } from '../write-input.ts'
import { mapping, products, type RawProduct } from './product.ts'
import { makeOptions, type OptionPlan, planOptions } from './product-options.ts'
import {
  changedVariant,
  chosenBy,
  listedVariants,
  newVariant,
  type Shop,
  type VariantEntry,
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

const shopOf = (root: Values): Shop => ({
  ...catalogue.read(root),
  defaultLanguageCode: String(valuesOf(root.activeChannel).defaultLanguageCode),
})

/** The fields of the product itself: texts, which belong to a translation, and others. */
function* productFields({ fields: { variants: _, ...fields } }: WriteInput, verb: WriteVerb) {
  const { enabled, ...texts } = yield* inputOf(mapping, fields, verb)
  return { texts, ...(enabled !== undefined && { enabled }) }
}

/** A `CreateProductInput`. */
function* newProduct(input: WriteInput, languageCode: string): Steps<VariantInput> {
  const { texts, ...others } = yield* productFields(input, 'create')
  const { slug, ...remoteFields } = input.remoteFields
  // Vendure normalizes the slug and makes it unique.
  const translation = { languageCode, description: '', ...texts, slug: slug ?? texts.name ?? '' }
  return withRemoteFields({ ...others, translations: [translation] }, remoteFields)
}

/** An `UpdateProductInput` without its id; undefined if no field of the product itself changes. */
function* changedProduct(input: WriteInput, raw: RawProduct): Steps<VariantInput | undefined> {
  const { texts, ...others } = yield* productFields(input, 'update')
  const { slug, ...remoteFields } = input.remoteFields
  const changed = { ...texts, ...(slug !== undefined && { slug }) }
  const change = withRemoteFields(
    {
      ...others,
      // Write in the language in which the product is read: all its texts exist in it.
      ...(Object.keys(changed).length > 0 && {
        translations: [{ languageCode: raw.languageCode, ...changed }],
      }),
    },
    remoteFields,
    ['id'],
  )
  return Object.keys(change).length > 0 ? change : undefined
}

/**
 * Divides the input into existing and new variants. Leaving a variant out is an error, so that a caller who
 * sends one variant does not lose the others.
 * @throws WriteRejection if a variant is missing, unknown or repeated
 */
const divide = (input: readonly VariantEntry[], raw: RawProduct) => {
  const remaining = new Map(raw.variants.map((variant) => [variant.id, variant]))
  const changed = []
  const added = []
  for (const entry of input) {
    const { remoteId, id } = entry.variant
    const variantId = remoteId ?? id
    if (variantId === undefined || variantId === null) {
      added.push(entry)
      continue
    }
    const variant = remaining.get(variantId)
    if (!variant)
      throw new WriteRejection(
        'the product has no such variant, or the list has it twice',
        `${entry.at}.remoteId`,
      )
    remaining.delete(variantId)
    changed.push({ entry, variant })
  }
  const [missing] = remaining.values()
  if (missing)
    throw new WriteRejection(
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
  yield* mutate(CREATE_VARIANTS, { input })
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
    .map(({ entry, variant }): VariantInput => {
      const levels = entriesOf(levelsOf.get(variant.id))
      const locations = levels.map(({ stockLocationId }) => String(stockLocationId))
      return { id: variant.id, ...changedVariant(entry, variant, shop, locations) }
    })
    .filter((change) => Object.keys(change).length > 1)
}

/** The writer of products and their variants (NOTES "a product takes several calls"). */
export const productWriter: ResourceWriter = {
  get: getBy(products.readMany),
  create: {
    fields: writableFields(mapping, 'create'),
    *steps(input) {
      const shop = shopOf(rootFields(yield query(SHOP, {})))
      const product = yield* newProduct(input, shop.defaultLanguageCode)
      const name = String(input.fields.productName)
      const inputVariants = variantsOf(input.fields.variants) ?? []
      const variants = inputVariants.map((entry) => newVariant(entry, name, shop))
      const plan = planOptions({ groups: undefined, taken: [] }, inputVariants)

      const id = String((yield* mutate(CREATE, { input: product })).id)
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
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, { remoteId: id }) {
      // Safe: the listing selects every field of it.
      const raw = (yield* readWritten(products, id)) as unknown as RawProduct
      const product = yield* changedProduct(input, raw)
      const inputVariants = variantsOf(input.fields.variants)
      if (!inputVariants) {
        if (product) yield* mutate(UPDATE, { input: { ...product, id } })
        return yield* readWritten(products, id)
      }

      // Validate everything before the first mutation.
      const root = rootFields(yield query(SHOP_AND_PRODUCT, { id }))
      const shop = shopOf(root)
      const { changed, added } = divide(inputVariants, raw)
      const changes = changesOf(changed, shop, root.product)
      const name = String(input.fields.productName ?? raw.name)
      const variants = added.map((entry) => newVariant(entry, name, shop))
      const groups = entriesOf(valuesOf(root.product).optionGroups)
      const hasNone = raw.variants.length === 0 && groups.length === 0
      const known = { groups: hasNone ? undefined : groups, taken: raw.variants.map(chosenBy) }
      const plan = planOptions(known, added)

      if (product) yield* mutate(UPDATE, { input: { ...product, id } })
      if (changes.length > 0) yield* mutate(UPDATE_VARIANTS, { input: changes })
      yield* createVariants(id, variants, plan, shop.defaultLanguageCode)
      return yield* readWritten(products, id)
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId: id }) {
      yield* mutate(DELETE, { id })
    },
  },
  normalize: ({ fields, remoteFields: { slug: _, ...remoteFields } }) => {
    const variants = listedVariants(fields.variants)
    return { fields: { ...fields, ...(variants && { variants }) }, remoteFields }
  },
}
