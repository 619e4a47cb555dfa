import { defineMapping } from '../../definition/mapping.ts'
import { product } from '../../resources/commerce/product.ts'
import { entriesOf, type Values, valuesOf } from './graphql.ts'
import { listing } from './listing.ts'
import { decimalText, sum } from './money.ts'
import { type Catalogue, catalogue } from './shop.ts'
import { latestOf } from './times.ts'

/**
 * What is asked of a product. Never `price`: it fails the whole page where one variant has no price
 * in the currency (NOTES 10).
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

/** A variant, as its product lists it. */
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

/** A product, as it is listed. */
export interface RawProduct extends Catalogue {
  readonly languageCode: string
  readonly name: string
  readonly updatedAt: string
  readonly enabled: boolean
  readonly featuredAsset: { readonly preview: string } | null
  readonly assets: readonly { readonly preview: string }[]
  readonly facetValues: readonly { readonly name: string }[]
  readonly variants: readonly RawVariant[]
}

/** The price in the channel's currency, in the shop's unit; undefined if it has none. */
export const priceOf = ({ prices }: RawVariant, shop: Catalogue): number | undefined =>
  prices.find(({ currencyCode }) => currencyCode === shop.defaultCurrencyCode)?.price

/** Units in stock, wherever they are. */
export const stockOf = ({ stockLevels }: RawVariant): number =>
  sum(stockLevels.map(({ stockOnHand }) => stockOnHand))

/** Whether its stock means anything (NOTES 25). */
export const isCounted = ({ trackInventory }: RawVariant, shop: Catalogue): boolean =>
  trackInventory === 'INHERIT' ? shop.globalTrackInventory : trackInventory === 'TRUE'

const priceText = (raw: RawVariant, shop: Catalogue): string | null => {
  const price = priceOf(raw, shop)
  return price === undefined ? null : decimalText(price, shop.moneyStrategyPrecision)
}

const variant = (raw: RawVariant, shop: Catalogue) => ({
  id: raw.id,
  remoteId: raw.id,
  title: raw.name,
  price: priceText(raw, shop),
  sku: raw.sku || null,
  optionValues: raw.options.map(({ name, group }) => ({ name: group.name, value: name })),
  // NOTES 25: what is not counted has a meaningless number.
  inventory: isCounted(raw, shop) ? { totalCount: stockOf(raw) } : null,
  weight: null, // Vendure has none
})

/** A product with its variants, in the language and with the prices of the channel. */
export const mapping = defineMapping<typeof product, RawProduct>(product, {
  remoteId: 'id',
  productName: 'name',
  description: 'description',
  productType: null, // Vendure has none
  productStatus: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
  images: ({ featuredAsset, assets }) => [
    // The picture that stands for the product comes first; it is among the assets, as a rule.
    ...new Set(
      [...(featuredAsset ? [featuredAsset] : []), ...assets].map(({ preview }) => preview),
    ),
  ],
  tags: ({ facetValues }) => facetValues.map(({ name }) => name),
  vendor: null, // Vendure has none; shops keep it as a facet or a custom field
  productUrl: null, // only the storefront knows its addresses; remoteFields.slug is a part of it
  variants: (raw) => raw.variants.map((entry) => variant(entry, raw)),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: ({ updatedAt, variants }) =>
    latestOf([
      updatedAt,
      ...variants.flatMap((entry) => [
        entry.updatedAt,
        ...entry.stockLevels.map((level) => level.updatedAt),
      ]),
    ]),
  remoteDeleted: null, // NOTES 15: they vanish
})

const sorted = (entries: unknown, keyOf: (entry: Values) => string): readonly Values[] =>
  entriesOf(entries)
    .map((entry) => ({ entry, key: keyOf(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry)

const nameIn = (part: string) => (entry: Values) =>
  `${String(valuesOf(entry[part]).name)}\0${String(entry.name)}`

/** With its parts in an order of our own: Vendure has none, and two answers must compare (NOTES 37). */
const inOrder = (entry: Values): Values => ({
  ...entry,
  facetValues: sorted(entry.facetValues, nameIn('facet')),
  variants: entriesOf(entry.variants).map((one) => ({
    ...one,
    prices: sorted(one.prices, ({ currencyCode }) => String(currencyCode)),
    options: sorted(one.options, nameIn('group')),
    stockLevels: sorted(one.stockLevels, nameIn('stockLocation')),
  })),
})

/** A change of a variant does not move its product (NOTES 14). */
export const products = listing({
  ...{ mapping, list: 'products', fields: FIELDS },
  pageSize: 100,
  shop: catalogue,
  // NOTES 14: assigned to the channel, or taken out of it.
  isCounted: true,
  recordsOf: (entry) => [inOrder(entry)],
  changesSince: (since) => [
    { filter: { updatedAt: { after: since } } },
    {
      filter: { updatedAt: { after: since } },
      trace: {
        list: 'productVariants',
        fields: 'productId product { updatedAt }',
        idOf: ({ productId, product }) =>
          // A later one was given by the first pass.
          String(valuesOf(product).updatedAt) <= since ? String(productId) : undefined,
      },
    },
  ],
})
