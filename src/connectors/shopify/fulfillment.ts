/** Fulfillments, which Shopify lists as parts of orders only. */
import type { Json, ReadMany, Steps } from '../../definition/connector.ts'
import { rootFields } from '../../definition/graphql.ts'
import { recordsAt, writableResource } from '../../definition/mapping/body-writer.ts'
import {
  atLeast,
  createOnly,
  listOf,
  readOnly,
  required,
  states,
} from '../../definition/mapping/converters.ts'
import type { Converter, JsonObject } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { fetchTraced, passes } from '../../definition/paging/compose.ts'
import { entriesOf, textsAt, type Values } from '../../definition/raw-values.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { allOf } from './bulk.ts'
import { openLines, shipmentsOf } from './fulfillment-orders.ts'
import { mutate, query } from './graphql.ts'
import {
  type Collection,
  changedSince,
  reportedSync,
  type Selected,
  selectionOf,
} from './listing.ts'
import { wholePages, wholeRecord } from './whole-records.ts'

const selected: Selected = {
  type: 'Fulfillment',
  fields: `id name status displayStatus createdAt updatedAt deliveredAt estimatedDeliveryAt
    order { id } trackingInfo { company number url }`,
  part: {
    name: 'fulfillmentLineItems',
    type: 'FulfillmentLineItem',
    first: 10,
    page: 120,
    fields: `id quantity lineItem {
      id name sku product { id } variant { id } originalUnitPriceSet { shopMoney { amount } } }`,
  },
}

/** The orders, with the ids of their fulfillments. */
const shipped: Collection = {
  type: 'Order',
  list: 'orders',
  first: 45,
  fields: 'id fulfillments(first: 20) { id }',
  // The ids are in the cursor, which is saved with each page: about 300 orders.
  fileBytes: 32 * 1024,
}

const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Fulfillment { ${selectionOf(selected)} } } }`

const byIds: ReadMany = {
  maxIds: 15,
  request: (ids) => query(NODES, { ids }),
  read: (response) => {
    const { nodes } = rootFields(response)
    return entriesOf(nodes).filter(({ id }) => typeof id === 'string')
  },
}

/** A value of the tracking information, which is one list with an entry for each parcel. */
const tracking = (to: string, read: (entries: readonly Values[]) => unknown): Converter => ({
  from: 'trackingInfo',
  to: `trackingInfo.${to}`,
  read: (list) => read(entriesOf(list)),
})

const line = {
  lineItemId: required('lineItem.id'),
  productId: readOnly('lineItem.product.id'),
  variantId: readOnly('lineItem.variant.id'),
  title: readOnly('lineItem.name'),
  sku: readOnly('lineItem.sku'),
  price: readOnly('lineItem.originalUnitPriceSet.shopMoney.amount'),
  quantity: required(atLeast(1, 'quantity')),
}

/** The mapping of fulfillments. A cancelled one stays in its order and is shown as deleted. */
const mapping = defineMapping(fulfillment, {
  remoteId: 'id',
  orderId: createOnly(required('order.id')),
  // `displayStatus` follows the parcel and may be missing; `status` says whether the fulfillment was made.
  shipmentState: states(({ displayStatus, status }: Values) => displayStatus ?? status, {
    SUCCESS: 'SHIPPED',
    PENDING: 'PENDING',
    OPEN: 'PENDING',
    CONFIRMED: 'PENDING',
    SUBMITTED: 'PENDING',
    LABEL_PURCHASED: 'PENDING',
    LABEL_PRINTED: 'PENDING',
    READY_FOR_PICKUP: 'PENDING',
    FULFILLED: 'SHIPPED',
    MARKED_AS_FULFILLED: 'SHIPPED',
    CARRIER_PICKED_UP: 'SHIPPED',
    IN_TRANSIT: 'SHIPPED',
    OUT_FOR_DELIVERY: 'SHIPPED',
    ATTEMPTED_DELIVERY: 'SHIPPED',
    DELAYED: 'SHIPPED',
    DELIVERED: 'DELIVERED',
    PICKED_UP: 'DELIVERED',
    NOT_DELIVERED: 'FAILED',
    FAILURE: 'FAILED',
    ERROR: 'FAILED',
    CANCELED: 'CANCELLED',
    CANCELLED: 'CANCELLED',
  }),
  carrier: tracking('company', (entries) => entries[0]?.company),
  service: null, // Shopify's fulfillment service is who ships, not how
  trackingNumbers: tracking('numbers', (entries) => textsAt(entries, 'number')),
  trackingUrls: tracking('urls', (entries) => textsAt(entries, 'url')),
  lineItems: createOnly(required(listOf('fulfillmentLineItems', line))),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: ({ status }) => status === 'CANCELLED',
})

/** The tracking information of a fulfillment as the input of a mutation. */
const trackingInput = (raw: unknown): JsonObject => {
  const [company] = textsAt(raw, 'trackingInfo.company')
  return {
    ...(company !== undefined && { company }),
    numbers: textsAt(raw, 'trackingInfo.number'),
    urls: textsAt(raw, 'trackingInfo.url'),
  }
}

function* create(body: JsonObject): Steps<unknown> {
  const [orderId = ''] = textsAt(body, 'order.id')
  const shipments = shipmentsOf(body.fulfillmentLineItems, yield* openLines(orderId))
  const input: JsonObject = {
    lineItemsByFulfillmentOrder: shipments,
    notifyCustomer: body.notifyCustomer ?? false,
    ...(body.trackingInfo !== undefined && { trackingInfo: body.trackingInfo }),
  }
  const signature = 'fulfillmentCreate(fulfillment: FulfillmentInput!)'
  const created = yield* mutate(signature, { fulfillment: input }, 'fulfillment { id }')
  return textsAt(created, 'fulfillment.id')[0]
}

/** Fulfillments. An update changes only the tracking information; a deletion cancels. */
export const fulfillments = writableResource(mapping, {
  app: 'Shopify',
  // A change of a fulfillment changes its order (NOTES "fulfillments").
  pages: passes(({ since }) => {
    const orders = since === undefined ? allOf(shipped) : changedSince(shipped, since)
    return { ofOrders: wholePages(fetchTraced(orders, 'fulfillments.id', byIds), selected) }
  }),
  sync: reportedSync,
  remoteFields: { accepted: { notifyCustomer: 'boolean' } },
  get: wholeRecord(selected),
  create,
  *update(body, { remoteId: fulfillmentId, raw }) {
    // Shopify replaces all of it.
    const trackingInfoInput: Json = { ...trackingInput(raw), ...Object(body.trackingInfo) }
    yield* mutate(
      'fulfillmentTrackingInfoUpdate(fulfillmentId: ID!, trackingInfoInput: FulfillmentTrackingInput!, notifyCustomer: Boolean)',
      { fulfillmentId, trackingInfoInput, notifyCustomer: body.notifyCustomer ?? false },
    )
  },
  *delete({ remoteId: id }) {
    yield* mutate('fulfillmentCancel(id: ID!)', { id })
  },
  // A fulfillment changes the status of its order.
  sideEffects: recordsAt({ 'commerce/orders': 'order.id' }),
})
