import type { Vendure } from './start.ts'

// Vendure's own records, for comparison. Amounts are minor units, times ISO 8601.

export interface Address {
  readonly fullName?: string
  readonly company?: string
  readonly streetLine1: string
  readonly streetLine2?: string
  readonly city?: string
  readonly province?: string
  readonly postalCode?: string
  /** DE or FR: the countries that the shop ships to. */
  readonly countryCode: string
  readonly phoneNumber?: string
}

export interface CustomerDetails {
  readonly title?: string
  readonly firstName: string
  readonly lastName: string
  readonly emailAddress: string
  readonly phoneNumber?: string
}

export const PRODUCT_FIELDS = `
  id createdAt updatedAt name slug description enabled
  optionGroups { name }
  variants {
    id createdAt updatedAt sku name enabled price priceWithTax currencyCode
    prices { currencyCode price }
    options { name group { name } }
    stockLevels { stockOnHand stockAllocated }
  }`

/** A product in Vendure. */
export interface Product {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly enabled: boolean
  readonly optionGroups: readonly { readonly name: string }[]
  readonly variants: readonly Variant[]
}

export interface Variant {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly sku: string
  readonly name: string
  readonly enabled: boolean
  readonly price: number
  readonly priceWithTax: number
  readonly currencyCode: string
  readonly prices: readonly { readonly currencyCode: string; readonly price: number }[]
  readonly options: readonly { readonly name: string; readonly group: { readonly name: string } }[]
  readonly stockLevels: readonly { readonly stockOnHand: number; readonly stockAllocated: number }[]
}

export const ADDRESS_FIELDS =
  'fullName company streetLine1 streetLine2 city province postalCode phoneNumber'

export const CUSTOMER_FIELDS = `
  id createdAt updatedAt title firstName lastName emailAddress phoneNumber
  addresses { id updatedAt ${ADDRESS_FIELDS} country { code } }`

/** A customer in Vendure. */
export interface Customer extends CustomerDetails {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly addresses: readonly (Omit<Address, 'countryCode'> & {
    readonly id: string
    readonly updatedAt: string
    readonly country: { readonly code: string }
  })[]
}

export const FULFILLMENT_FIELDS =
  'id createdAt updatedAt state nextStates method trackingCode lines { orderLineId quantity }'

/** A fulfillment in Vendure. */
export interface Fulfillment {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly state: string
  readonly nextStates: readonly string[]
  readonly method: string
  readonly trackingCode: string | null
  readonly lines: readonly { readonly orderLineId: string; readonly quantity: number }[]
}

export const ORDER_FIELDS = `
  id createdAt updatedAt orderPlacedAt code state active currencyCode
  subTotal subTotalWithTax shipping shippingWithTax total totalWithTax
  discounts { description amount amountWithTax }
  taxSummary { taxRate taxTotal }
  customer { id firstName lastName emailAddress phoneNumber }
  shippingAddress { ${ADDRESS_FIELDS} countryCode }
  billingAddress { ${ADDRESS_FIELDS} countryCode }
  lines {
    id createdAt updatedAt quantity orderPlacedQuantity
    unitPrice unitPriceWithTax linePriceWithTax
    productVariant { id sku name productId }
  }
  payments {
    id createdAt updatedAt method state amount transactionId
    refunds { id updatedAt state total }
  }
  fulfillments { ${FULFILLMENT_FIELDS} }`

/** An order in Vendure. */
export interface Order {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly orderPlacedAt: string | null
  readonly code: string
  readonly state: string
  readonly active: boolean
  readonly currencyCode: string
  readonly subTotal: number
  readonly subTotalWithTax: number
  readonly shipping: number
  readonly shippingWithTax: number
  readonly total: number
  readonly totalWithTax: number
  readonly discounts: readonly { readonly description: string; readonly amountWithTax: number }[]
  readonly taxSummary: readonly { readonly taxRate: number; readonly taxTotal: number }[]
  readonly customer: (CustomerDetails & { readonly id: string }) | null
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  readonly lines: readonly {
    readonly id: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly quantity: number
    readonly orderPlacedQuantity: number
    readonly unitPrice: number
    readonly unitPriceWithTax: number
    readonly linePriceWithTax: number
    readonly productVariant: {
      readonly id: string
      readonly sku: string
      readonly name: string
      readonly productId: string
    }
  }[]
  readonly payments: readonly {
    readonly id: string
    readonly updatedAt: string
    readonly method: string
    readonly state: string
    readonly amount: number
    readonly refunds: readonly {
      readonly id: string
      readonly state: string
      readonly total: number
    }[]
  }[]
  readonly fulfillments: readonly Fulfillment[]
}

/** The product, or null if it is missing or deleted, which Vendure does not distinguish. */
export async function readProduct(vendure: Vendure, id: string): Promise<Product | null> {
  const query = `query ($id: ID!) { product(id: $id) { ${PRODUCT_FIELDS} } }`
  return (await vendure.admin<{ product: Product | null }>(query, { id })).product
}

/** The customer, or null if they are missing or deleted. */
export async function readCustomer(vendure: Vendure, id: string): Promise<Customer | null> {
  const query = `query ($id: ID!) { customer(id: $id) { ${CUSTOMER_FIELDS} } }`
  return (await vendure.admin<{ customer: Customer | null }>(query, { id })).customer
}

/** The order with its payments and fulfillments; null if it is missing. */
export async function readOrder(vendure: Vendure, id: string): Promise<Order | null> {
  const query = `query ($id: ID!) { order(id: $id) { ${ORDER_FIELDS} } }`
  return (await vendure.admin<{ order: Order | null }>(query, { id })).order
}
