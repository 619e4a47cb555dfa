import type { Json, Steps } from '../../definition/connector.ts'
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { writtenEntries } from '../../definition/mapping/changed-fields.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { textsAt, valuesOf } from '../../definition/raw-values.ts'
import { collectionPages } from './collection-pages.ts'
import { mutate, mutateCoded } from './graphql.ts'
import { comparedSync } from './listing.ts'
import { collection, DEFAULT_OPTIONS, mapping } from './product.ts'
import { wholeRecord } from './whole-records.ts'

/** The input of a new variant. */
const newVariant = (variant: JsonObject): JsonObject => ({
  optionValues: DEFAULT_OPTIONS,
  ...variant,
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
  const { added, changed } = writtenEntries(written, valuesOf(stored).variants, 'variants')
  if (changed.length > 0)
    yield* mutateCoded(`productVariantsBulkUpdate(productId: ID!, variants: ${VARIANTS})`, {
      productId,
      variants: changed.map(({ entry }) => entry),
    })
  if (added.length > 0)
    yield* mutateCoded(`productVariantsBulkCreate(productId: ID!, variants: ${VARIANTS})`, {
      productId,
      variants: added.map(({ entry }) => newVariant(entry)),
    })
}

/** Products. */
export const products = writableResource(mapping, {
  app: 'Shopify',
  pages: collectionPages(collection),
  sync: comparedSync,
  remoteFields: { reserved: ['id', 'productOptions'] },
  get: wholeRecord(collection),
  *create({ variants, ...body }) {
    const entries = objectsIn(variants).map(newVariant)
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
