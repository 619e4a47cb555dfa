/** Writes of orders. */

import { type Context, mutation, type Resolvers } from './context.ts'
import {
  type AddressInput,
  type CustomerInput,
  createCustomer,
  readAddress,
  readTags,
} from './customers.ts'
import { refuse } from './errors.ts'
import { openFulfillmentOrder } from './fulfillments.ts'
import { type MoneyBagInput, NOTHING, readBag, subtractBags } from './money.ts'
import { fulfillmentsByOrder, totalsOf } from './order-totals.ts'
import { variantTitleOf } from './products.ts'
import type {
  Attribute,
  Bag,
  Entry,
  LineItem,
  Order,
  ShippingLine,
  TaxLine,
  Transaction,
} from './records.ts'
import { type Shop, writeTime } from './shop.ts'
import { adjustInventory } from './variant-writes.ts'

interface TaxLineInput {
  readonly title: string
  readonly rate: string
  readonly priceSet?: MoneyBagInput | null
}

interface LineItemInput {
  readonly variantId?: string | null
  readonly productId?: string | null
  readonly title?: string | null
  readonly variantTitle?: string | null
  readonly vendor?: string | null
  readonly sku?: string | null
  readonly quantity: number
  readonly priceSet?: MoneyBagInput | null
  readonly taxable?: boolean | null
  readonly requiresShipping?: boolean | null
  readonly taxLines?: readonly TaxLineInput[] | null
}

interface TransactionInput {
  readonly amountSet: MoneyBagInput
  readonly kind?: string | null
  readonly status?: string | null
  readonly gateway?: string | null
  readonly processedAt?: string | null
  readonly test?: boolean | null
}

export interface OrderInput {
  readonly name?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly note?: string | null
  readonly poNumber?: string | null
  readonly tags?: readonly string[] | null
  readonly customAttributes?: readonly Attribute[] | null
  readonly currency?: string | null
  readonly presentmentCurrency?: string | null
  readonly customerId?: string | null
  readonly customer?: {
    readonly toAssociate?: { readonly id?: string | null; readonly email?: string | null }
    readonly toUpsert?: CustomerInput
  } | null
  readonly lineItems?: readonly LineItemInput[] | null
  readonly shippingLines?:
    | readonly {
        readonly title: string
        readonly code?: string | null
        readonly source?: string | null
        readonly priceSet: MoneyBagInput
        readonly taxLines?: readonly TaxLineInput[] | null
      }[]
    | null
  readonly taxLines?: readonly TaxLineInput[] | null
  readonly taxesIncluded?: boolean | null
  readonly transactions?: readonly TransactionInput[] | null
  readonly financialStatus?: string | null
  readonly shippingAddress?: AddressInput | null
  readonly billingAddress?: AddressInput | null
  readonly processedAt?: string | null
  readonly closedAt?: string | null
  readonly sourceName?: string | null
  readonly sourceIdentifier?: string | null
  readonly test?: boolean | null
}

const readTaxLines = (inputs: readonly TaxLineInput[] | null | undefined): readonly TaxLine[] =>
  (inputs ?? []).map(({ title, rate, priceSet }) => ({
    title,
    rate: Number(rate),
    price: priceSet ? readBag(priceSet) : NOTHING,
  }))

