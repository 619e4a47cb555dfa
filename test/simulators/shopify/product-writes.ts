/** Writes of products. */

import { type Context, mutation, type Resolvers } from './context.ts'
import { readTags } from './customers.ts'
import { refuse } from './errors.ts'
import { variantsOf } from './products.ts'
import type { Entry, Product, ProductImage, ProductOption } from './records.ts'
import { type Shop, writeTime } from './shop.ts'
import {
  BULK_ERRORS,
  removeVariants,
  SET_ERRORS,
  type VariantInput,
  writeVariant,
} from './variant-writes.ts'

interface OptionInput {
  readonly name?: string | null
  readonly values?: readonly { readonly name?: string | null }[] | null
}

export interface ProductInput {
  readonly id?: string | null
  readonly title?: string | null
  readonly handle?: string | null
  readonly descriptionHtml?: string | null
  readonly vendor?: string | null
  readonly productType?: string | null
  readonly templateSuffix?: string | null
  readonly status?: string | null
  readonly tags?: readonly string[] | null
  readonly productOptions?: readonly OptionInput[] | null
  readonly variants?: readonly VariantInput[] | null
  readonly files?: readonly FileInput[] | null
}

interface FileInput {
  readonly originalSource?: string | null
  readonly alt?: string | null
  readonly contentType?: string | null
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]{1,200}/g, '-')
    .replaceAll(/^-|-$/g, '') || 'product'

const isHandleTaken = (handle: string, shop: Shop): boolean =>
  shop.Product.list().some(({ value }) => value.handle === handle)

/** `shirt`, or `shirt-1` if that is taken. */
const freeHandle = (title: string, shop: Shop): string => {
  const slug = slugOf(title)
  let handle = slug
  for (let suffix = 1; isHandleTaken(handle, shop); suffix++) handle = `${slug}-${suffix}`
  return handle
}

const readOption = ({ name, values }: OptionInput, shop: Shop): ProductOption => ({
  id: shop.nextId('ProductOption'),
  name: name ?? '',
  values: (values ?? []).map((value) => ({
    id: shop.nextId('ProductOptionValue'),
    name: value.name ?? '',
  })),
})

const readOptions = (inputs: readonly OptionInput[], shop: Shop): Product['options'] =>
  (inputs.length > 0 ? inputs : [{ name: 'Title', values: [{ name: 'Default Title' }] }]).map(
    (input) => readOption(input, shop),
  )

/** The vendor copies the image, and reports it as soon as that is done; here it has its source and is done at once. */
const readImage = ({ originalSource, alt, contentType }: FileInput, shop: Shop): ProductImage => {
  if (contentType && contentType !== 'IMAGE')
    throw new Error(`The simulator has no media of the type ${contentType}`)
  if (!originalSource) return refuse('input.files', 'Invalid image url', 'INVALID_INPUT')
  return { id: shop.nextId('MediaImage'), url: originalSource, alt: alt ?? null }
}

const NEW_PRODUCT = {
  descriptionHtml: '',
  vendor: '',
  productType: '',
  templateSuffix: null,
  status: 'ACTIVE',
  tags: [],
  images: [],
}

const readFields = (input: ProductInput): Partial<Product> => {
  const { title, handle, descriptionHtml, vendor, productType, templateSuffix, status, tags } =
    input
  return {
    ...(title !== undefined && { title: title ?? '' }),
    ...(typeof handle === 'string' && { handle }),
    ...(descriptionHtml !== undefined && { descriptionHtml: descriptionHtml ?? '' }),
    ...(vendor !== undefined && { vendor: vendor ?? '' }),
    ...(productType !== undefined && { productType: productType ?? '' }),
    ...(templateSuffix !== undefined && { templateSuffix }),
    ...(typeof status === 'string' && { status }),
    ...(tags !== undefined && { tags: readTags(tags) }),
  }
}

const checkProduct = (fields: Partial<Product>, path: string, codes: boolean): void => {
  if (fields.title?.trim() === '')
    refuse(`${path}title`, "Title can't be blank", codes ? 'INVALID_INPUT' : undefined)
}

const insertProduct = (input: ProductInput, shop: Shop): Entry<Product> => {
  const fields = readFields({ ...input, title: input.title ?? '' })
  const title = fields.title ?? ''
  const status = fields.status ?? NEW_PRODUCT.status
  return shop.Product.insert(shop.nextId('Product'), {
    ...NEW_PRODUCT,
    ...fields,
    title,
    vendor: fields.vendor ?? shop.account.name,
    handle: fields.handle ?? freeHandle(title, shop),
    publishedAt: status === 'ACTIVE' ? writeTime(shop.clock.nowMs()) : null,
    options: readOptions(input.productOptions ?? [], shop),
  })
}

