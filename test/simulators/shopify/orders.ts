/** Orders as they are read. */
import { connectPart, type PageArguments } from './connections.ts'
import type { Context, Resolvers } from './context.ts'
import { fulfillmentFilters, fulfillmentOrderListing } from './listings.ts'
import { NOTHING, roundBag, writeBag, writeMoney } from './money.ts'
import {
  financialStatusOf,
  fulfilledOf,
  fulfillmentOrdersByOrder,
  fulfillmentStatusOf,
  fulfillmentsByOrder,
  lineTotal,
  type OrderTotals,
  taxLinesOf,
  totalsOf,
} from './order-totals.ts'
import type { Bag, Entry, LineItem, Order, ShippingLine, TaxLine, Transaction } from './records.ts'
import { searchFields } from './schema.ts'
import { compileSearch } from './search.ts'
import type { Shop } from './shop.ts'

type Source = Entry<Order>

interface LineSource {
  readonly order: Entry<Order>
  readonly line: LineItem
}

interface ShippingSource {
  readonly order: Order
  readonly line: ShippingLine
}

const lineSources = (order: Source): readonly LineSource[] =>
  order.value.lineItems.map((line) => ({ order, line }))

const shippingSources = ({ value }: Source): readonly ShippingSource[] =>
  value.shippingLines.map((line) => ({ order: value, line }))

const total =
  (name: keyof OrderTotals) =>
  ({ value }: Source): object =>
    writeBag(totalsOf(value)[name], value)

const writeZero = ({ value }: Source): object => writeBag(NOTHING, value)

const taxSources = (taxLines: readonly TaxLine[], order: Order) =>
  taxLines.map(({ title, rate, price }) => ({
    title,
    rate,
    ratePercentage: rate * 100,
    priceSet: writeBag(price, order),
  }))

const quantityOf = ({ value }: Source): number =>
  value.lineItems.reduce((sum, { quantity }) => sum + quantity, 0)

const fulfillmentsOf = (
  { id }: Source,
  { first, query }: { readonly first?: number; readonly query?: string | null },
  shop: Shop,
) => {
  const all = fulfillmentsByOrder(shop).get(id) ?? []
  const declared = { created_at: 'time', updated_at: 'time' }
  const matches = query
    ? compileSearch(query, { filters: fulfillmentFilters, declared, shop })
    : () => true
  return all.filter(matches).slice(0, first ?? undefined)
}

const workOf = (
  { id }: Source,
  { query, ...args }: PageArguments & { readonly query?: string | null },
  context: Context,
) => {
  const { shop } = context
  const { filters, field } = fulfillmentOrderListing
  const declared = searchFields[field] ?? {}
  const matches = query ? compileSearch(query, { filters, declared, shop }) : () => true
  const own = (fulfillmentOrdersByOrder(shop).get(id) ?? []).filter(matches)
  return connectPart(own, args, context, `fulfillment orders of ${id}`)
}

const orderFields: Resolvers[string] = {
  billingAddressMatchesShippingAddress: ({ value: { billingAddress, shippingAddress } }: Source) =>
    JSON.stringify({ ...billingAddress, id: '' }) ===
    JSON.stringify({ ...shippingAddress, id: '' }),
  cancellation: ({ value: { cancelledAt, staffNote } }: Source) => cancelledAt && { staffNote },
  closed: ({ value }: Source) => value.closedAt !== null,
  confirmed: () => true,
  currentSubtotalLineItemsQuantity: (order: Source) =>
    order.value.cancelledAt === null ? quantityOf(order) : 0,
  currentSubtotalPriceSet: ({ value }: Source) =>
    writeBag(value.cancelledAt === null ? totalsOf(value).subtotal : NOTHING, value),
  currentTaxLines: ({ value }: Source) =>
    value.cancelledAt === null ? taxSources(taxLinesOf(value), value) : [],
  currentTotalDiscountsSet: writeZero,
  currentTotalPriceSet: total('current'),
  currentTotalTaxSet: ({ value }: Source) =>
    writeBag(value.cancelledAt === null ? totalsOf(value).tax : NOTHING, value),
  customer: ({ value: { customerId } }: Source, _, { shop }) =>
    customerId === null ? null : shop.Customer.find(customerId),
  discountCodes: () => [],
  displayAddress: ({ value }: Source) => value.shippingAddress ?? value.billingAddress,
  displayFinancialStatus: ({ value }: Source) => financialStatusOf(value),
  displayFulfillmentStatus: (order: Source, _, { shop }) => fulfillmentStatusOf(order, shop),
  edited: () => false,
  estimatedTaxes: () => false,
  fulfillable: (order: Source, _, { shop }) =>
    order.value.cancelledAt === null && fulfillmentStatusOf(order, shop) !== 'FULFILLED',
  fulfillmentOrders: (order: Source, args: PageArguments, context) => workOf(order, args, context),
  fulfillments: (order: Source, args: { readonly first?: number }, { shop }) =>
    fulfillmentsOf(order, args, shop),
  fulfillmentsCount: (order: Source, _, { shop }) => ({
    count: fulfillmentsOf(order, {}, shop).length,
    precision: 'EXACT',
  }),
  fullyPaid: ({ value }: Source) => totalsOf(value).outstanding.shop <= 0,
  lineItems: (order: Source, args: PageArguments, context) =>
    connectPart(lineSources(order), args, context, `lines of ${order.id}`),
  originalTotalPriceSet: total('total'),
  paymentGatewayNames: ({ value }: Source) => [
    ...new Set(value.transactions.map(({ gateway }) => gateway)),
  ],
  refundable: ({ value }: Source) => {
    const { received, refunded } = totalsOf(value)
    return received.shop > refunded.shop
  },
  requiresShipping: ({ value }: Source) =>
    value.lineItems.some(({ requiresShipping }) => requiresShipping),
  restockable: ({ value }: Source) => value.cancelledAt === null,
  returnStatus: () => 'NO_RETURN',
  shippingLine: (order: Source) => shippingSources(order)[0],
  shippingLines: (order: Source, args: PageArguments, context) =>
    connectPart(shippingSources(order), args, context, `shipping lines of ${order.id}`),
  subtotalLineItemsQuantity: quantityOf,
  subtotalPriceSet: total('subtotal'),
  taxExempt: () => false,
  taxLines: ({ value }: Source) => taxSources(taxLinesOf(value), value),
  totalDiscountsSet: writeZero,
  totalOutstandingSet: total('outstanding'),
  totalPrice: ({ value }: Source) => writeMoney(totalsOf(value).total.shop, value.currencyCode),
  totalPriceSet: total('total'),
  totalReceivedSet: total('received'),
  totalRefundedSet: total('refunded'),
  totalShippingPriceSet: total('shipping'),
  totalTaxSet: total('tax'),
  totalTipReceivedSet: writeZero,
  totalWeight: () => '0',
  transactions: ({ value }: Source, { first }: { readonly first?: number }) =>
    value.transactions.slice(0, first ?? undefined).map((transaction: Transaction) => ({
      ...transaction,
      amountSet: writeBag(transaction.amount, value),
    })),
  unpaid: ({ value }: Source) => totalsOf(value).received.shop === 0,
}

