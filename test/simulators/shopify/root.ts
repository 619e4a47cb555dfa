/** The root query, the shop, and every resolver together. */
import { bulkResolvers } from './bulk.ts'
import { connectPart, type PageArguments } from './connections.ts'
import type { Context, Resolvers } from './context.ts'
import { customerResolvers } from './customers.ts'
import { badRequest } from './errors.ts'
import { fulfillmentMutations, fulfillmentResolvers, LOCATION_ID } from './fulfillments.ts'
import {
  bulkOperationListing,
  connectListing,
  countListing,
  customerListing,
  deletionListing,
  eventListing,
  fulfillmentOrderListing,
  type ListArguments,
  orderListing,
  productListing,
  variantListing,
} from './listings.ts'
import { orderMutations } from './order-writes.ts'
import { orderResolvers } from './orders.ts'
import { productMutations } from './product-writes.ts'
import { productResolvers } from './products.ts'
import type { BasicEvent, BulkOperation, Entry, Order, RecordType } from './records.ts'
import { numberOf, typeOfId, writeTime } from './shop.ts'
import { variantMutations } from './variant-writes.ts'
import { isVisible, listSubscriptions, subscriptionResolvers } from './webhook-subscriptions.ts'

interface ById {
  readonly id: string
}

const OLD_ORDER_MS = 60 * 86_400_000

/** Orders of the last 60 days, or all with the scope `read_all_orders`. */
const isReadable =
  ({ scopes, shop }: Context) =>
  ({ value }: Entry<Order>): boolean =>
    scopes.includes('read_all_orders') ||
    Date.parse(value.processedAt) > shop.clock.nowMs() - OLD_ORDER_MS

const isOwn =
  ({ client }: Context) =>
  ({ value }: Entry<BulkOperation>): boolean =>
    value.clientId === client.clientId

const NODE_TYPES: readonly RecordType[] = [
  ...([
    'Customer',
    'Product',
    'ProductVariant',
    'Order',
    'FulfillmentOrder',
    'Fulfillment',
  ] as const),
  ...(['BasicEvent', 'WebhookSubscription', 'BulkOperation'] as const),
]

/** The record of an id. @throws ApiError if it is not an id of this type */
const findOne = (type: RecordType, id: string, context: Context): object | null => {
  const { shop } = context
  if (typeOfId(id) === undefined) throw badRequest(`Invalid global id '${id}'`)
  if (typeOfId(id) !== type) return null
  if (type === 'Order') {
    const order = shop.Order.find(id)
    return order && isReadable(context)(order) ? order : null
  }
  if (type === 'WebhookSubscription') {
    const found = shop.WebhookSubscription.find(id)
    return found && isVisible(context)(found) ? found : null
  }
  return shop[type].find(id) ?? null
}

const findNode = (id: string, context: Context): object | null => {
  const type = typeOfId(id)
  if (type === undefined) throw badRequest(`Invalid global id '${id}'`)
  const known = NODE_TYPES.find((name) => name === type)
  if (known === undefined) throw new Error(`The simulator has no node of the type ${type}`)
  return findOne(known, id, context)
}

const findById =
  (type: RecordType) =>
  (_: unknown, { id }: ById, context: Context): object | null =>
    findOne(type, id, context)

const location = { id: LOCATION_ID }

const queries: Resolvers[string] = {
  bulkOperation: findById('BulkOperation'),
  bulkOperations: (_, args: ListArguments, context) =>
    connectListing(bulkOperationListing, args, context, isOwn(context)),
  currentBulkOperation: (_, { type }: { readonly type?: string }, context) =>
    type === 'MUTATION' ? null : context.shop.BulkOperation.list().filter(isOwn(context)).at(-1),
  currentAppInstallation: (_, __, { scopes }) => ({
    id: 'gid://shopify/AppInstallation/5400000000001',
    accessScopes: scopes.map((handle) => ({ handle, description: handle })),
  }),
  customer: findById('Customer'),
  customers: (_, args: ListArguments, context) => connectListing(customerListing, args, context),
  customersCount: (_, args: ListArguments, { shop }) => countListing(customerListing, args, shop),
  deletionEvents: (
    _,
    { subjectTypes, ...args }: ListArguments & { readonly subjectTypes?: readonly string[] | null },
    context,
  ) =>
    connectListing(deletionListing, args, context, ({ value }) => {
      const isDeletion = value.action === 'destroy' && value.subjectType === 'PRODUCT'
      return isDeletion && (subjectTypes?.includes(value.subjectType) ?? true)
    }),
  event: findById('BasicEvent'),
  events: (_, args: ListArguments, context) => connectListing(eventListing, args, context),
  fulfillment: findById('Fulfillment'),
  fulfillmentOrder: findById('FulfillmentOrder'),
  fulfillmentOrders: (
    _,
    { includeClosed, ...args }: ListArguments & { readonly includeClosed?: boolean },
    context,
  ) =>
    connectListing(
      fulfillmentOrderListing,
      args,
      context,
      ({ value }) => includeClosed === true || !['CLOSED', 'CANCELLED'].includes(value.status),
    ),
  job: findById('Job'),
  location: (_, { id }: { readonly id?: string | null }) =>
    (id ?? LOCATION_ID) === LOCATION_ID ? location : null,
  locations: (_, args: PageArguments, context) =>
    connectPart([location], args, context, 'locations'),
  node: (_, { id }: ById, context) => findNode(id, context),
  nodes: (_, { ids }: { readonly ids: readonly string[] }, context) =>
    ids.map((id) => findNode(id, context)),
  order: findById('Order'),
  orders: (_, args: ListArguments, context) =>
    connectListing(orderListing, args, context, isReadable(context)),
  ordersCount: (_, args: ListArguments, { shop }) => countListing(orderListing, args, shop),
  product: findById('Product'),
  products: (_, args: ListArguments, context) => connectListing(productListing, args, context),
  productsCount: (_, args: ListArguments, { shop }) => countListing(productListing, args, shop),
  productVariant: findById('ProductVariant'),
  productVariants: (_, args: ListArguments, context) =>
    connectListing(variantListing, args, context),
  shop: () => ({}),
  webhookSubscription: findById('WebhookSubscription'),
  webhookSubscriptions: (_, args: ListArguments, context) => listSubscriptions(args, context),
}

