import type { Json, Steps } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import { changedEntries, writtenEntries } from '../../definition/mapping/changed-fields.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { textsAt, valuesAt, valuesOf } from '../../definition/raw-values.ts'
import { mutate, mutateCoded } from './graphql.ts'
import { collection, DEFAULT_OPTION, mapping } from './product.ts'
import { wholeRecord } from './whole-records.ts'

/** A variant of the mapping as the input of a mutation, without its id. */
const variantInput = ({ price, sku, selectedOptions, inventoryItem }: JsonObject): JsonObject => {
  // Safe: a value of a parsed JSON body.
  const [weight] = valuesAt(inventoryItem, 'measurement.weight') as readonly Json[]
  const item = {
    ...(sku !== undefined && { sku }),
    ...(weight !== undefined && { measurement: { weight } }),
  }
  return {
    ...(price !== undefined && { price }),
    ...(Object.keys(item).length > 0 && { inventoryItem: item }),
    ...(selectedOptions !== undefined && { optionValues: optionValues(selectedOptions) }),
  }
}

const optionValues = (options: Json): readonly JsonObject[] => {
  const chosen = objectsIn(options)
  return (chosen.length > 0 ? chosen : [DEFAULT_OPTION]).map(({ name = null, value = null }) => ({
    optionName: name,
    name: value,
  }))
}

/** A new variant: by default, with the option that Shopify hides. */
const newVariantInput = (variant: JsonObject): JsonObject => ({
  optionValues: optionValues([]),
  ...variantInput(variant),
})

/** The options that some variants have, with their values, in the order of the variants. */
const productOptions = (variants: readonly JsonObject[]): readonly JsonObject[] => {
  const chosen = variants.flatMap(({ optionValues }) => objectsIn(optionValues))
  return [...Map.groupBy(chosen, ({ optionName }) => optionName)].map(([name = null, values]) => ({
    name,
    values: [...new Set(textsAt(values, 'name'))].map((value) => ({ name: value })),
  }))
}

const VARIANTS = '[ProductVariantsBulkInput!]!'

/** Updates the variants that have an id and differ, and creates those without one (NOTES "a product takes several calls"). */
function* writeVariants(productId: string, written: Json, stored: unknown): Steps<void> {
  const { entries, added } = writtenEntries(written, valuesOf(stored).variants, 'variants')
  const changed = changedEntries(entries, variantInput)
  const created = added.map(({ entry }) => newVariantInput(entry))
  if (changed.length > 0)
    yield* mutateCoded(`productVariantsBulkUpdate(productId: ID!, variants: ${VARIANTS})`, {
      productId,
      variants: changed,
    })
  if (created.length > 0)
    yield* mutateCoded(`productVariantsBulkCreate(productId: ID!, variants: ${VARIANTS})`, {
      productId,
      variants: created,
    })
}

/** The writer of products. */
export const productWriter = bodyWriter(mapping, {
  app: 'Shopify',
  remoteFields: { reserved: ['id', 'productOptions'] },
  get: wholeRecord(collection),
  *create({ variants, ...body }) {
    const entries = objectsIn(variants).map(newVariantInput)
    const input = { ...body, productOptions: productOptions(entries), variants: entries }
    const parts = 'product { id }'
    const created =
      entries.length === 0
        ? yield* mutate('productCreate(product: ProductCreateInput!)', { product: body }, parts)
        : yield* mutateCoded('productSet(input: ProductSetInput!)', { input }, parts)
    return textsAt(created, 'product.id')[0]
  },
  *update({ variants, ...body }, { remoteId: id, raw }) {
    if (variants !== undefined) yield* writeVariants(id, variants, raw)
    if (Object.keys(body).length > 0) {
      const product = { ...body, id }
      yield* mutate('productUpdate(product: ProductUpdateInput!)', { product })
    }
  },
  *delete({ remoteId: id }) {
    const signature = 'productDelete(input: ProductDeleteInput!)'
    yield* mutate(signature, { input: { id } })
  },
})
