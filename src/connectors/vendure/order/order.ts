import { blankAsNull, listOf, objectOf, readOnly } from '../../../definition/mapping/converters.ts'
import { objectReader } from '../../../definition/mapping/read.ts'
import type { Converter } from '../../../definition/mapping/rule.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { order } from '../../../resources/commerce/order.ts'
import { listing } from '../listing.ts'
import { decimalText, sum } from '../money.ts'
import { type MoneyUnit, moneyUnit } from '../shop.ts'
import { latestOf } from '../times.ts'
import { latestPart, orderPasses, PLACED } from './order-passes.ts'
import {
  fulfillmentStatus,
  paymentStatus,
  type RawPayment,
  type RawShipment,
} from './order-status.ts'

const ADDRESS =
  'fullName company streetLine1 streetLine2 city province postalCode countryCode phoneNumber'

const FIELDS = `
  id createdAt updatedAt orderPlacedAt type code state currencyCode couponCodes
  totalWithTax shippingWithTax
  discounts { description amountWithTax }
  surcharges { description priceWithTax }
  taxSummary { description taxRate taxBase taxTotal }
  customer { id firstName lastName emailAddress phoneNumber }
  shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} }
  lines {
    id quantity orderPlacedQuantity unitPriceWithTax linePriceWithTax
    productVariant { id productId sku name }
  }
  payments {
    id updatedAt method state amount transactionId
    refunds { id updatedAt state total reason }
  }
  fulfillments { id updatedAt state lines { orderLineId quantity } }
  modifications { id updatedAt }
  history(options: { take: 1, sort: { createdAt: DESC } }) { items { createdAt } }`

/** A raw address of an order. */
export interface RawAddress {
  readonly fullName: string | null
  readonly streetLine1: string | null
  readonly streetLine2: string | null
  readonly city: string | null
  readonly province: string | null
  readonly postalCode: string | null
  readonly countryCode: string | null
  readonly phoneNumber: string | null
}

interface RawLine {
  readonly id: string
  readonly quantity: number
  readonly unitPriceWithTax: number
  readonly productVariant: {
    readonly id: string
    readonly productId: string
    readonly name: string
  }
}

/** A raw order, as the listing selects it. */
export interface RawOrder extends MoneyUnit {
  readonly id: string
  readonly createdAt: string
  readonly code: string
  readonly state: string
  /** Only the newest entry, for its timestamp. */
  readonly history: unknown
  readonly updatedAt: string
  readonly orderPlacedAt: string
  readonly currencyCode: string
  readonly totalWithTax: number
  readonly shippingWithTax: number
  readonly discounts: readonly { readonly amountWithTax: number }[]
  readonly taxSummary: readonly { readonly taxTotal: number }[]
  readonly customer: { readonly id: string } | null
  readonly shippingAddress: RawAddress | null
  readonly billingAddress: RawAddress | null
  readonly lines: readonly RawLine[]
  readonly payments: readonly RawPayment[]
  readonly fulfillments: readonly RawShipment[]
}

/** Splits a full name at its last space, because Vendure stores one name. */
export const splitName = (
  fullName: string,
): { firstName: string | null; lastName: string | null } => {
  const name = fullName.trim()
  const space = name.lastIndexOf(' ')
  if (space < 0) return { firstName: null, lastName: name || null }
  return { firstName: name.slice(0, space).trimEnd(), lastName: name.slice(space + 1) }
}

/** Vendure's address fields by unified name, without the name of the person. */
export const addressFields = {
  address1: 'streetLine1',
  address2: 'streetLine2',
  city: 'city',
  countryCode: 'countryCode',
  phone: 'phoneNumber',
  region: 'province',
  postalCode: 'postalCode',
} as const

const namePart = (part: 'firstName' | 'lastName'): Converter => ({
  from: 'fullName',
  read: (fullName: string) => splitName(fullName)[part],
})