/** `-0700` */
const writeOffset = (minutes: number): string => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(rest).padStart(2, '0')}`
}

const OPENED_AT = '2020-01-01T00:00:00Z'

const shopFields: Resolvers[string] = {
  contactEmail: () => 'owner@example.com',
  createdAt: () => OPENED_AT,
  currencyCode: (_, __, { shop }) => shop.settings.currencyCode,
  email: () => 'owner@example.com',
  enabledPresentmentCurrencies: (_, __, { shop }) => [shop.settings.currencyCode],
  ianaTimezone: (_, __, { shop }) => shop.settings.ianaTimezone,
  id: () => 'gid://shopify/Shop/5400000000001',
  myshopifyDomain: (_, __, { shop }) => shop.account.id,
  name: (_, __, { shop }) => shop.account.name,
  plan: () => ({ partnerDevelopment: false, publicDisplayName: 'Basic', shopifyPlus: false }),
  primaryDomain: (_, __, { shop }) => ({
    id: 'gid://shopify/Domain/5400000000001',
    host: shop.account.id,
    sslEnabled: true,
    url: `https://${shop.account.id}`,
  }),
  shopAddress: () => ({
    id: 'gid://shopify/ShopAddress/5400000000001',
    coordinatesValidated: false,
    address1: '1 Main Street',
    city: 'Phoenix',
    provinceCode: 'AZ',
    zip: '85001',
    country: 'United States',
    countryCodeV2: 'US',
  }),
  shopOwnerName: () => 'Olivia Owner',
  taxShipping: () => false,
  taxesIncluded: () => false,
  timezoneAbbreviation: (_, __, { shop }) => writeOffset(shop.settings.timezoneOffsetMinutes),
  timezoneOffset: (_, __, { shop }) => writeOffset(shop.settings.timezoneOffsetMinutes),
  timezoneOffsetMinutes: (_, __, { shop }) => shop.settings.timezoneOffsetMinutes,
  unitSystem: () => 'METRIC_SYSTEM',
  updatedAt: () => OPENED_AT,
  url: (_, __, { shop }) => `https://${shop.account.id}`,
  weightUnit: () => 'KILOGRAMS',
}

const locationFields: Resolvers[string] = {
  address: () => ({ countryCode: 'US', country: 'United States' }),
  createdAt: () => OPENED_AT,
  fulfillsOnlineOrders: () => true,
  isActive: () => true,
  legacyResourceId: () => String(numberOf(LOCATION_ID)),
  name: () => 'Main warehouse',
  shipsInventory: () => true,
  updatedAt: () => OPENED_AT,
}

const eventFields: Resolvers[string] = {
  appTitle: () => null,
  attributeToApp: () => false,
  attributeToUser: () => false,
  criticalAlert: () => false,
  hasAdditionalContent: () => false,
}

export const resolvers: Resolvers = {
  ...customerResolvers,
  ...productResolvers,
  ...orderResolvers,
  ...fulfillmentResolvers,
  ...subscriptionResolvers,
  ...bulkResolvers,
  BasicEvent: eventFields,
  DeletionEvent: {
    occurredAt: ({ createdAtMs }: Entry<BasicEvent>) => writeTime(createdAtMs),
  },
  Location: locationFields,
  Shop: shopFields,
  QueryRoot: queries,
  Mutation: {
    ...customerResolvers.Mutation,
    ...productMutations,
    ...variantMutations,
    ...orderMutations,
    ...fulfillmentMutations,
    ...subscriptionResolvers.Mutation,
    ...bulkResolvers.Mutation,
  },
}
