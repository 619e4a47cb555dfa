/** The mapping of products with their variants. */
import {
  blankAsNull,
  enumeration,
  keepEntry,
  listOf,
  objectOf,
  orElse,
  readOnly,
  required,
  updateOnly,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { valuesAt } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { product } from '../../resources/commerce/product.ts'
import type { Collection } from './listing.ts'

/** Products in any status. Without the filter, the schema promises only active ones. */
export const collection: Collection = {
  type: 'Product',
  list: 'products',
  filter: 'status:active,archived,draft,unlisted',
  first: 10,
  fields: `id createdAt updatedAt publishedAt title handle descriptionHtml productType vendor status tags
    onlineStoreUrl`,
  media: '... on MediaImage { image { url } }',
  part: {
    name: 'variants',
    type: 'ProductVariant',
    first: 10,
    page: 150,
    fields: `id title sku price position inventoryQuantity selectedOptions { name value }
      inventoryItem { id tracked measurement { weight { value unit } } }`,
  },
}

/** A raw variant, as the listing selects it. */
interface RawVariant {
  readonly inventoryQuantity: number | null
  readonly inventoryItem: { readonly tracked: boolean } | null
}

/** The only option of a product without options (NOTES "the default option"). */
const DEFAULT_OPTION = { name: 'Title', value: 'Default Title' } as const

const isDefault = (option: unknown): boolean =>
  isObject(option) && option.name === DEFAULT_OPTION.name && option.value === DEFAULT_OPTION.value

/** The options as a write takes them; by default, the one that Shopify hides. */
export const DEFAULT_OPTIONS = [{ optionName: DEFAULT_OPTION.name, name: DEFAULT_OPTION.value }]

const options: Converter = {
  ...listOf('selectedOptions', {
    name: required(writtenTo('optionName', 'name')),
    value: required(writtenTo('name', 'value')),
  }),
  to: 'optionValues',
  read: (list) => (Array.isArray(list) ? list.filter((option) => !isDefault(option)) : list),
  write: (list) => (Array.isArray(list) && list.length > 0 ? list : DEFAULT_OPTIONS),
  empty: DEFAULT_OPTIONS,
}

const variant = {
  id: updateOnly('id'),
  remoteId: updateOnly('id'),
  title: readOnly('title'), // Shopify makes it from the options
  price: decimal('price', { as: 'text', padTo: 2, notNegative: { name: 'A price' } }),
  sku: writtenTo('inventoryItem.sku', 'sku'),
  optionValues: options,
  // All locations together; without tracking, the number means nothing (NOTES "stock").
  inventory: ({ inventoryQuantity, inventoryItem }: RawVariant) =>
    inventoryItem?.tracked ? { totalCount: inventoryQuantity } : null,
  weight: objectOf('inventoryItem.measurement.weight', {
    value: required('value'),
    unit: required('unit'),
  }),
}

const variants = listOf<RawVariant, object>('variants', variant, {
  matchBy: [['id'], ['inventoryItem.sku']],
  id: 'id',
  remove: keepEntry('title', 'a write does not delete variants'),
  changesOnly: true,
})

/** The mapping of products. */
export const mapping = defineMapping<typeof product, object>(product, {
  remoteId: 'id',
  productName: required('title'),
  description: orElse(blankAsNull('descriptionHtml'), ''),
  productType: orElse(blankAsNull('productType'), ''),
  productStatus: enumeration('status', ['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']),
  images: (raw) => valuesAt(raw, 'media.nodes.image.url'), // NOTES "images"
  tags: 'tags',
  vendor: orElse(blankAsNull('vendor'), ''),
  productUrl: readOnly('onlineStoreUrl'),
  variants,
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "deletions"
})
