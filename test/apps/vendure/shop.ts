import { act } from './act.ts'
import type { Vendure } from './start.ts'
import {
  ADDRESS_FIELDS,
  type Address,
  CUSTOMER_FIELDS,
  type Customer,
  type CustomerDetails,
  PRODUCT_FIELDS,
  type Product,
  readProduct,
  type Variant,
} from './state.ts'

// A merchant's actions on products and customers, through the Admin API. Amounts are minor units.

export interface NewVariant {
  readonly sku: string
  /** Net price in cents of a euro. */
  readonly price: number
  readonly stockOnHand?: number
  /** Options of the variant, `{ Size: 'L' }`; required if the product has two or more variants. */
  readonly options?: Readonly<Record<string, string>>
}

/** A product with its variants and the options that they name. @throws VendureError */
export async function createProduct(
  vendure: Vendure,
  product: { name: string; description?: string; variants: readonly NewVariant[] },
): Promise<Product> {
  const translation = { languageCode: 'en', name: product.name, slug: slugOf(product.name) }
  const { id } = await act<Product>(
    vendure,
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }',
    { input: { translations: [{ ...translation, description: product.description ?? '' }] } },
  )
  const optionIds = await createOptions(vendure, id, product.variants)
  const input = product.variants.map(({ sku, price, stockOnHand = 100, options = {} }) => ({
    productId: id,
    sku,
    price,
    stockOnHand,
    optionIds: Object.entries(options).map((option) => optionIds.get(option.join())),
    translations: [
      { languageCode: 'en', name: [product.name, ...Object.values(options)].join(' ') },
    ],
  }))
  await act(
    vendure,
    `mutation ($input: [CreateProductVariantInput!]!) {
      createProductVariants(input: $input) { id }
    }`,
    { input },
  )
  const created = await readProduct(vendure, id)
  if (!created) throw new Error(`Vendure does not know product "${id}", which it has just created`)
  return created
}

async function createOptions(
  vendure: Vendure,
  productId: string,
  variants: readonly NewVariant[],
): Promise<Map<string, string>> {
  const valuesOf = new Map<string, Set<string>>()
  for (const [group, value] of variants.flatMap(({ options }) => Object.entries(options ?? {}))) {
    valuesOf.set(group, (valuesOf.get(group) ?? new Set()).add(value))
  }
  const ids = new Map<string, string>()
  for (const [group, values] of valuesOf) {
    const translationOf = (name: string) => ({
      code: slugOf(name),
      translations: [{ languageCode: 'en', name }],
    })
    const created = await act<{ id: string; options: { id: string; name: string }[] }>(
      vendure,
      `mutation ($input: CreateProductOptionGroupInput!) {
        createProductOptionGroup(input: $input) { id options { id name } }
      }`,
      { input: { ...translationOf(group), options: [...values].map(translationOf) } },
    )
    for (const { id, name } of created.options) ids.set([group, name].join(), id)
    await act(
      vendure,
      `mutation ($productId: ID!, $groupId: ID!) {
        addOptionGroupToProduct(productId: $productId, optionGroupId: $groupId) { id }
      }`,
      { productId, groupId: created.id },
    )
  }
  return ids
}

/** @throws VendureError */
export async function updateProduct(
  vendure: Vendure,
  id: string,
  { enabled, ...texts }: { name?: string; description?: string; enabled?: boolean },
): Promise<Product> {
  const translations = Object.keys(texts).length ? [{ languageCode: 'en', ...texts }] : undefined
  return act(
    vendure,
    `mutation ($input: UpdateProductInput!) { updateProduct(input: $input) { ${PRODUCT_FIELDS} } }`,
    { input: { id, enabled, translations } },
  )
}

/** @throws VendureError */
export async function deleteProduct(vendure: Vendure, id: string): Promise<void> {
  await act(vendure, 'mutation ($id: ID!) { deleteProduct(id: $id) { result message } }', { id })
}

/** @throws VendureError */
export async function updateVariant(
  vendure: Vendure,
  id: string,
  change: { sku?: string; price?: number; stockOnHand?: number; enabled?: boolean },
): Promise<Pick<Variant, 'id' | 'updatedAt'>> {
  return act(
    vendure,
    `mutation ($input: UpdateProductVariantInput!) {
      updateProductVariant(input: $input) { id updatedAt }
    }`,
    { input: { id, ...change } },
  )
}

/** @throws VendureError */
export async function deleteVariant(vendure: Vendure, id: string): Promise<void> {
  await act(vendure, 'mutation ($id: ID!) { deleteProductVariant(id: $id) { result message } }', {
    id,
  })
}

/** The password of every account, which lets tests order as any customer. */
export const ACCOUNT_PASSWORD = 'account-password'

/** A customer with an account. @throws VendureError */
export async function createCustomer(
  vendure: Vendure,
  { address, ...input }: CustomerDetails & { address?: Address },
): Promise<Customer> {
  const customer = await act<Customer>(
    vendure,
    `mutation ($input: CreateCustomerInput!, $password: String!) {
      createCustomer(input: $input, password: $password) {
        ... on Customer { ${CUSTOMER_FIELDS} } ... on ErrorResult { errorCode message }
      }
    }`,
    { input, password: ACCOUNT_PASSWORD },
  )
  if (!address) return customer
  return { ...customer, addresses: [await addAddress(vendure, customer.id, address)] }
}

/** @throws VendureError */
export async function updateCustomer(
  vendure: Vendure,
  id: string,
  change: Partial<CustomerDetails>,
): Promise<Customer> {
  return act(
    vendure,
    `mutation ($input: UpdateCustomerInput!) {
      updateCustomer(input: $input) {
        ... on Customer { ${CUSTOMER_FIELDS} } ... on ErrorResult { errorCode message }
      }
    }`,
    { input: { id, ...change } },
  )
}

/** @throws VendureError */
export async function addAddress(
  vendure: Vendure,
  customerId: string,
  input: Address,
): Promise<Customer['addresses'][number]> {
  return act(
    vendure,
    `mutation ($customerId: ID!, $input: CreateAddressInput!) {
      createCustomerAddress(customerId: $customerId, input: $input) {
        id updatedAt ${ADDRESS_FIELDS} country { code }
      }
    }`,
    { customerId, input },
  )
}

/** @throws VendureError */
export async function deleteCustomer(vendure: Vendure, id: string): Promise<void> {
  await act(vendure, 'mutation ($id: ID!) { deleteCustomer(id: $id) { result message } }', { id })
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
