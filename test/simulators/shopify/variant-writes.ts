/** Writes of variants. */
import { type Context, mutation, type Resolvers } from './context.ts'
import { refuse } from './errors.ts'
import { titleOf, variantsOf } from './products.ts'
import type { Entry, Product, ProductVariant } from './records.ts'
import type { Shop } from './shop.ts'

export interface VariantInput {
  readonly id?: string | null
  readonly optionValues?:
    | readonly {
        readonly name?: string | null
        readonly optionName?: string | null
        readonly optionId?: string | null
      }[]
    | null
  readonly price?: string | null
  readonly compareAtPrice?: string | null
  readonly sku?: string | null
  readonly barcode?: string | null
  readonly taxable?: boolean | null
  readonly inventoryPolicy?: string | null
  readonly inventoryItem?: {
    readonly cost?: string | null
    readonly sku?: string | null
    readonly tracked?: boolean | null
    readonly requiresShipping?: boolean | null
    readonly measurement?: { readonly weight?: ProductVariant['weight'] } | null
  } | null
  readonly inventoryQuantities?:
    | readonly { readonly availableQuantity?: number; readonly quantity?: number }[]
    | null
}

const NEW_VARIANT = {
  price: 0,
  compareAtPrice: null,
  cost: null,
  sku: null,
  barcode: null,
  taxable: true,
  requiresShipping: true,
  tracked: true,
  inventoryPolicy: 'DENY',
  inventoryQuantity: 0,
  weight: null,
}

const amountOf = (text: string | null): number | null => (text === null ? null : Number(text))

const readVariantFields = (input: VariantInput): Partial<ProductVariant> => {
  const { price, compareAtPrice, barcode, taxable, inventoryPolicy, inventoryItem } = input
  const sku = inventoryItem?.sku ?? input.sku
  const quantities = input.inventoryQuantities
  const quantity = quantities?.reduce(
    (sum, { availableQuantity, quantity: set }) => sum + (availableQuantity ?? set ?? 0),
    0,
  )
  return {
    ...(typeof price === 'string' && { price: Number(price) }),
    ...(compareAtPrice !== undefined && { compareAtPrice: amountOf(compareAtPrice) }),
    ...(barcode !== undefined && { barcode }),
    ...(sku !== undefined && { sku }),
    ...(typeof taxable === 'boolean' && { taxable }),
    ...(typeof inventoryPolicy === 'string' && { inventoryPolicy }),
    ...(inventoryItem?.cost !== undefined && { cost: amountOf(inventoryItem.cost) }),
    ...(typeof inventoryItem?.tracked === 'boolean' && { tracked: inventoryItem.tracked }),
    ...(typeof inventoryItem?.requiresShipping === 'boolean' && {
      requiresShipping: inventoryItem.requiresShipping,
    }),
    ...(inventoryItem?.measurement?.weight !== undefined && {
      weight: inventoryItem.measurement.weight,
    }),
    ...(quantity !== undefined && { inventoryQuantity: quantity }),
  }
}

/** The paths and codes of errors, which differ between the mutations. */
interface VariantErrors {
  readonly field: string
  readonly negativePrice: string
  readonly missingOption: string
  readonly duplicate: string
}

export const BULK_ERRORS = {
  negativePrice: 'GREATER_THAN_OR_EQUAL_TO',
  missingOption: 'NEED_TO_ADD_OPTION_VALUES',
  duplicate: 'VARIANT_ALREADY_EXISTS',
}
export const SET_ERRORS = {
  negativePrice: 'INVALID_VARIANT',
  missingOption: 'OPTION_VALUES_MISSING',
  duplicate: 'INVALID_VARIANT',
}

/** The value for each option of the product. @throws UserErrors */
const readSelection = (
  product: Entry<Product>,
  { optionValues }: VariantInput,
  before: readonly string[] | undefined,
  errors: VariantErrors,
): readonly string[] =>
  product.value.options.map(({ id, name }, index) => {
    const found = optionValues?.find((value) => value.optionName === name || value.optionId === id)
    const value = found?.name ?? before?.[index]
    return (
      value ??
      refuse(errors.field, `You need to add option values for ${name}`, errors.missingOption)
    )
  })

/** Adds values of options that a variant uses for the first time. */
const addOptionValues = (productId: string, selection: readonly string[], shop: Shop): void => {
  const options = shop.Product.find(productId)?.value.options ?? []
  const extended = options.map((option, index) => {
    const name = selection[index] ?? ''
    return option.values.some((value) => value.name === name)
      ? option
      : { ...option, values: [...option.values, { id: shop.nextId('ProductOptionValue'), name }] }
  })
  shop.Product.change(productId, { options: extended })
}

