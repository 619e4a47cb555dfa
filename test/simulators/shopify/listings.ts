/** Lists of records: how they are filtered with `query` and sorted with `sortKey`. */

import { connect, type PageArguments, type Position, sortBy } from './connections.ts'
import type { Context } from './context.ts'
import { financialStatusOf, fulfillmentStatusOf, totalsOf } from './order-totals.ts'
import type {
  BasicEvent,
  BulkOperation,
  Collection,
  Customer,
  Entry,
  Fulfillment,
  FulfillmentOrder,
  Order,
  Product,
  ProductVariant,
  RecordType,
  WebhookSubscription,
} from './records.ts'
import { searchFields } from './schema.ts'
import * as search from './search.ts'
import { compileSearch, type Filters } from './search.ts'
import { numberOf, type Shop } from './shop.ts'

export interface ListArguments extends PageArguments {
  readonly query?: string | null
  readonly sortKey?: string
}

export interface Listing<Value> {
  readonly collectionOf: (shop: Shop) => Collection<Value>
  /** The types whose changes can change the list. */
  readonly types: readonly RecordType[]
  readonly filters: Filters<Value>
  /** By sort key. */
  readonly sorts: Readonly<Record<string, (entry: Entry<Value>, shop: Shop) => string | number>>
  /** The root field whose `query` argument lists the filters. */
  readonly field: string
}

const updatedAtMsOf = <Value>({ updatedAtMs }: Entry<Value>): number => updatedAtMs
const createdAtMsOf = <Value>({ createdAtMs }: Entry<Value>): number => createdAtMs
const ownId = <Value>({ id }: Entry<Value>): string => id
/** Records are sorted by the number of their id when the value is the same. */
const byId = (): number => 0
/** The vendor's times have seconds, and so have sort keys. */
const seconds = (ms: number): number => Math.floor(ms / 1000)
const SORTS = {
  ID: byId,
  CREATED_AT: <Value>(entry: Entry<Value>) => seconds(entry.createdAtMs),
  UPDATED_AT: <Value>(entry: Entry<Value>) => seconds(entry.updatedAtMs),
}

const times = <Value>(): Filters<Value> => ({
  created_at: search.time<Value>(createdAtMsOf),
  updated_at: search.time<Value>(updatedAtMsOf),
  id: search.id<Value>(ownId),
})

const FINANCIAL = [
  'paid',
  'pending',
  'authorized',
  'partially_paid',
  'partially_refunded',
  'refunded',
  'voided',
  'expired',
]
const FULFILLMENT = ['fulfilled', 'unfulfilled', 'partial', 'shipped', 'unshipped']

const matchesStatus = ({ value }: Entry<Order>, status: string): boolean => {
  switch (status) {
    case 'open':
      return value.closedAt === null && value.cancelledAt === null
    case 'closed':
      return value.closedAt !== null
    case 'cancelled':
      return value.cancelledAt !== null
    default:
      return value.closedAt === null
  }
}

const matchesFulfillment = (entry: Entry<Order>, status: string, shop: Shop): boolean => {
  const found = fulfillmentStatusOf(entry, shop)
  if (status === 'fulfilled' || status === 'shipped') return found === 'FULFILLED'
  if (status === 'partial') return found === 'PARTIALLY_FULFILLED'
  return status === 'unshipped' ? found === 'UNFULFILLED' : found !== 'FULFILLED'
}

export const orderListing: Listing<Order> = {
  collectionOf: ({ Order }) => Order,
  types: ['Order', 'Fulfillment'],
  field: 'orders',
  filters: {
    ...times<Order>(),
    processed_at: search.time(({ value }) => Date.parse(value.processedAt)),
    status: search.word(['open', 'closed', 'cancelled', 'not_closed'], matchesStatus),
    financial_status: search.word(
      FINANCIAL,
      (entry, status) => financialStatusOf(entry.value).toLowerCase() === status,
    ),
    fulfillment_status: search.word(FULFILLMENT, matchesFulfillment),
    customer_id: search.id(({ value }) => value.customerId),
    name: search.text(({ value }) => [value.name, value.name.replace('#', '')]),
    email: search.text(({ value }) => [value.email]),
    po_number: search.text(({ value }) => [value.poNumber]),
    sku: search.text(({ value }) => value.lineItems.map(({ sku }) => sku)),
    source_name: search.text(({ value }) => [value.sourceName]),
    tag: search.text(({ value }) => value.tags),
    tag_not: search.noText(({ value }) => value.tags),
    test: search.boolean(({ value }) => value.test),
    default: search.anywhere(({ value }) => [value.name, value.email, value.note]),
  },
  sorts: {
    ...SORTS,
    PROCESSED_AT: ({ value }) => seconds(Date.parse(value.processedAt)),
    ORDER_NUMBER: ({ value }) => value.number,
    TOTAL_PRICE: ({ value }) => totalsOf(value).total.shop,
  },
}

const nameOf = ({ firstName, lastName }: Customer): string => `${lastName ?? ''} ${firstName ?? ''}`

