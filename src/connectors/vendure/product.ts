/** The mapping and the listing of products. */
import {
  blankAsNull,
  fixed,
  flag,
  keepEntry,
  listOf,
  notNull,
  objectOf,
  onlyChanges,
  orElse,
  required,
  requiredOfNew,
  updateOnly,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import type { Converter, NestedRules } from '../../definition/mapping/rule.ts'
import { objectAt } from '../../definition/mapping/write.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { fetchTraced, passes } from '../../definition/paging/compose.ts'
import {
  entriesOf,
  latestOf,
  sortedBy,
  sumAt,
  textsAt,
  type Values,
  valuesAt,
  valuesOf,
  withSortedLists,
} from '../../definition/raw-values.ts'
import { WriteRejection } from '../../definition/steps.ts'
import { product } from '../../resources/commerce/product.ts'
import { type Collection, pagesOf, readManyOf } from './listing.ts'
import { amount, type Shop, shop } from './shop.ts'

/**
 * The products. Do not select `price`: it fails the whole page if one variant has no price in the currency (NOTES
 * "`ProductVariant.price` fails the whole page").
 */
export const collection: Collection = {
  list: 'products',
  take: 100,
  fields: `
    id createdAt updatedAt languageCode name slug description enabled
    featuredAsset { preview } assets { preview } facetValues { name facet { name } }
    variants {
      id createdAt updatedAt sku name enabled trackInventory
      prices { currencyCode price }
      options { name group { name } }
      stockLevels { updatedAt stockOnHand stockAllocated stockLocation { id name } }
    }`,
  recordsOf: (entry, { defaultLanguageCode, ...settings }) => [
    // Vendure returns parts in no fixed order.
    withSortedLists(
      { ...entry, ...settings },
      {
        facetValues: ['facet.name', 'name'],
        'variants.prices': ['currencyCode'],
        'variants.options': ['group.name', 'name'],
        'variants.stockLevels': ['stockLocation.name'],
      },
    ),
  ],
}

/** The price in the channel's currency, in the shop's unit; undefined if the variant has none. */
const priceOf = ({ prices }: Values, { defaultCurrencyCode }: Shop): number | undefined => {
  const price = entriesOf(prices).find(({ currencyCode }) => currencyCode === defaultCurrencyCode)
  return price && Number(price.price)
}

/** The units in stock, at all locations together; null without tracking (NOTES "`stockOnHand` needs tracking"). */
const stockOf = (variant: Values, { globalTrackInventory }: Shop): number | null => {
  const { trackInventory = 'INHERIT' } = variant
  const isTracked = trackInventory === 'INHERIT' ? globalTrackInventory : trackInventory === 'TRUE'
  return isTracked ? sumAt(variant, 'stockLevels.stockOnHand') : null
}

/** The stock. A write sets that of the only location, and turns tracking on or, with null, off. */
const inventory: Converter = {
  ...objectOf('', { totalCount: 'count' }),
  read: (raw, _, context) => {
    const count = stockOf(valuesOf(raw), shop.of(context))
    return count === null ? null : { count }
  },
  apply: (value, { path, put, present = {}, context }) => {
    const { totalCount: count = null } = value === null ? {} : objectAt(value, path)
    const before = stockOf(present, shop.of(context))
    const [location, another] = textsAt(present, 'stockLevels.stockLocation.id')
    if (count === before) return undefined
    if (count === null) put('trackInventory', 'FALSE', path)
    else if (another !== undefined)
      throw new WriteRejection(
        'the variant has several stock locations, so Vendure cannot set the total; change the stock in Vendure',
        `${path}.totalCount`,
      )
    else {
      if (before === null) put('trackInventory', 'TRUE', path)
      if (location === undefined) put('stockOnHand', count, path)
      else put('stockLevels', [{ stockLocationId: location, stockOnHand: count }], path)
    }
    return undefined
  },
}

const variant: NestedRules = {
  id: updateOnly('id'),
  remoteId: updateOnly('id'),
  title: onlyChanges(
    notNull({
      from: 'name',
      to: 'translations',
      write: (name, { context }) => [{ languageCode: shop.of(context).defaultLanguageCode, name }],
    }),
  ),
  // Vendure would set the price of a new variant to 0.
  price: requiredOfNew(
    writtenTo('price', notNull(amount((raw, context) => priceOf(raw, shop.of(context))))),
  ),
  sku: orElse(blankAsNull('sku'), ''),
  optionValues: fixed(
    listOf('options', { name: required('group.name'), value: required('name') }),
    'Vendure cannot change the options of a variant',
    (options) => sortedBy(options, ['group.name', 'name']),
  ),
  inventory,
  weight: null, // Vendure has none
}

/** The mapping of products with their variants, in the channel's language and currency. */
export const mapping = defineMapping(product, {
  remoteId: 'id',
  productName: required(writtenTo('translations.name', 'name')),
  description: orElse(writtenTo('translations.description', 'description'), ''),
  productType: null, // Vendure has none
  productStatus: notNull(flag('enabled', 'enabled', 'disabled')),
  // The featured image comes first. It is usually among the assets too.
  images: (raw) => [
    ...new Set([...valuesAt(raw, 'featuredAsset.preview'), ...valuesAt(raw, 'assets.preview')]),
  ],
  tags: (raw) => valuesAt(raw, 'facetValues.name'),
  vendor: null, // Vendure has none; shops use a facet or a custom field
  productUrl: null, // Vendure does not know the storefront's URLs; remoteFields.slug is part of one
  variants: listOf('variants', variant, {
    id: 'id',
    matchBy: [['id']],
    remove: keepEntry('name', 'an update cannot delete variants'),
    changesOnly: true,
  }),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: latestOf('updatedAt'),
  remoteDeleted: null, // NOTES "deletions leave no trace"
})

/** Reads products by their ids. */
export const productsById = readManyOf(collection)

/** The variants, to find products that changed in a variant only. */
const variants: Collection = {
  list: 'productVariants',
  fields: 'id productId product { updatedAt }',
}

/** The pages of products. A change of a variant does not update the product (NOTES "product updatedAt"). */
export const pages = passes(({ since }) => {
  if (since === undefined) return { all: pagesOf(collection) }
  const updatedAt = { after: since }
  // Products that have changed themselves are in the first pass.
  const productIds = (found: unknown) =>
    (latestOf('updatedAt')(found) ?? '') <= since ? textsAt(found, 'productId') : []
  return {
    changed: pagesOf(collection, { updatedAt }),
    withChangedVariant: fetchTraced(pagesOf(variants, { updatedAt }), productIds, productsById),
  }
})
