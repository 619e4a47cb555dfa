/** Products with their variants. */
import type { Pager } from '../../definition/connector.ts'
import {
  keepEntry,
  listOf,
  notNull,
  onlyChanges,
  required,
  requiredOfNew,
  updateOnly,
} from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { objectAt, writeValue } from '../../definition/mapping/write.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { fetchTraced, mapReadMany, mapRecords, passes } from '../../definition/paging/compose.ts'
import {
  entriesOf,
  latestOf,
  sortedBy,
  sumAt,
  type Values,
  valuesOf,
} from '../../definition/raw-values.ts'
import { WriteRejection } from '../../definition/steps.ts'
import { product } from '../../resources/commerce/product.ts'
import { type Collection, changedSince, deletedSince, readManyOf } from './listing.ts'
import { shop } from './shop.ts'

const collection: Collection = {
  path: 'products',
  list: 'products',
  fields: [
    'id',
    'title',
    'subtitle',
    'description',
    'handle',
    'status',
    'external_id',
    'is_giftcard',
    'discountable',
    'thumbnail',
    'collection_id',
    'type_id',
    'weight',
    'length',
    'height',
    'width',
    'hs_code',
    'origin_country',
    'mid_code',
    'material',
    'metadata',
    'created_at',
    'updated_at',
    'deleted_at',
    'type.value',
    '*tags',
    '*images',
    '*options',
    '*options.values',
    '*variants',
    '*variants.prices',
    'variants.prices.price_rules.value',
    'variants.prices.price_rules.attribute',
    '*variants.options',
    '*variants.options.option',
    'variants.inventory_items.required_quantity',
    '*variants.inventory_items.inventory.location_levels',
  ],
}

/** The variants, to find products that changed in a variant only (NOTES "variants do not change the product"). */
const variants: Collection = {
  path: 'product-variants',
  list: 'variants',
  fields: ['id', 'product_id'],
}

/** The orders, to find products whose stock a fulfillment has changed (NOTES "changes without a trace"). */
const orders: Collection = {
  path: 'orders',
  list: 'orders',
  fields: ['id', 'items.product_id'],
}

/** A raw price. Prices of a price list or with a rule are not the price of a variant. */
interface RawPrice {
  readonly id: string
  readonly currency_code: string
  readonly amount: number
  readonly min_quantity: number | null
  readonly max_quantity: number | null
  readonly price_list_id?: string | null
  readonly rules?: Readonly<Record<string, string>>
}

/** A raw variant of a product. */
interface RawVariant {
  readonly manage_inventory: boolean
  readonly variant_rank: number | null
  readonly inventory_items?: unknown
}

/** A raw product, with the currency of the shop. */
interface RawProduct {
  readonly id: string
  readonly type?: { readonly value: string } | null
  readonly tags?: readonly { readonly value: string }[]
  readonly deleted_at: string | null
  readonly default_currency_code: string
}

const isBasePrice = (price: RawPrice): boolean =>
  !price.price_list_id &&
  Object.keys(price.rules ?? {}).length === 0 &&
  price.min_quantity === null &&
  price.max_quantity === null

/** The prices of a variant, as the listing selects them. */
const pricesOf = (prices: unknown): readonly RawPrice[] =>
  // Safe: the parsed JSON of a list.
  Array.isArray(prices) ? (prices as readonly RawPrice[]) : []

/** The price of a variant in the currency of the shop; undefined if it has none. */
const priceIn = (prices: readonly RawPrice[], currency: string): RawPrice | undefined =>
  prices.find((price) => price.currency_code === currency && isBasePrice(price))

/** Units in stock: of a set, as many as its scarcest part allows. Null without tracking. */
const stockOf = ({ manage_inventory, inventory_items }: RawVariant): object | null => {
  const parts = entriesOf(inventory_items)
  if (!manage_inventory || parts.length === 0) return null
  const counts = parts.map(({ required_quantity, inventory }) =>
    Math.floor(
      sumAt(inventory, 'location_levels.stocked_quantity') / (Number(required_quantity) || 1),
    ),
  )
  return { totalCount: Math.min(...counts) }
}

const byRank = (a: RawVariant, b: RawVariant): number =>
  Number(a.variant_rank) - Number(b.variant_rank)