/** A line of a variant has the variant's price, title and SKU unless others are sent. */
const readLine = (input: LineItemInput, index: number, shop: Shop): LineItem => {
  const field = `order.lineItems.${index}`
  const { variantId = null, priceSet, quantity } = input
  const variant = variantId === null ? undefined : shop.ProductVariant.find(variantId)
  if (variantId !== null && !variant)
    refuse(`${field}.variantId`, 'Variant does not exist', 'INVALID')
  if (quantity < 1) refuse(`${field}.quantity`, 'Quantity must be greater than 0', 'INVALID')
  const productId = variant?.value.productId ?? input.productId ?? null
  const product = productId === null ? undefined : shop.Product.find(productId)
  const title = input.title ?? product?.value.title
  if (!title) return refuse(`${field}.title`, "Title can't be blank", 'INVALID')
  const price = variant?.value.price ?? 0
  const unitPrice: Bag = priceSet ? readBag(priceSet) : { shop: price, presentment: price }
  return {
    id: shop.nextId('LineItem'),
    title,
    quantity,
    unitPrice,
    variantId,
    productId,
    sku: input.sku ?? variant?.value.sku ?? null,
    vendor: input.vendor ?? product?.value.vendor ?? null,
    variantTitle: input.variantTitle ?? (variant ? variantTitleOf(variant.value) : null),
    requiresShipping: variant?.value.requiresShipping ?? input.requiresShipping ?? false,
    taxable: input.taxable ?? true,
    taxLines: readTaxLines(input.taxLines),
  }
}

const readShippingLines = ({ shippingLines }: OrderInput, shop: Shop): readonly ShippingLine[] =>
  (shippingLines ?? []).map(({ title, code, source, priceSet, taxLines }) => ({
    id: shop.nextId('ShippingLine'),
    title,
    code: code ?? null,
    source: source ?? null,
    price: readBag(priceSet),
    taxLines: readTaxLines(taxLines),
  }))

const readTransactions = ({ transactions }: OrderInput, shop: Shop): readonly Transaction[] => {
  const now = writeTime(shop.clock.nowMs())
  return (transactions ?? []).map(({ amountSet, kind, status, gateway, processedAt, test }) => ({
    id: shop.nextId('OrderTransaction'),
    kind: kind ?? 'SALE',
    status: status ?? 'SUCCESS',
    gateway: gateway ?? 'manual',
    amount: readBag(amountSet),
    createdAt: now,
    processedAt: processedAt ?? now,
    test: test ?? false,
  }))
}

const findCustomer = ({ customer, customerId }: OrderInput, shop: Shop): string | null => {
  const { toAssociate, toUpsert } = customer ?? {}
  const email = toAssociate?.email ?? toUpsert?.email
  const id = customerId ?? toAssociate?.id ?? toUpsert?.id
  const found = shop.Customer.list().find((known) =>
    id ? known.id === id : email !== undefined && known.value.email === email,
  )
  if (found) return found.id
  if (toUpsert) return createCustomer(toUpsert, shop).id
  return id || email ? refuse('order.customerId', 'Customer does not exist', 'INVALID') : null
}

const FIRST_NUMBER = 1000

const readOrder = (input: OrderInput, shop: Shop): Order => {
  const { currency, presentmentCurrency, shippingAddress, billingAddress, lineItems } = input
  if (!lineItems?.length)
    refuse('order.lineItems', 'Line items must have at least one item', 'INVALID')
  const number = FIRST_NUMBER + Number(shop.account.store.nextId('order number'))
  const currencyCode = currency ?? shop.settings.currencyCode
  const now = writeTime(shop.clock.nowMs())
  return {
    number,
    name: input.name ?? `#${number}`,
    email: input.email ?? null,
    phone: input.phone ?? null,
    note: input.note ?? null,
    poNumber: input.poNumber ?? null,
    tags: readTags(input.tags),
    customAttributes: input.customAttributes ?? [],
    customerId: findCustomer(input, shop),
    currencyCode,
    presentmentCurrencyCode: presentmentCurrency ?? currencyCode,
    shippingAddress: shippingAddress ? readAddress(shippingAddress, shop) : null,
    billingAddress: billingAddress ? readAddress(billingAddress, shop) : null,
    lineItems: (lineItems ?? []).map((line, index) => readLine(line, index, shop)),
    shippingLines: readShippingLines(input, shop),
    taxLines: readTaxLines(input.taxLines),
    taxesIncluded: input.taxesIncluded ?? false,
    transactions: readTransactions(input, shop),
    financialStatus: input.financialStatus ?? null,
    confirmationNumber: `C${number}`,
    sourceName: input.sourceName ?? null,
    sourceIdentifier: input.sourceIdentifier ?? null,
    processedAt: writeTime(Date.parse(input.processedAt ?? now)),
    closedAt: input.closedAt ?? null,
    cancelledAt: null,
    cancelReason: null,
    staffNote: null,
    test: input.test ?? false,
  }
}

