/** Expected API records for Vendure's records: written from the contract, without the connector's mapping. */
import { recordId } from '../../../src/definition/identity.ts'
import type { Address, Customer, Fulfillment, Order, Product } from '../../apps/vendure/state.ts'

/** Every field of a record except `remoteFields` and the times of storing. */
export type Expected = Readonly<Record<string, unknown>> & { readonly remoteId: string }

/** The test shop uses hundredths of euros. */
const formatEuros = (cents: number): string => (cents / 100).toFixed(2)
const sumAmounts = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0)
const orNull = (text: string | null | undefined): string | null => text || null
const latestOf = (times: readonly string[]): string => times.toSorted().at(-1) ?? ''

const commonFields = (
  credentialId: string,
  topic: string,
  remote: { id: string; createdAt: string },
) => ({
  id: recordId(credentialId, topic, remote.id),
  remoteId: remote.id,
  remoteCreatedAt: remote.createdAt,
  remoteDeleted: false,
})

export const expectedCustomer = (credentialId: string, remote: Customer): Expected => ({
  ...commonFields(credentialId, 'commerce/customers', remote),
  firstName: remote.firstName,
  lastName: remote.lastName,
  email: remote.emailAddress,
  phone: orNull(remote.phoneNumber),
  remoteUpdatedAt: remote.updatedAt,
})

/** A product; `stockTimes` are those of its variants' stock levels. */
export const expectedProduct = (
  credentialId: string,
  remote: Product,
  stockTimes: readonly string[],
): Expected => ({
  ...commonFields(credentialId, 'commerce/products', remote),
  productName: remote.name,
  description: remote.description,
  productType: null,
  productStatus: remote.enabled ? 'enabled' : 'disabled',
  images: [],
  tags: [],
  vendor: null,
  productUrl: null,
  variants: remote.variants.map((variant) => ({
    id: recordId(credentialId, 'commerce/products.variants', variant.id),
    remoteId: variant.id,
    title: variant.name,
    price: formatEuros(variant.price),
    sku: variant.sku,
    optionValues: variant.options
      .map(({ name, group }) => ({ name: group.name, value: name }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    inventory: {
      totalCount: sumAmounts(variant.stockLevels.map(({ stockOnHand }) => stockOnHand)),
    },
    weight: null,
  })),
  remoteUpdatedAt: latestOf([
    remote.updatedAt,
    ...remote.variants.map(({ updatedAt }) => updatedAt),
    ...stockTimes,
  ]),
})

const expectedAddress = (remote: Address | null) => {
  if (!remote?.streetLine1) return null
  const words = (remote.fullName ?? '').split(' ')
  return {
    address1: remote.streetLine1,
    address2: orNull(remote.streetLine2),
    city: orNull(remote.city),
    countryCode: remote.countryCode,
    firstName: orNull(words.slice(0, -1).join(' ')),
    lastName: orNull(words.at(-1)),
    phone: orNull(remote.phoneNumber),
    region: orNull(remote.province),
    postalCode: orNull(remote.postalCode),
  }
}

const expectedLine = (credentialId: string, line: Order['lines'][number]) => ({
  productId: recordId(credentialId, 'commerce/products', line.productVariant.productId),
  variantId: recordId(credentialId, 'commerce/products.variants', line.productVariant.id),
  title: line.productVariant.name,
  price: formatEuros(line.unitPriceWithTax),
  sku: line.productVariant.sku,
})

const orderStates: Readonly<Record<string, string>> = {
  PaymentAuthorized: 'OPEN',
  PaymentSettled: 'OPEN',
  PartiallyShipped: 'OPEN',
  Shipped: 'OPEN',
  PartiallyDelivered: 'OPEN',
  Delivered: 'COMPLETED',
  Cancelled: 'CANCELLED',
}

const unifiedStates: Readonly<Record<string, string>> = {
  Authorized: 'AUTHORIZED',
  Settled: 'PAID',
  PartiallyRefunded: 'PARTIALLY_REFUNDED',
  Unfulfilled: 'UNFULFILLED',
  PartiallyShipped: 'PARTIALLY_FULFILLED',
  Shipped: 'FULFILLED',
  Delivered: 'FULFILLED',
}

/** Facts about an order that Vendure's API does not return. */
export interface OrderStatuses {
  readonly paymentStatus: string
  readonly fulfillmentStatus: string
}

/** An order; `times` are those of all its parts, including its history. */
export const expectedOrder = (
  credentialId: string,
  remote: Order,
  times: readonly string[],
  statuses: OrderStatuses | undefined,
): Expected => ({
  ...commonFields(credentialId, 'commerce/orders', remote),
  orderNumber: remote.code,
  orderStatus: remote.state,
  orderState: orderStates[remote.state],
  ...(statuses && {
    ...statuses,
    paymentState: unifiedStates[statuses.paymentStatus],
    fulfillmentState: unifiedStates[statuses.fulfillmentStatus],
  }),
  currency: remote.currencyCode,
  totalPrice: formatEuros(remote.totalWithTax),
  totalDiscount: formatEuros(
    -sumAmounts(remote.discounts.map(({ amountWithTax }) => amountWithTax)) + 0,
  ),
  totalShipping: formatEuros(remote.shippingWithTax),
  totalTax: formatEuros(sumAmounts(remote.taxSummary.map(({ taxTotal }) => taxTotal))),
  lineItems: remote.lines.map((line) => ({
    ...expectedLine(credentialId, line),
    unitCost: null,
    currency: remote.currencyCode,
    quantity: line.quantity,
  })),
  billingAddress: expectedAddress(remote.billingAddress),
  shippingAddress: expectedAddress(remote.shippingAddress),
  customer: remote.customer && {
    customerId: recordId(credentialId, 'commerce/customers', remote.customer.id),
    firstName: remote.customer.firstName,
    lastName: remote.customer.lastName,
    email: remote.customer.emailAddress,
    phone: orNull(remote.customer.phoneNumber),
  },
  remoteUpdatedAt: latestOf(times),
})

export const expectedFulfillment = (
  credentialId: string,
  order: Order,
  remote: Fulfillment,
): Expected => ({
  ...commonFields(credentialId, 'commerce/fulfillments', remote),
  orderId: recordId(credentialId, 'commerce/orders', order.id),
  shipmentState: remote.state.toUpperCase(),
  carrier: remote.method,
  service: null,
  trackingNumbers: remote.trackingCode ? [remote.trackingCode] : [],
  trackingUrls: [],
  lineItems: remote.lines.map(({ orderLineId, quantity }) => {
    const line = order.lines.find(({ id }) => id === orderLineId)
    return {
      ...(line && expectedLine(credentialId, line)),
      lineItemId: orderLineId,
      quantity,
    }
  }),
  remoteUpdatedAt: remote.updatedAt,
})