/** The options of a variant; a write takes them by name: `{ Size: 'L' }`. */
const options: Converter = {
  ...listOf('options', { name: required('option.title'), value: required('value') }),
  read: (list) => sortedBy(list, ['option.title']),
  // Safe: the rules write texts.
  write: (list) =>
    Object.fromEntries(
      entriesOf(list).map(({ option, value }) => [String(valuesOf(option).title), value as string]),
    ),
  empty: {},
}

/** A weight. Medusa stores no unit. */
const weight: Converter = {
  from: 'weight',
  read: (value) => ({ value, unit: null }),
  write: (input, { path }) => {
    const { value = null, unit } = objectAt(input, path)
    if (unit) throw new WriteRejection('Medusa stores no unit; leave it out.', `${path}.unit`)
    return value
  },
}

const amount = requiredOfNew(notNull(decimal('prices', { as: 'number' })))

/** The price in the currency of the shop. A write names the other prices too; Medusa deletes those that it omits. */
const price: Converter = {
  ...amount,
  read: (prices, record) =>
    priceIn(pricesOf(prices), String(valuesOf(record).default_currency_code))?.amount,
  apply: (value, context) => {
    const { currency } = shop.of(context.context)
    const prices = pricesOf(context.present?.prices)
    const present = priceIn(prices, currency)
    const written = writeValue(amount, undefined, value, context)
    if (written === present?.amount) return undefined
    const others = prices
      .filter((one) => one !== present && !one.price_list_id)
      .map(({ id, currency_code, amount: unchanged, rules = {} }) => ({
        id,
        currency_code,
        amount: unchanged,
        ...(Object.keys(rules).length > 0 && { rules }),
      }))
    const changed = { ...(present && { id: present.id }), currency_code: currency, amount: written }
    context.put('prices', [...others, changed], context.path)
    return undefined
  },
}

const variant = {
  id: updateOnly('id'),
  remoteId: updateOnly('id'),
  title: onlyChanges(notNull('title')),
  price,
  sku: 'sku',
  optionValues: options,
  inventory: (raw: RawVariant) => stockOf(raw), // NOTES "stock is read only"
  weight,
}

/** The mapping of products with their variants. */
export const mapping = defineMapping<typeof product, RawProduct>(product, {
  remoteId: 'id',
  productName: required('title'),
  description: 'description',
  productType: ({ type }) => type?.value, // a write takes an id: remoteFields.type_id
  productStatus: notNull('status'),
  images: {
    from: 'images',
    read: (images) =>
      entriesOf(images)
        .toSorted((a, b) => Number(a.rank) - Number(b.rank))
        .map(({ url }) => url),
    write: (urls) => {
      if (!Array.isArray(urls)) throw new WriteRejection('Expected a list.', 'images')
      return urls.map((url) => ({ url }))
    },
  },
  tags: ({ tags }) => tags?.map(({ value }) => value) ?? [], // a write takes ids: remoteFields.tags
  vendor: null, // Medusa has none
  productUrl: null, // Medusa does not know the storefront's URLs; remoteFields.handle is part of one
  variants: {
    ...listOf<RawVariant, RawProduct>('variants', variant, {
      matchBy: [['id']],
      id: 'id',
      remove: keepEntry('title', 'an update cannot delete variants'),
      changesOnly: true,
    }),
    // Safe: the listing selects the variants.
    read: (listed) => (listed as readonly RawVariant[]).toSorted(byRank),
  },
  remoteCreatedAt: 'created_at',
  remoteUpdatedAt: latestOf('updated_at'),
  remoteDeleted: ({ deleted_at }) => typeof deleted_at === 'string',
})

/** The record with the currency of the shop. */
const shownRecord = (record: unknown, context: unknown): readonly Values[] => [
  { ...valuesOf(record), default_currency_code: shop.of(context).currency },
]

/** Reads products by their ids. */
export const productsById = mapReadMany(readManyOf(collection), shownRecord)

const withCurrencies = (pager: Pager): Pager => mapRecords(pager, shownRecord)

/** The pages of products. */
export const pages = passes(({ since }) => ({
  changed: withCurrencies(changedSince(collection, since)),
  ...(since !== undefined && {
    withChangedVariant: fetchTraced(changedSince(variants, since), 'product_id', productsById),
    inChangedOrder: fetchTraced(changedSince(orders, since), 'items.product_id', productsById),
    deleted: withCurrencies(deletedSince(collection, since)),
  }),
}))