/** A product with its first variant. @throws UserErrors */
export const createProduct = (input: ProductInput, shop: Shop): Entry<Product> => {
  checkProduct({ title: input.title ?? '' }, '', false)
  const { handle } = input
  if (handle && isHandleTaken(handle, shop))
    refuse('handle', `Handle '${handle}' already in use. Please provide a new handle.`)
  const product = insertProduct(input, shop)
  const optionValues = product.value.options.map(({ name, values }) => ({
    optionName: name,
    name: values[0]?.name ?? '',
  }))
  const errors = { ...BULK_ERRORS, field: 'product.productOptions' }
  writeVariant(product, { optionValues }, undefined, { shop, errors })
  return product
}

/** @throws UserErrors */
export const updateProduct = (input: ProductInput, shop: Shop): Entry<Product> => {
  const fields = readFields(input)
  checkProduct(fields, '', false)
  const { id = '' } = input
  return shop.Product.find(id ?? '')
    ? shop.Product.change(id ?? '', fields)
    : refuse('id', 'Product does not exist')
}

/** @throws UserErrors */
export const deleteProduct = (id: string, shop: Shop): string => {
  if (!shop.Product.find(id)) refuse('id', 'Product does not exist')
  removeVariants(variantsOf(id, shop), shop)
  shop.Product.remove(id)
  shop.noteEvent('destroy', 'PRODUCT', id)
  return id
}

interface SetArguments {
  readonly input: ProductInput
  readonly identifier?: { readonly id?: string; readonly handle?: string } | null
  readonly synchronous?: boolean | null
}

const findToSet = ({ input, identifier }: SetArguments, shop: Shop): Entry<Product> | undefined => {
  const id = identifier?.id ?? input.id
  const found = id
    ? shop.Product.find(id)
    : shop.Product.list().find(({ value }) => value.handle === identifier?.handle)
  if (id && !found) refuse('input', 'Product does not exist', 'PRODUCT_DOES_NOT_EXIST')
  return found
}

/** Replaces the options and variants that are sent: the others are deleted. */
const setVariants = (
  product: Entry<Product>,
  inputs: readonly VariantInput[],
  shop: Shop,
): void => {
  const before = variantsOf(product.id, shop)
  const sent = inputs.map(({ id }) => id)
  removeVariants(
    before.filter(({ id }) => !sent.includes(id)),
    shop,
  )
  for (const [at, input] of inputs.entries()) {
    const known = input.id ? before.find(({ id }) => id === input.id) : undefined
    const field = `input.variants.${at}`
    if (input.id && !known)
      refuse(field, 'Product variant does not exist', 'PRODUCT_VARIANT_DOES_NOT_EXIST')
    writeVariant(product, input, known, { shop, errors: { ...SET_ERRORS, field } })
  }
}

/** @throws UserErrors */
const setProduct = (args: SetArguments, { shop }: Context): object => {
  const { input, synchronous } = args
  if (synchronous === false)
    throw new Error('The simulator has productSet with synchronous: true alone')
  const { productOptions, variants } = input
  const before = findToSet(args, shop)
  checkProduct(before ? readFields(input) : { title: input.title ?? '' }, 'input.', true)
  if (productOptions && !variants)
    refuse('input.variants', 'Variants input is required', 'VARIANTS_INPUT_MISSING')
  const { id } = before
    ? shop.Product.change(before.id, readFields(input))
    : insertProduct({ ...input, handle: args.identifier?.handle ?? input.handle ?? null }, shop)
  const product = shop.Product.change(id, {
    ...(productOptions && { options: readOptions(productOptions, shop) }),
    ...(input.files && { images: input.files.map((image) => readImage(image, shop)) }),
  })
  if (variants) setVariants(product, variants, shop)
  else if (!before) setVariants(product, [DEFAULT_VARIANT], shop)
  return { product: shop.Product.find(product.id) }
}

const DEFAULT_VARIANT: VariantInput = {
  optionValues: [{ optionName: 'Title', name: 'Default Title' }],
}

export const productMutations: Resolvers[string] = {
  productCreate: mutation(({ product }: { readonly product: ProductInput }, { shop }: Context) => ({
    product: shop.Product.find(createProduct(product ?? {}, shop).id),
  })),
  productUpdate: mutation(
    (
      {
        product,
        identifier,
      }: { readonly product: ProductInput; readonly identifier?: { readonly id?: string } },
      { shop }: Context,
    ) => ({
      product: updateProduct({ ...product, id: identifier?.id ?? product.id ?? null }, shop),
    }),
  ),
  productDelete: mutation(
    ({ input }: { readonly input: { readonly id: string } }, { shop }: Context) => ({
      deletedProductId: deleteProduct(input.id, shop),
    }),
  ),
  productSet: mutation(setProduct),
}