export const ordersByCustomer = (shop: Shop): ReadonlyMap<string | null, readonly Entry<Order>[]> =>
  shop.Order.view('by customer', (orders) => Map.groupBy(orders, ({ value }) => value.customerId))

export const customerListing: Listing<Customer> = {
  collectionOf: ({ Customer }) => Customer,
  types: ['Customer', 'Order'],
  field: 'customers',
  filters: {
    customer_date: search.time(createdAtMsOf),
    updated_at: search.wholeDay(updatedAtMsOf),
    id: search.id(ownId),
    email: search.text(({ value }) => [value.email]),
    phone: search.text(({ value }) => [value.phone]),
    first_name: search.text(({ value }) => [value.firstName]),
    last_name: search.text(({ value }) => [value.lastName]),
    country: search.text(({ value }) =>
      value.addresses.flatMap(({ country, countryCode }) => [country ?? null, countryCode ?? null]),
    ),
    state: search.word(
      ['enabled', 'disabled', 'invited', 'declined'],
      (_, state) => state === 'disabled',
    ),
    tag: search.text(({ value }) => value.tags),
    tag_not: search.noText(({ value }) => value.tags),
    orders_count: search.number(({ id }, shop) => ordersByCustomer(shop).get(id)?.length ?? 0),
    default: search.anywhere(({ value }) => [
      value.firstName,
      value.lastName,
      value.email,
      value.phone,
    ]),
  },
  sorts: { ...SORTS, NAME: ({ value }) => nameOf(value).toLowerCase() },
}

const variantsOf = ({ id }: Entry<Product>, shop: Shop): readonly Entry<ProductVariant>[] =>
  variantsByProduct(shop).get(id) ?? []

/** The variants of each product, in their order. */
export const variantsByProduct = (
  shop: Shop,
): ReadonlyMap<string, readonly Entry<ProductVariant>[]> =>
  shop.ProductVariant.view('by product', (variants) => {
    const groups = Map.groupBy(variants, ({ value }) => value.productId)
    for (const group of groups.values()) group.sort((a, b) => a.value.position - b.value.position)
    return groups
  })

const STATUSES = ['active', 'archived', 'draft', 'unlisted']

export const productListing: Listing<Product> = {
  collectionOf: ({ Product }) => Product,
  types: ['Product', 'ProductVariant'],
  field: 'products',
  filters: {
    ...times<Product>(),
    published_at: search.time(({ value }) =>
      value.publishedAt === null ? undefined : Date.parse(value.publishedAt),
    ),
    status: search.word(STATUSES, ({ value }, status) => value.status.toLowerCase() === status),
    title: search.text(({ value }) => [value.title]),
    handle: search.text(({ value }) => [value.handle]),
    vendor: search.text(({ value }) => [value.vendor]),
    product_type: search.text(({ value }) => [value.productType]),
    sku: search.text((entry, shop) => variantsOf(entry, shop).map(({ value }) => value.sku)),
    barcode: search.text((entry, shop) =>
      variantsOf(entry, shop).map(({ value }) => value.barcode),
    ),
    tag: search.text(({ value }) => value.tags),
    tag_not: search.noText(({ value }) => value.tags),
    default: search.anywhere(({ value }) => [value.title, value.vendor, value.productType]),
  },
  sorts: {
    ...SORTS,
    TITLE: ({ value }) => value.title.toLowerCase(),
    VENDOR: ({ value }) => value.vendor.toLowerCase(),
    PRODUCT_TYPE: ({ value }) => value.productType.toLowerCase(),
    PUBLISHED_AT: ({ value }) => seconds(Date.parse(value.publishedAt ?? '1970-01-01')),
    INVENTORY_TOTAL: (entry, shop) =>
      variantsOf(entry, shop).reduce((sum, { value }) => sum + value.inventoryQuantity, 0),
  },
}

export const variantListing: Listing<ProductVariant> = {
  collectionOf: ({ ProductVariant }) => ProductVariant,
  types: ['ProductVariant'],
  field: 'productVariants',
  filters: {
    updated_at: search.time(updatedAtMsOf),
    id: search.id(ownId),
    product_id: search.id(({ value }) => value.productId),
    sku: search.text(({ value }) => [value.sku]),
    barcode: search.text(({ value }) => [value.barcode]),
    inventory_quantity: search.number(({ value }) => value.inventoryQuantity),
    taxable: search.boolean(({ value }) => value.taxable),
    default: search.anywhere(({ value }) => [value.sku, ...value.optionValues]),
  },
  sorts: {
    ID: byId,
    POSITION: ({ value }) => value.position,
    SKU: ({ value }) => value.sku ?? '',
    TITLE: ({ value }) => value.optionValues.join(' / '),
    INVENTORY_QUANTITY: ({ value }) => value.inventoryQuantity,
  },
}

