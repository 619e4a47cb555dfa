/** Products and their variants (NOTES "a product takes several calls"). */
import { type Json, orUndo, type Steps } from '../../definition/connector.ts'
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { type WrittenEntry, writtenEntries } from '../../definition/mapping/changed-fields.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import {
  entriesOf,
  textsAt,
  type Values,
  valuesOf,
  withSortedLists,
} from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { mutation, write } from './graphql.ts'
import { countOf, sync } from './listing.ts'
import { collection, mapping, pages, productsById } from './product.ts'
import { checkOptions, createOptions, readGroups } from './product-options.ts'
import { shop } from './shop.ts'

const deletion = (id: string) => mutation('deleteProduct(id: ID!)', { id }, 'result message')

/**
 * The input of a product. Its texts and `remoteFields.slug` are those of a translation; a caller may send `translations`
 * instead.
 */
const productInput = (
  { variants: _, ...body }: JsonObject,
  languageCode: Json,
  defaults: JsonObject = {},
): JsonObject => {
  if (Array.isArray(body.translations)) return body
  const { translations, slug, ...input } = body
  const texts = {
    ...defaults,
    ...(isObject(translations) && translations),
    ...(slug !== undefined && { slug }),
  }
  if (Object.keys(texts).length === 0) return input
  return { ...input, translations: [{ languageCode, ...texts }] }
}

/** Creates variants and the options that the product lacks. */
function* createVariants(
  { id: productId, name: productName }: { readonly id: string; readonly name: string },
  added: readonly WrittenEntry[],
  groups: readonly Values[],
  languageCode: string,
): Steps<void> {
  if (added.length === 0) return
  const entries = added.map(({ entry }) => entry)
  const optionIds = yield* createOptions(productId, entries, groups, languageCode)
  const input = entries.map(({ options = [], ...variant }, index) => ({
    productId,
    optionIds: optionIds[index] ?? [],
    sku: '',
    translations: [{ languageCode, name: [productName, ...textsAt(options, 'name')].join(' ') }],
    ...variant,
  }))
  yield* write('createProductVariants', input)
}

/** Products with their variants. */
export const products = writableResource(mapping, {
  app: 'Vendure',
  pages,
  readMany: productsById,
  // Assigning a product to the channel or removing it updates no timestamp.
  sync: { ...sync, remoteCount: countOf(collection) },
  remoteFields: { reserved: ['id'] },
  *create(body, { context }) {
    const { defaultLanguageCode } = shop.of(context)
    const [name = ''] = textsAt(body, 'translations.name')
    const input = productInput(body, defaultLanguageCode, { description: '', slug: name })
    const { added } = writtenEntries(body.variants, [], 'variants')
    checkOptions(added, [], [])
    const id = String((yield* write('createProduct', input)).id)
    // Otherwise an incomplete product would stay in the shop, and a retry would create a second one.
    yield* orUndo(createVariants({ id, name }, added, [], defaultLanguageCode), deletion(id))
    return id
  },
  *update(body, { remoteId: id, raw }, { context }) {
    const product = valuesOf(raw)
    // Write in the language in which the product is read: all its texts exist in it.
    const input = productInput(body, String(product.languageCode))
    const { added, changed } = writtenEntries(body.variants, product.variants, 'variants')
    const [name = String(product.name)] = textsAt(body, 'translations.name')
    const groups = added.length === 0 ? [] : yield* readGroups(id)
    checkOptions(added, entriesOf(product.variants), groups)

    if (Object.keys(input).length > 0) yield* write('updateProduct', { ...input, id })
    if (changed.length > 0)
      yield* write(
        'updateProductVariants',
        changed.map(({ entry }) => entry),
      )
    yield* createVariants({ id, name }, added, groups, shop.of(context).defaultLanguageCode)
  },
  *delete({ remoteId: id }) {
    yield deletion(id)
  },
  normalize: ({ fields, remoteFields: { slug: _, ...remoteFields } }) => ({
    fields: withSortedLists(fields, { 'variants.optionValues': ['name'] }),
    remoteFields,
  }),
})
