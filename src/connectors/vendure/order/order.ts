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
  readonly customer: {
    readonly id: string
    readonly firstName: string
    readonly lastName: string
    readonly emailAddress: string
    readonly phoneNumber: string | null
  } | null
  readonly shippingAddress: RawAddress | null
  readonly billingAddress: RawAddress | null
  readonly lines: readonly {
    readonly id: string
    readonly quantity: number
    readonly unitPriceWithTax: number
    readonly productVariant: {
      readonly id: string
      readonly productId: string
      readonly sku: string
      readonly name: string
    }
  }[]
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

/** The unified address; null if the order has none. */
export const unifiedAddress = (raw: RawAddress | null) => {
  // A missing address is null or an object of nulls (NOTES "an unset value is null or empty").
  if (!raw || Object.values(raw).every((value) => !value)) return null
  return {
    address1: raw.streetLine1 || null,
    address2: raw.streetLine2 || null,
    city: raw.city || null,
    countryCode: raw.countryCode || null,
    ...splitName(raw.fullName ?? ''),
    phone: raw.phoneNumber || null,
    region: raw.province || null,
    postalCode: raw.postalCode || null,
  }
}

const amount = (of: (raw: RawOrder) => number) => (raw: RawOrder) =>
  decimalText(of(raw), raw.moneyStrategyPrecision)

/** The mapping of placed orders. Amounts include tax. */
export const mapping = defineMapping<typeof order, RawOrder>(order, {
  remoteId: 'id',
  orderNumber: 'code',
  orderStatus: 'state',
  fulfillmentStatus: ({ fulfillments, lines }) => fulfillmentStatus(fulfillments, lines),
  paymentStatus: ({ payments, totalWithTax }) => paymentStatus(payments, totalWithTax),
  currency: 'currencyCode',
  totalPrice: amount(({ totalWithTax }) => totalWithTax),
  // Vendure's discounts are negative, the unified discount is positive.
  totalDiscount: amount(({ discounts }) => -sum(discounts.map((one) => one.amountWithTax))),
  totalShipping: amount(({ shippingWithTax }) => shippingWithTax),
  totalTax: amount(({ taxSummary }) => sum(taxSummary.map(({ taxTotal }) => taxTotal))),
  lineItems: (raw) =>
    raw.lines.map(({ quantity, unitPriceWithTax, productVariant }) => ({
      productId: productVariant.productId,
      variantId: productVariant.id,
      // The current name: Vendure does not store the name at the time of the order.
      title: productVariant.name,
      price: decimalText(unitPriceWithTax, raw.moneyStrategyPrecision),
      unitCost: null, // Vendure has none
      currency: raw.currencyCode,
      sku: productVariant.sku || null,
      quantity,
    })),
  billingAddress: ({ billingAddress }) => unifiedAddress(billingAddress),
  shippingAddress: ({ shippingAddress }) => unifiedAddress(shippingAddress),
  customer: ({ customer }) =>
    customer && {
      customerId: customer.id,
      firstName: customer.firstName,
      lastName: customer.lastName,
      email: customer.emailAddress,
      phone: customer.phoneNumber || null,
    },
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