const addressRules = {
  ...Object.fromEntries(
    Object.entries(addressFields).map(([name, path]) => [name, blankAsNull(path)]),
  ),
  firstName: namePart('firstName'),
  lastName: namePart('lastName'),
}

const readAddress = objectReader(addressRules)

/** The fields of an address by unified name; empty if the order has none. */
export const unifiedAddress = (raw: RawAddress | null): Readonly<Record<string, string | null>> =>
  // Safe: every rule of an address reads text or null.
  readAddress(raw ?? {}, raw) as Readonly<Record<string, string | null>>

/** An address, which the steps of the writer change. `sets` is its name in Vendure's errors. */
const address = (path: string, sets: string): Converter => ({
  ...objectOf(path, addressRules),
  sets: [path, sets],
  // A missing address is null or an object of nulls (NOTES "an unset value is null or empty").
  read: (raw: RawAddress) => (Object.values(raw).every((value) => !value) ? null : raw),
})

const amount = (of: (raw: RawOrder) => number) => (raw: RawOrder) =>
  decimalText(of(raw), raw.moneyStrategyPrecision)

const line = {
  productId: readOnly('productVariant.productId'),
  variantId: 'productVariant.id',
  // The current name: Vendure does not store the name at the time of the order.
  title: readOnly('productVariant.name'),
  price: ({ unitPriceWithTax }: RawLine, { moneyStrategyPrecision }: RawOrder) =>
    decimalText(unitPriceWithTax, moneyStrategyPrecision),
  unitCost: null, // Vendure has none
  currency: (_: RawLine, { currencyCode }: RawOrder) => currencyCode,
  sku: readOnly(blankAsNull('productVariant.sku')),
  quantity: 'quantity',
}

const customer = {
  customerId: 'id',
  firstName: readOnly('firstName'),
  lastName: readOnly('lastName'),
  email: readOnly('emailAddress'),
  phone: readOnly(blankAsNull('phoneNumber')),
}

/** The mapping of placed orders. Amounts include tax. The steps of the writer write the writable fields. */
export const mapping = defineMapping<typeof order, RawOrder>(order, {
  remoteId: 'id',
  orderNumber: readOnly('code'),
  orderStatus: 'state',
  fulfillmentStatus: ({ fulfillments, lines }) => fulfillmentStatus(fulfillments, lines),
  paymentStatus: ({ payments, totalWithTax }) => paymentStatus(payments, totalWithTax),
  currency: readOnly('currencyCode'),
  totalPrice: amount(({ totalWithTax }) => totalWithTax),
  // Vendure's discounts are negative, the unified discount is positive.
  totalDiscount: amount(({ discounts }) => -sum(discounts.map((one) => one.amountWithTax))),
  totalShipping: amount(({ shippingWithTax }) => shippingWithTax),
  totalTax: amount(({ taxSummary }) => sum(taxSummary.map(({ taxTotal }) => taxTotal))),
  lineItems: {
    ...listOf<RawLine, RawOrder>('lines', line),
    sets: ['lines', 'adjustOrderLines', 'addItems'],
  },
  billingAddress: address('billingAddress', 'updateBillingAddress'),
  shippingAddress: address('shippingAddress', 'updateShippingAddress'),
  customer: { ...objectOf('customer', customer), sets: ['customer', 'customerId'] },
  remoteCreatedAt: 'createdAt',
  // Payments, fulfillments, refunds, states and notes do not change `updatedAt` (NOTES "order updatedAt").
  remoteUpdatedAt: (raw) => latestOf([raw.updatedAt, raw.orderPlacedAt, latestPart({ ...raw })]),
  remoteDeleted: null, // Placed orders are never deleted.
  remoteFields: ({ id, createdAt, code, state, currencyCode, history, ...rest }) => rest,
})

/** The listing of placed orders, without carts and drafts. */
export const orders = listing({
  mapping,
  list: 'orders',
  fields: FIELDS,
  filter: PLACED,
  pageSize: 100,
  shop: moneyUnit,
  changesSince: orderPasses,
})
