import {
  blankAsNull,
  flag,
  listOf,
  notNull,
  orElse,
  required,
  updateOnly,
  writtenBySteps,
} from '../../../definition/mapping/converters.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { product } from '../../../resources/commerce/product.ts'
import { entriesOf, type Values, valuesOf } from '../graphql.ts'
import { listing } from '../listing.ts'
import { decimalText, sum } from '../money.ts'
import { catalogue, type ShopCatalogue } from '../shop.ts'
import { latestOf } from '../times.ts'

/**
 * The selected fields of a product. Do not select `price`: it fails the whole page if one variant has no price
 * in the currency (NOTES "`ProductVariant.price` fails the whole page").
 */
const FIELDS = `
  id createdAt updatedAt languageCode name slug description enabled
  featuredAsset { preview } assets { preview } facetValues { name facet { name } }
  variants {
    id createdAt updatedAt sku name enabled trackInventory
    prices { currencyCode price }
    options { name group { name } }
    stockLevels { updatedAt stockOnHand stockAllocated stockLocation { name } }
  }`

/** A raw variant of a product. */
export interface RawVariant {
  readonly id: string
  readonly updatedAt: string
  readonly sku: string
  readonly name: string
  readonly trackInventory: 'TRUE' | 'FALSE' | 'INHERIT'
  readonly prices: readonly { readonly currencyCode: string; readonly price: number }[]
  readonly options: readonly { readonly name: string; readonly group: { readonly name: string } }[]
  readonly stockLevels: readonly { readonly updatedAt: string; readonly stockOnHand: number }[]
}

/** A raw product, as the listing selects it. */
export interface RawProduct extends ShopCatalogue {
  readonly languageCode: string
  readonly name: string
  readonly updatedAt: string
  readonly enabled: boolean
  readonly featuredAsset: { readonly preview: string } | null
  readonly assets: readonly { readonly preview: string }[]
  readonly facetValues: readonly { readonly name: string }[]
  readonly variants: readonly RawVariant[]
}

/** The price in the channel's currency, in the shop's unit; undefined if the variant has none. */
export const priceOf = ({ prices }: RawVariant, shop: ShopCatalogue): number | undefined =>
  prices.find(({ currencyCode }) => currencyCode === shop.defaultCurrencyCode)?.price

/** Units in stock, at all locations together. */
export const stockOf = ({ stockLevels }: RawVariant): number =>
  sum(stockLevels.map(({ stockOnHand }) => stockOnHand))

/** Whether the stock of a variant is tracked (NOTES "`stockOnHand` needs tracking"). */
export const isStockTracked = ({ trackInventory }: RawVariant, shop: ShopCatalogue): boolean =>
  trackInventory === 'INHERIT' ? shop.globalTrackInventory : trackInventory === 'TRUE'

const priceText = (raw: RawVariant, shop: ShopCatalogue): string | null => {
  const price = priceOf(raw, shop)
  return price === undefined ? null : decimalText(price, shop.moneyStrategyPrecision)
}

// The steps of the writer write variants.
const variant = {
  id: updateOnly('id'),
  remoteId: updateOnly('id'),
  title: 'name',
  price: writtenBySteps(priceText),
  sku: blankAsNull('sku'),
  optionValues: listOf('options', { name: 'group.name', value: 'name' }),
  // Without tracking, the number is meaningless.
  inventory: writtenBySteps((raw: RawVariant, shop: RawProduct) =>
    isStockTracked(raw, shop) ? { totalCount: stockOf(raw) } : null,
  ),
  weight: null, // Vendure has none
}

/** The mapping of products with their variants, in the channel's language and currency. */
export const mapping = defineMapping<typeof product, RawProduct>(product, {
  remoteId: 'id',
  productName: required('name'),
  description: orElse('description', ''),
  productType: null, // Vendure has none
  productStatus: notNull(flag('enabled', 'enabled', 'disabled')),
  images: ({ featuredAsset, assets }) => [
    // The featured image comes first. It is usually among the assets too.
    ...new Set(
      [...(featuredAsset ? [featuredAsset] : []), ...assets].map(({ preview }) => preview),
    ),
  ],
  tags: ({ facetValues }) => facetValues.map(({ name }) => name),
  vendor: null, // Vendure has none; shops use a facet or a custom field
  productUrl: null, // Vendure does not know the storefront's URLs; remoteFields.slug is part of one
  variants: listOf<RawVariant, RawProduct>('variants', variant),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: ({ updatedAt, variants }) =>
    latestOf([
      updatedAt,
      ...variants.flatMap((entry) => [
        entry.updatedAt,
        ...entry.stockLevels.map((level) => level.updatedAt),
      ]),
    ]),
  remoteDeleted: null, // NOTES "deletions leave no trace"
})

const sorted = (entries: unknown, keyOf: (entry: Values) => string): readonly Values[] =>
  entriesOf(entries)
    .map((entry) => ({ entry, key: keyOf(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry)

const nameIn = (part: string) => (entry: Values) =>
  `${String(valuesOf(entry[part]).name)}\0${String(entry.name)}`

/** The product with sorted parts, because Vendure returns them in no fixed order and records are compared. */
const withSortedParts = (entry: Values): Values => ({
  ...entry,
  facetValues: sorted(entry.facetValues, nameIn('facet')),
  variants: entriesOf(entry.variants).map((rawVariant) => ({
    ...rawVariant,
    prices: sorted(rawVariant.prices, ({ currencyCode }) => String(currencyCode)),
    options: sorted(rawVariant.options, nameIn('group')),
    stockLevels: sorted(rawVariant.stockLevels, nameIn('stockLocation')),
  })),
})

/**
 * The listing of products, with a trace of variants, whose changes do not update the product (NOTES
 * "product updatedAt").
 */
export const products = listing({
  mapping,
  list: 'products',
  fields: FIELDS,
  pageSize: 100,
  shop: catalogue,
  // Assigning a product to the channel or removing it updates no timestamp.
  comparesCount: true,
  recordsOf: (entry) => [withSortedParts(entry)],
  changesSince: (since, { records, traced }) => ({
    changed: records({ updatedAt: { after: since } }),
    withChangedVariant: traced(
      { list: 'productVariants', fields: 'id productId product { updatedAt }' },
      { updatedAt: { after: since } },
      ({ productId, product }) =>
        // The first pass has listed products with a newer time.
        String(valuesOf(product).updatedAt) <= since ? [String(productId)] : [],
    ),
  }),
})
