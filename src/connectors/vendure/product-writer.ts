/** Products and their variants (NOTES "a product takes several calls"). */
import { type Json, orUndo, type Steps, WriteRejection } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import { type WrittenEntry, writtenEntries } from '../../definition/mapping/changed-fields.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import {
  entriesOf,
  textsAt,
  type Values,
  valuesOf,
  withSortedLists,
} from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { mutation, read, write } from './graphql.ts'
import { countOf, sync } from './listing.ts'
import { collection, mapping, pages, productsById, stockOf } from './product.ts'
import { checkOptions, createOptions } from './product-options.ts'
import { type Shop, shop } from './shop.ts'

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

/** The input of a new or changed variant, without product and options. */
const variantInput = (
  { entry: { options: _, stock, ...input }, path, stored = {} }: WrittenEntry,
  settings: Shop,
): JsonObject => {
  if (input.translations === null)
    throw new WriteRejection('Vendure requires a title', `${path}.title`)
  const count = objectsIn([stock])[0]?.count ?? null
  const present = stockOf(stored, settings)
  if (stock === undefined || count === present) return input
  if (count === null) return { ...input, trackInventory: 'FALSE' }
  const [location, another] = textsAt(stored, 'stockLevels.stockLocation.id')
  if (another !== undefined)
    throw new WriteRejection(
      'the variant has several stock locations, so Vendure cannot set the total; change the stock in Vendure',
      `${path}.inventory.totalCount`,
    )
  return {
    ...input,
    ...(present === null && { trackInventory: 'TRUE' }),
    ...(location === undefined
      ? { stockOnHand: count }
      : { stockLevels: [{ stockLocationId: location, stockOnHand: count }] }),
  }
}

/** The input of a new variant without the product, and with its options in place of their ids. */
const newVariant = (written: WrittenEntry, productName: unknown, settings: Shop): JsonObject => {
  const { entry, path } = written
  if (entry.price === undefined)
    throw new WriteRejection(
      'a new variant needs a price; Vendure would set it to 0',
      `${path}.price`,
    )
  const { options = [] } = entry
  const name = [productName, ...textsAt(options, 'name')].join(' ')
  const translations = entry.translations ?? [{ languageCode: settings.defaultLanguageCode, name }]
  return {
    options,
    ...variantInput({ ...written, entry: { sku: '', ...entry, translations } }, settings),
  }
}

/** Creates the missing options, then the new variants. */
function* createVariants(
  productId: string,
  created: readonly JsonObject[],
  groups: readonly Values[],
  languageCode: string,
): Steps<void> {
  if (created.length === 0) return
  const optionIds = yield* createOptions(productId, created, groups, languageCode)
  const input = created.map(({ options: _, ...variant }, index) => ({
    productId,
    optionIds: optionIds[index] ?? [],
    ...variant,
  }))
  yield* write('createProductVariants', input)
}

/** Products with their variants. */
export const products = {
  mapping,
  ...pages,
  readMany: productsById,
  // Assigning a product to the channel or removing it updates no timestamp.
  sync: { ...sync, remoteCount: countOf(collection) },
  write: bodyWriter(mapping, {
    app: 'Vendure',
    remoteFields: { reserved: ['id'] },
    readMany: productsById,
    *create(body, { context }) {
      const settings = shop.of(context)
      const { defaultLanguageCode } = settings
      const [name = ''] = textsAt(body, 'translations.name')
      const input = productInput(body, defaultLanguageCode, { description: '', slug: name })
      const { added } = writtenEntries(body.variants, [], 'variants')
      const created = added.map((written) => newVariant(written, name, settings))
      checkOptions(added, [])
      const id = String((yield* write('createProduct', input)).id)
      // Otherwise an incomplete product would stay in the shop, and a retry would create a second one.
      yield* orUndo(createVariants(id, created, [], defaultLanguageCode), deletion(id))
      return id
    },
    *update(body, { remoteId: id, raw }, { context }) {
      const settings = shop.of(context)
      const product = valuesOf(raw)
      // Write in the language in which the product is read: all its texts exist in it.
      const input = productInput(body, String(product.languageCode))
      const variants = writtenEntries(body.variants, product.variants, 'variants')
      const { entries, added } = variants
      const changed = variants.changed
        .map((entry) => variantInput(entry, settings))
        // Options in another sequence are no change.
        .filter((variant) => Object.keys(variant).length > 1)
      const [name = product.name] = textsAt(body, 'translations.name')
      const created = added.map((written) => newVariant(written, name, settings))
      const parts = 'optionGroups { id name options { id name } }'
      const { optionGroups } =
        added.length === 0 ? {} : yield* read('product(id: ID!)', { id }, parts)
      const groups = entriesOf(optionGroups)
      checkOptions(entries, groups)

      if (Object.keys(input).length > 0) yield* write('updateProduct', { ...input, id })
      if (changed.length > 0) yield* write('updateProductVariants', changed)
      yield* createVariants(id, created, groups, settings.defaultLanguageCode)
    },
    *delete({ remoteId: id }) {
      yield deletion(id)
    },
    normalize: ({ fields, remoteFields: { slug: _, ...remoteFields } }) => ({
      fields: withSortedLists(fields, { 'variants.optionValues': ['name'] }),
      remoteFields,
    }),
  }),
}
