/** Products and variants as they are read. */
import { connect, connectPart, type PageArguments, type Position, sortBy } from './connections.ts'
import type { Resolvers } from './context.ts'
import { variantsByProduct } from './listings.ts'
import { writeMoney, writeMoneyV2 } from './money.ts'
import type { Entry, Product, ProductImage, ProductOption, ProductVariant } from './records.ts'
import { numberOf, type Shop, writeTime } from './shop.ts'

export const variantsOf = (productId: string, shop: Shop): readonly Entry<ProductVariant>[] =>
  variantsByProduct(shop).get(productId) ?? []

const DEFAULT_TITLE = 'Default Title'

export const titleOf = ({ optionValues }: ProductVariant): string => optionValues.join(' / ')

/** A name that is used in lines of orders; undefined: the product's only variant. */
export const variantTitleOf = (variant: ProductVariant): string | null =>
  titleOf(variant) === DEFAULT_TITLE ? null : titleOf(variant)

const quantityOf = (productId: string, shop: Shop): number =>
  variantsOf(productId, shop).reduce((sum, { value }) => sum + value.inventoryQuantity, 0)

const withoutTags = (html: string): string => html.replaceAll(/<[^>]{0,500}>/g, '').trim()

const isAvailable = ({ tracked, inventoryPolicy, inventoryQuantity }: ProductVariant): boolean =>
  !tracked || inventoryPolicy === 'CONTINUE' || inventoryQuantity > 0

/** The value of a variant for each option, with the option. */
const selectionOf = ({ productId, optionValues }: ProductVariant, shop: Shop) =>
  (shop.Product.find(productId)?.value.options ?? []).map((option, index) => ({
    option,
    value: optionValues[index] ?? '',
  }))

type ProductSource = Entry<Product>
type VariantSource = Entry<ProductVariant>

const productFields: Resolvers[string] = {
  description: ({ value }: ProductSource, { truncateAt }: { readonly truncateAt?: number }) =>
    withoutTags(value.descriptionHtml).slice(0, truncateAt ?? undefined),
  hasOnlyDefaultVariant: ({ id }: ProductSource, _, { shop }) => {
    const [only, ...others] = variantsOf(id, shop)
    return only !== undefined && others.length === 0 && titleOf(only.value) === DEFAULT_TITLE
  },
  hasOutOfStockVariants: ({ id }: ProductSource, _, { shop }) =>
    variantsOf(id, shop).some(({ value }) => !isAvailable(value)),
  isGiftCard: () => false,
  media: ({ id, value }: ProductSource, args: PageArguments, context) =>
    connectPart(
      value.images.map((image) => ({ ...image, type: 'MediaImage' })),
      args,
      context,
      `media of ${id}`,
    ),
  options: ({ id, value }: ProductSource, { first }: { readonly first?: number }) =>
    value.options.slice(0, first ?? undefined).map((option, index) => ({
      ...option,
      position: index + 1,
      productId: id,
      at: index,
    })),
  priceRangeV2: ({ id }: ProductSource, _, { shop }) => {
    const prices = variantsOf(id, shop).map(({ value }) => value.price)
    const write = (amount: number) => writeMoneyV2(amount, shop.settings.currencyCode)
    return {
      minVariantPrice: write(prices.length > 0 ? Math.min(...prices) : 0),
      maxVariantPrice: write(prices.length > 0 ? Math.max(...prices) : 0),
    }
  },
  requiresSellingPlan: () => false,
  totalInventory: ({ id }: ProductSource, _, { shop }) => quantityOf(id, shop),
  tracksInventory: ({ id }: ProductSource, _, { shop }) =>
    variantsOf(id, shop).some(({ value }) => value.tracked),
  variants: (
    { id }: ProductSource,
    { sortKey = 'POSITION', ...args }: PageArguments & { readonly sortKey?: string },
    context,
  ) => {
    const isByPosition = sortKey === 'POSITION'
    const positionOf = (variant: VariantSource): Position => [
      isByPosition ? variant.value.position : 0,
      numberOf(variant.id),
    ]
    const nodes = sortBy(variantsOf(id, context.shop), positionOf)
    return connect({ nodes, positionOf, order: `variants ${sortKey}` }, args, context)
  },
  variantsCount: ({ id }: ProductSource, _, { shop }) => ({
    count: variantsOf(id, shop).length,
    precision: 'EXACT',
  }),
}

interface OptionSource extends ProductOption {
  readonly productId: string
  readonly at: number
}

const usedValues = ({ productId, at }: OptionSource, shop: Shop): readonly (string | undefined)[] =>
  variantsOf(productId, shop).map(({ value }) => value.optionValues[at])

const variantFields: Resolvers[string] = {
  availableForSale: ({ value }: VariantSource) => isAvailable(value),
  compareAtPrice: ({ value }: VariantSource, _, { shop }) =>
    value.compareAtPrice === null
      ? null
      : writeMoney(value.compareAtPrice, shop.settings.currencyCode),
  displayName: ({ value }: VariantSource, _, { shop }) =>
    `${shop.Product.find(value.productId)?.value.title} - ${titleOf(value)}`,
  inventoryItem: (source: VariantSource) => ({
    id: source.value.inventoryItemId,
    variant: source,
    createdAt: writeTime(source.createdAtMs),
    updatedAt: writeTime(source.updatedAtMs),
    legacyResourceId: String(numberOf(source.value.inventoryItemId)),
  }),
  price: ({ value }: VariantSource, _, { shop }) =>
    writeMoney(value.price, shop.settings.currencyCode),
  product: ({ value }: VariantSource, _, { shop }) => shop.Product.find(value.productId),
  requiresComponents: () => false,
  selectedOptions: ({ value }: VariantSource, _, { shop }) =>
    selectionOf(value, shop).map(({ option, value: name }) => ({
      name: option.name,
      value: name,
      optionValue: {
        name,
        hasVariants: true,
        id: option.values.find((known) => known.name === name)?.id,
      },
    })),
  sellableOnlineQuantity: ({ value }: VariantSource) => Math.max(0, value.inventoryQuantity),
  showUnitPrice: () => false,
  title: ({ value }: VariantSource) => titleOf(value),
}

interface InventoryItemSource {
  readonly variant: VariantSource
}

export const productResolvers: Resolvers = {
  Product: productFields,
  ProductVariant: variantFields,
  ProductOption: {
    optionValues: (option: OptionSource, _, { shop }) => {
      const used = usedValues(option, shop)
      return option.values.map((value) => ({ ...value, hasVariants: used.includes(value.name) }))
    },
    values: (option: OptionSource, _, { shop }) => {
      const used = usedValues(option, shop)
      return option.values.map(({ name }) => name).filter((name) => used.includes(name))
    },
  },
  MediaImage: {
    image: ({ url, alt }: ProductImage) => ({ url, altText: alt }),
    mediaContentType: () => 'IMAGE',
    fileStatus: () => 'READY',
    status: () => 'READY',
  },
  InventoryItem: {
    measurement: ({ variant: { id, value } }: InventoryItemSource) => ({
      id: `gid://shopify/InventoryItemMeasurement/${numberOf(id)}`,
      weight: value.weight,
    }),
    requiresShipping: ({ variant }: InventoryItemSource) => variant.value.requiresShipping,
    sku: ({ variant }: InventoryItemSource) => variant.value.sku,
    tracked: ({ variant }: InventoryItemSource) => variant.value.tracked,
    unitCost: ({ variant: { value } }: InventoryItemSource, _, { shop }) =>
      value.cost === null ? null : writeMoneyV2(value.cost, shop.settings.currencyCode),
  },
}