/** @throws UserErrors */
export const writeVariant = (
  product: Entry<Product>,
  input: VariantInput,
  before: Entry<ProductVariant> | undefined,
  { shop, errors }: { readonly shop: Shop; readonly errors: VariantErrors },
): Entry<ProductVariant> => {
  const fields = readVariantFields(input)
  const optionValues = readSelection(product, input, before?.value.optionValues, errors)
  if ((fields.price ?? 0) < 0)
    refuse(
      `${errors.field}.price`,
      'Price must be greater than or equal to 0',
      errors.negativePrice,
    )
  const others = variantsOf(product.id, shop).filter(({ id }) => id !== before?.id)
  const title = optionValues.join(' / ')
  if (others.some(({ value }) => titleOf(value) === title))
    refuse(errors.field, `The variant '${title}' already exists.`, errors.duplicate)
  addOptionValues(product.id, optionValues, shop)
  if (before) return shop.ProductVariant.change(before.id, { ...fields, optionValues })
  const position = Math.max(0, ...others.map(({ value }) => value.position)) + 1
  const newFields = {
    productId: product.id,
    inventoryItemId: shop.nextId('InventoryItem'),
    position,
  }
  return shop.ProductVariant.insert(shop.nextId('ProductVariant'), {
    ...NEW_VARIANT,
    ...fields,
    ...newFields,
    optionValues,
  })
}

export const removeVariants = (variants: readonly Entry<ProductVariant>[], shop: Shop): void => {
  for (const { id } of variants) {
    shop.ProductVariant.remove(id)
    shop.noteEvent('destroy', 'PRODUCT_VARIANT', id)
  }
}

interface BulkArguments {
  readonly productId: string
  readonly variants: readonly VariantInput[]
  readonly strategy?: string
}

const productOf = (id: string, shop: Shop): Entry<Product> =>
  shop.Product.find(id) ?? refuse('productId', 'Product does not exist', 'PRODUCT_DOES_NOT_EXIST')

/** The product gets a new time of update with each change of its variants. */
const bulkPayload = (productId: string, ids: readonly string[], shop: Shop): object => ({
  product: shop.Product.change(productId),
  productVariants: ids.map((id) => shop.ProductVariant.find(id)),
})

const createVariants = ({ productId, variants, strategy }: BulkArguments, { shop }: Context) => {
  const product = productOf(productId, shop)
  const [only, ...others] = variantsOf(productId, shop)
  const isStandalone = only && others.length === 0 && titleOf(only.value) === 'Default Title'
  if (isStandalone && strategy !== 'PRESERVE_STANDALONE_VARIANT') removeVariants([only], shop)
  const written = variants.map((input, index) => {
    const errors = { ...BULK_ERRORS, field: `variants.${index}` }
    return writeVariant(product, input, undefined, { shop, errors })
  })
  return bulkPayload(
    productId,
    written.map(({ id }) => id),
    shop,
  )
}

const updateVariants = ({ productId, variants }: BulkArguments, { shop }: Context) => {
  const product = productOf(productId, shop)
  const written = variants.map((input, index) => {
    const field = `variants.${index}`
    if (input.inventoryQuantities)
      refuse(
        field,
        'Inventory quantities can only be provided during create. To update inventory for existing variants, use inventoryAdjustQuantities.',
        'NO_INVENTORY_QUANTITIES_ON_VARIANTS_UPDATE',
      )
    const before = variantsOf(productId, shop).find(({ id }) => id === input.id)
    if (!before)
      refuse(`${field}.id`, 'Product variant does not exist', 'PRODUCT_VARIANT_DOES_NOT_EXIST')
    return writeVariant(product, input, before, { shop, errors: { ...BULK_ERRORS, field } })
  })
  return bulkPayload(
    productId,
    written.map(({ id }) => id),
    shop,
  )
}

const deleteVariants = (
  {
    productId,
    variantsIds,
  }: { readonly productId: string; readonly variantsIds: readonly string[] },
  { shop }: Context,
) => {
  productOf(productId, shop)
  const variantsOfProduct = variantsOf(productId, shop)
  const removed = variantsOfProduct.filter(({ id }) => variantsIds.includes(id))
  if (removed.length < variantsIds.length)
    refuse(
      'variantsIds',
      'At least one variant does not belong to the product',
      'AT_LEAST_ONE_VARIANT_DOES_NOT_BELONG_TO_THE_PRODUCT',
    )
  if (removed.length === variantsOfProduct.length)
    refuse(
      'variantsIds',
      'Cannot delete the last variant of a product',
      'CANNOT_DELETE_LAST_VARIANT',
    )
  removeVariants(removed, shop)
  return { product: shop.Product.change(productId) }
}

export const variantMutations: Resolvers[string] = {
  productVariantsBulkCreate: mutation(createVariants),
  productVariantsBulkUpdate: mutation(updateVariants),
  productVariantsBulkDelete: mutation(deleteVariants),
}

/** Takes sold quantities out of stock, as an order does: the product gets a new time of update. */
export const adjustInventory = (variantId: string | null, change: number, shop: Shop): void => {
  const variant = variantId === null ? undefined : shop.ProductVariant.find(variantId)
  if (!variant?.value.tracked) return
  const inventoryQuantity = variant.value.inventoryQuantity + change
  shop.ProductVariant.change(variant.id, { inventoryQuantity })
  shop.Product.change(variant.value.productId)
}