/** @throws UserErrors */
export const createOrder = (
  input: OrderInput,
  shop: Shop,
  { takesStock = false }: { readonly takesStock?: boolean } = {},
): Entry<Order> => {
  const order = shop.Order.insert(shop.nextId('Order'), readOrder(input, shop))
  const { lineItems, customerId } = order.value
  if (takesStock)
    for (const { variantId, quantity } of lineItems) adjustInventory(variantId, -quantity, shop)
  if (customerId !== null) shop.Customer.change(customerId)
  openFulfillmentOrder(order, shop)
  return order
}

const orderOf = (id: string, shop: Shop, field = 'id'): Entry<Order> =>
  shop.Order.find(id) ?? refuse(field, 'Order does not exist')

type UpdateInput = Pick<
  OrderInput,
  'email' | 'phone' | 'note' | 'poNumber' | 'tags' | 'customAttributes' | 'shippingAddress'
> & { readonly id: string }

/** @throws UserErrors */
export const updateOrder = (input: UpdateInput, shop: Shop): Entry<Order> => {
  const { id } = orderOf(input.id, shop)
  const { email, phone, note, poNumber, tags, customAttributes, shippingAddress } = input
  if (email && !email.includes('@')) refuse('email', 'Email is invalid')
  return shop.Order.change(id, {
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(note !== undefined && { note }),
    ...(poNumber !== undefined && { poNumber }),
    ...(tags !== undefined && { tags: readTags(tags) }),
    ...(customAttributes !== undefined && { customAttributes: customAttributes ?? [] }),
    ...(shippingAddress && { shippingAddress: readAddress(shippingAddress, shop) }),
  })
}

/** @throws UserErrors */
const setCustomer = ({ orderId, customerId }: CustomerArguments, shop: Shop): Entry<Order> => {
  const order = shop.Order.find(orderId) ?? refuse('orderId', 'Order does not exist', 'NOT_FOUND')
  if (!shop.Customer.find(customerId)) refuse('customerId', 'Customer does not exist', 'NOT_FOUND')
  for (const id of [order.value.customerId, customerId]) if (id !== null) shop.Customer.change(id)
  return shop.Order.change(orderId, { customerId })
}

interface CustomerArguments {
  readonly orderId: string
  readonly customerId: string
}

/** @throws UserErrors */
export const closeOrder = (id: string, shop: Shop): Entry<Order> => {
  orderOf(id, shop)
  return shop.Order.change(id, { closedAt: writeTime(shop.clock.nowMs()) })
}

/** @throws UserErrors */
export const openOrder = (id: string, shop: Shop): Entry<Order> => {
  orderOf(id, shop)
  return shop.Order.change(id, { closedAt: null })
}

/** @throws UserErrors */
export const deleteOrder = (id: string, shop: Shop): string => {
  const { value } = shop.Order.find(id) ?? refuse('orderId', 'Order does not exist', 'NOT_FOUND')
  for (const { id: part, value: fulfillment } of shop.Fulfillment.list())
    if (fulfillment.orderId === id) shop.Fulfillment.remove(part)
  for (const { id: part, value: work } of shop.FulfillmentOrder.list())
    if (work.orderId === id) shop.FulfillmentOrder.remove(part)
  shop.Order.remove(id)
  shop.noteEvent('destroy', 'ORDER', id)
  if (value.customerId !== null) shop.Customer.change(value.customerId)
  return id
}

export interface CancelArguments {
  readonly orderId: string
  readonly reason: string
  readonly restock: boolean
  readonly refund?: boolean | null
  readonly refundMethod?: { readonly originalPaymentMethodsRefund?: boolean } | null
  readonly staffNote?: string | null
}