export const fulfillmentOrderListing: Listing<FulfillmentOrder> = {
  collectionOf: ({ FulfillmentOrder }) => FulfillmentOrder,
  types: ['FulfillmentOrder'],
  field: 'fulfillmentOrders',
  filters: {
    updated_at: search.time(updatedAtMsOf),
    id: search.id(ownId),
    status: search.word(
      ['open', 'in_progress', 'closed', 'cancelled', 'incomplete', 'on_hold', 'scheduled'],
      ({ value }, status) => value.status.toLowerCase() === status,
    ),
  },
  sorts: { ID: byId, UPDATED_AT: SORTS.UPDATED_AT },
}

/** The filters of `Order.fulfillments`, which its description gives in prose. */
export const fulfillmentFilters: Filters<Fulfillment> = {
  created_at: search.time(createdAtMsOf),
  updated_at: search.time(updatedAtMsOf),
}

export const eventListing: Listing<BasicEvent> = {
  collectionOf: ({ BasicEvent }) => BasicEvent,
  types: ['BasicEvent'],
  field: 'events',
  filters: {
    created_at: search.time(createdAtMsOf),
    id: search.id(ownId),
    action: search.text(({ value }) => [value.action]),
    subject_type: search.text(({ value }) => [value.subjectType]),
  },
  sorts: { ID: byId, CREATED_AT: SORTS.CREATED_AT },
}

export const deletionListing: Listing<BasicEvent> = {
  ...eventListing,
  field: 'deletionEvents',
  filters: {
    id: search.id(({ value }) => value.subjectId),
    occurred_at: search.time(createdAtMsOf),
  },
}

export const bulkOperationListing: Listing<BulkOperation> = {
  collectionOf: ({ BulkOperation }) => BulkOperation,
  types: ['BulkOperation'],
  field: 'bulkOperations',
  filters: {
    created_at: search.time(createdAtMsOf),
    id: search.id(ownId),
    status: search.text(({ value }) => [value.status]),
    operation_type: search.word(['query', 'mutation'], (_, type) => type === 'query'),
  },
  sorts: { ID: byId, CREATED_AT: SORTS.CREATED_AT },
}

export const subscriptionListing: Listing<WebhookSubscription> = {
  collectionOf: ({ WebhookSubscription }) => WebhookSubscription,
  types: ['WebhookSubscription'],
  field: 'webhookSubscriptions',
  filters: times<WebhookSubscription>(),
  sorts: { ID: byId, CREATED_AT: SORTS.CREATED_AT },
}

/** The records of a list, as the search index has them if there is a query. */
const indexedRecords = <Value>(
  { collectionOf }: Listing<Value>,
  shop: Shop,
  query: string,
): readonly Entry<Value>[] => {
  const { searchLagMs } = shop.settings
  return query !== '' && searchLagMs > 0
    ? collectionOf(shop).listAsOf(shop.clock.nowMs() - searchLagMs)
    : collectionOf(shop).list()
}

/** The records that match a query. @throws ApiError if the query is not valid */
export const findMatching = <Value>(
  listing: Listing<Value>,
  query: string | null | undefined,
  shop: Shop,
): readonly Entry<Value>[] => {
  const text = query?.trim() ?? ''
  if (text === '') return indexedRecords(listing, shop, text)
  const declared = searchFields[listing.field] ?? {}
  const matches = compileSearch(text, { filters: listing.filters, declared, shop })
  return indexedRecords(listing, shop, text).filter(matches)
}

const positionIn =
  <Value>({ sorts }: Listing<Value>, sortKey: string, shop: Shop) =>
  (entry: Entry<Value>): Position => {
    const readValue = sorts[sortKey]
    if (!readValue) throw new Error(`The simulator does not sort by ${sortKey}`)
    return [readValue(entry, shop), numberOf(entry.id)]
  }

/** A connection to the records that match and that `isVisible` accepts. */
export const connectListing = <Value>(
  listing: Listing<Value>,
  { sortKey = 'ID', query, ...args }: ListArguments,
  context: Context,
  isVisible?: (entry: Entry<Value>) => boolean,
): object => {
  const { shop } = context
  const positionOf = positionIn(listing, sortKey, shop)
  const order = `${listing.field} ${sortKey}`
  const build = () => sortBy(findMatching(listing, query, shop), positionOf)
  // An index that lags changes without a write, and so do queries relative to the time.
  const isStable = shop.settings.searchLagMs === 0 && !query?.includes('now')
  const sorted = isStable
    ? shop.account.store.view(listing.types, `${order} ${query}`, build)
    : build()
  const nodes = isVisible ? sorted.filter(isVisible) : sorted
  return connect({ nodes, positionOf, order }, args, context)
}

/** The type Count. */
export const countListing = <Value>(
  listing: Listing<Value>,
  { query, limit }: { readonly query?: string | null; readonly limit?: number | null },
  shop: Shop,
): object => {
  const { length } = findMatching(listing, query, shop)
  const max = limit ?? Number.POSITIVE_INFINITY
  return { count: Math.min(length, max), precision: length > max ? 'AT_LEAST' : 'EXACT' }
}