const lineBag =
  (bagOf: (line: LineItem) => Bag) =>
  ({ order: { value }, line }: LineSource): object =>
    writeBag(roundBag(bagOf(line), value), value)

const remainingQuantity = ({ order, line }: LineSource, shop: Shop): number =>
  order.value.cancelledAt === null ? line.quantity - fulfilledOf(order.id, line, shop) : 0

const currentQuantity = ({ order, line }: LineSource): number =>
  order.value.cancelledAt === null ? line.quantity : 0

const lineFields: Resolvers[string] = {
  id: ({ line }: LineSource) => line.id,
  currentQuantity: currentQuantity,
  customAttributes: () => [],
  discountedTotalSet: lineBag(lineTotal),
  discountedUnitPriceSet: lineBag(({ unitPrice }) => unitPrice),
  fulfillableQuantity: (source: LineSource, _, { shop }) => remainingQuantity(source, shop),
  isGiftCard: () => false,
  name: ({ line: { title, variantTitle } }: LineSource) =>
    variantTitle === null ? title : `${title} - ${variantTitle}`,
  nonFulfillableQuantity: () => 0,
  originalTotalSet: lineBag(lineTotal),
  originalUnitPriceSet: lineBag(({ unitPrice }) => unitPrice),
  product: ({ line: { productId } }: LineSource, _, { shop }) =>
    productId === null ? null : shop.Product.find(productId),
  quantity: ({ line }: LineSource) => line.quantity,
  refundableQuantity: currentQuantity,
  requiresShipping: ({ line }: LineSource) => line.requiresShipping,
  sku: ({ line }: LineSource) => line.sku,
  taxLines: ({ order, line }: LineSource, { first }: { readonly first?: number }) =>
    taxSources(line.taxLines, order.value).slice(0, first ?? undefined),
  taxable: ({ line }: LineSource) => line.taxable,
  title: ({ line }: LineSource) => line.title,
  totalDiscountSet: lineBag(() => NOTHING),
  unfulfilledQuantity: (source: LineSource, _, { shop }) => remainingQuantity(source, shop),
  variant: ({ line: { variantId } }: LineSource, _, { shop }) =>
    variantId === null ? null : shop.ProductVariant.find(variantId),
  variantTitle: ({ line }: LineSource) => line.variantTitle,
  vendor: ({ line }: LineSource) => line.vendor,
}

const shippingPrice = ({ order, line }: ShippingSource): object => writeBag(line.price, order)

export const orderResolvers: Resolvers = {
  Order: orderFields,
  LineItem: lineFields,
  ShippingLine: {
    id: ({ line }: ShippingSource) => line.id,
    code: ({ line }: ShippingSource) => line.code,
    currentDiscountedPriceSet: shippingPrice,
    custom: () => true,
    discountedPriceSet: shippingPrice,
    isRemoved: () => false,
    originalPriceSet: shippingPrice,
    source: ({ line }: ShippingSource) => line.source,
    taxLines: ({ order, line }: ShippingSource) => taxSources(line.taxLines, order),
    title: ({ line }: ShippingSource) => line.title,
  },
}