const refundOf = (order: Order, shop: Shop): Transaction => {
  const { received, refunded } = totalsOf(order)
  const now = writeTime(shop.clock.nowMs())
  return {
    id: shop.nextId('OrderTransaction'),
    kind: 'REFUND',
    status: 'SUCCESS',
    gateway: order.transactions[0]?.gateway ?? 'manual',
    amount: subtractBags(received, refunded),
    createdAt: now,
    processedAt: now,
    test: order.test,
  }
}

const cancelNow = (args: CancelArguments, shop: Shop): void => {
  const order = shop.Order.find(args.orderId)
  if (!order || order.value.cancelledAt !== null) return
  const { value } = order
  const isRefunded = args.refundMethod?.originalPaymentMethodsRefund ?? args.refund ?? false
  const refunds = isRefunded && totalsOf(value).received.shop > 0 ? [refundOf(value, shop)] : []
  const now = writeTime(shop.clock.nowMs())
  shop.Order.change(
    order.id,
    {
      cancelledAt: now,
      closedAt: now,
      cancelReason: args.reason,
      staffNote: args.staffNote ?? null,
      financialStatus: null,
      transactions: [...value.transactions, ...refunds],
    },
    'cancelled',
  )
  if (args.restock)
    for (const { variantId, quantity } of value.lineItems)
      adjustInventory(variantId, quantity, shop)
  for (const work of shop.FulfillmentOrder.list())
    if (work.value.orderId === order.id)
      shop.FulfillmentOrder.change(work.id, { status: 'CANCELLED' })
}

/** Cancels an order after a while, as the vendor's job does. @throws UserErrors */
export const cancelOrder = (args: CancelArguments, shop: Shop): object => {
  const order = shop.Order.find(args.orderId)
  if (!order) return refuse('orderId', 'Order does not exist', 'NOT_FOUND')
  if (order.value.cancelledAt !== null)
    refuse('orderId', 'Order has already been cancelled', 'INVALID')
  const fulfillments = fulfillmentsByOrder(shop).get(order.id) ?? []
  if (fulfillments.some(({ value }) => value.status === 'SUCCESS'))
    refuse('orderId', 'Cannot cancel an order with fulfillments', 'INVALID')
  const job = shop.Job.insert(shop.nextId('Job'), { done: false })
  shop.later(shop.settings.jobMs, () => {
    shop.account.store.transaction(() => {
      cancelNow(args, shop)
      shop.Job.change(job.id, { done: true })
    })
  })
  return job
}

interface CreateArguments {
  readonly order: OrderInput
  readonly options?: { readonly inventoryBehaviour?: string } | null
}

interface ById {
  readonly input: { readonly id: string }
}

export const orderMutations: Resolvers[string] = {
  orderCreate: mutation(({ order, options }: CreateArguments, { shop }: Context) => ({
    order: createOrder(order, shop, {
      takesStock: (options?.inventoryBehaviour ?? 'BYPASS') !== 'BYPASS',
    }),
  })),
  orderUpdate: mutation(({ input }: { readonly input: UpdateInput }, { shop }: Context) => ({
    order: updateOrder(input, shop),
  })),
  orderCustomerSet: mutation((args: CustomerArguments, { shop }: Context) => ({
    order: setCustomer(args, shop),
  })),
  orderCancel: mutation((args: CancelArguments, { shop }: Context) => ({
    job: cancelOrder(args, shop),
  })),
  orderClose: mutation(({ input }: ById, { shop }: Context) => ({
    order: closeOrder(input.id, shop),
  })),
  orderOpen: mutation(({ input }: ById, { shop }: Context) => ({
    order: openOrder(input.id, shop),
  })),
  orderDelete: mutation(({ orderId }: { readonly orderId: string }, { shop }: Context) => ({
    deletedId: deleteOrder(orderId, shop),
  })),
}
