/** Products and their variants (NOTES "a product takes several calls"). */
import { type Json, orUndo, type Steps, WriteRejection } from '../../../definition/connector.ts'
import { bodyWriter } from '../../../definition/mapping/body-writer.ts'
import { changedFields } from '../../../definition/mapping/changed-fields.ts'
import { objectsIn } from '../../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../../definition/mapping/rule.ts'
import {
  entriesOf,
  textsAt,
  type Values,
  valuesOf,
  withSortedLists,
} from '../../../definition/raw-values.ts'
import { isObject } from '../../../definition/value.ts'
import { mutate, mutation, read } from '../graphql.ts'
import { countOf, sync } from '../listing.ts'
import { type Shop, shop } from '../shop.ts'
import { collection, mapping, pages, priceOf, productsById, stockOf } from './product.ts'
import { checkOptions, choiceKey, createOptions, type VariantEntry } from './product-options.ts'

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

const entriesIn = (variants: Json | undefined): readonly VariantEntry[] =>
  objectsIn(variants).map((variant, index) => ({ variant, at: `variants[${index}]` }))

/** The input that sets the stock of a variant, if it changes. */
const stockInput = ({ variant, at }: VariantEntry, settings: Shop): JsonObject => {
  const { stock } = variant
  const count = stock === null ? null : objectsIn([stock])[0]?.count
  const present = stockOf(variant, settings)
  if (count === undefined || count === present) return {}
  if (count === null) return { trackInventory: 'FALSE' }
  const [location, another] = textsAt(variant, 'stockLevels.stockLocation.id')
  if (another !== undefined)
    throw new WriteRejection(
      'the variant has several stock locations, so Vendure cannot set the total; change the stock in Vendure',
      `${at}.inventory.totalCount`,
    )
  return {
    ...(present === null && { trackInventory: 'TRUE' }),
    ...(location === undefined
      ? { stockOnHand: count }
      : { stockLevels: [{ stockLocationId: location, stockOnHand: count }] }),
  }
}

/** The input of an existing variant, with its id and what changes; none if nothing does. */
const changedVariant = (
  entry: VariantEntry,
  variants: readonly Values[],
  settings: Shop,
): readonly JsonObject[] => {
  const { id, name, price, sku } = entry.variant
  const before = variants.find((variant) => variant.id === id)
  if (id === undefined || !before) return []
  if (choiceKey(entry.variant) !== choiceKey(before))
    throw new WriteRejection(
      'Vendure cannot change the options of a variant',
      `${entry.at}.optionValues`,
    )
  if (name === null) throw new WriteRejection('Vendure requires a title', `${entry.at}.title`)
  const present = { ...before, price: priceOf(before, settings) }
  const { name: title, ...changed } = changedFields({ name, price, sku }, present)
  const change = {
    ...changed,
    ...(title !== undefined && {
      translations: [{ languageCode: settings.defaultLanguageCode, name: title }],
    }),
    ...stockInput(entry, settings),
  }
  return Object.keys(change).length > 0 ? [{ id, ...change }] : []
}

/** A new variant of a request body, and its input without product and options. */
interface NewVariant {
  readonly variant: JsonObject
  readonly input: JsonObject
}

const newVariant = (entry: VariantEntry, productName: unknown, settings: Shop): NewVariant => {
  const { variant, at } = entry
  const { price, sku = '' } = variant
  if (price === undefined)
    throw new WriteRejection(
      'a new variant needs a price; Vendure would set it to 0',
      `${at}.price`,
    )
  const name = variant.name ?? [productName, ...textsAt(variant, 'options.name')].join(' ')
  const translations = [{ languageCode: settings.defaultLanguageCode, name }]
  return { variant, input: { translations, sku, price, ...stockInput(entry, settings) } }
}

/** Creates the missing options, then the new variants. */
function* createVariants(
  productId: string,
  created: readonly NewVariant[],
  groups: readonly Values[],
  languageCode: string,
): Steps<void> {
  if (created.length === 0) return
  const variants = created.map(({ variant }) => variant)
  const optionIds = yield* createOptions(productId, variants, groups, languageCode)
  const input = created.map((one, index) => ({
    productId,
    optionIds: optionIds[index] ?? [],
    ...one.input,
  }))
  yield* mutate('createProductVariants(input: [CreateProductVariantInput!]!)', { input }, 'id')
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
      const added = entriesIn(body.variants)
      const created = added.map((entry) => newVariant(entry, name, settings))
      checkOptions(added, { variants: [], groups: [] })

      const id = String(
        (yield* mutate('createProduct(input: CreateProductInput!)', { input }, 'id')).id,
      )
      // Otherwise an incomplete product would stay in the shop, and a retry would create a second one.
      yield* orUndo(createVariants(id, created, [], defaultLanguageCode), deletion(id))
      return id
    },
    *update(body, { remoteId: id, raw }, { context }) {
      const settings = shop.of(context)
      const product = valuesOf(raw)
      // Write in the language in which the product is read: all its texts exist in it.
      const input = productInput(body, String(product.languageCode))
      const variants = entriesOf(product.variants)
      const entries = entriesIn(body.variants)
      const changes = entries.flatMap((entry) => changedVariant(entry, variants, settings))
      const added = entries.filter(({ variant }) => (variant.id ?? null) === null)
      const [name = product.name] = textsAt(body, 'translations.name')
      const created = added.map((entry) => newVariant(entry, name, settings))
      const parts = 'optionGroups { id name options { id name } }'
      const { optionGroups } =
        added.length === 0 ? {} : yield* read('product(id: ID!)', { id }, parts)
      const groups = entriesOf(optionGroups)
      checkOptions(added, { variants, groups })

      if (Object.keys(input).length > 0)
        yield* mutate(
          'updateProduct(input: UpdateProductInput!)',
          { input: { ...input, id } },
          'id',
        )
      if (changes.length > 0)
        yield* mutate(
          'updateProductVariants(input: [UpdateProductVariantInput!]!)',
          { input: changes },
          'id',
        )
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
