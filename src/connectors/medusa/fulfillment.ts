/** Fulfillments, which Medusa lists as parts of orders only. */
import {
  type AppRequest,
  type Json,
  missingValue,
  type Pager,
  WriteRejection,
} from '../../definition/connector.ts'
import { recordsAt, writableResource } from '../../definition/mapping/body-writer.ts'
import {
  atLeast,
  createOnly,
  listOf,
  readOnly,
  required,
  states,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import type { Converter, JsonObject } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { mapReadMany, mapRecords, passes } from '../../definition/paging/compose.ts'
import { partReader } from '../../definition/paging/parts.ts'
import { entriesOf, latestOf, textsAt, type Values, valuesOf } from '../../definition/raw-values.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { type Collection, changedSince, pagesOf, readManyOf, sync } from './listing.ts'

/** The orders, with the parts that fulfillments need. */
const collection: Collection = {
  path: 'orders',
  list: 'orders',
  fields: ['id', '*items', '*fulfillments', '*fulfillments.items', '*fulfillments.labels'],
}

const NO_URL = '#' // of a label without an address, as Medusa's dashboard writes it

/** A value of the labels. The writer makes labels of the lists that a write sets. */
const ofLabels = (name: string): Converter => ({
  from: 'labels',
  to: `labels.${name}`,
  read: (labels) => textsAt(labels, name).filter((text) => text !== '' && text !== NO_URL),
})

/** The last step of a fulfillment that has a time. */
const lastStep = (raw: Values): string =>
  ['canceled_at', 'delivered_at', 'shipped_at'].find((step) => typeof raw[step] === 'string') ??
  'created_at'

const line = {
  lineItemId: required(writtenTo('id', 'line_item_id')),
  productId: readOnly('order_line.product_id'),
  variantId: readOnly('order_line.variant_id'),
  title: readOnly('title'),
  sku: readOnly('sku'),
  price: readOnly('order_line.unit_price'),
  quantity: required(atLeast(1, 'quantity')),
}

const mapping = defineMapping<typeof fulfillment, Values>(fulfillment, {
  remoteId: 'id',
  orderId: createOnly(required('order_id')),
  shipmentState: states(lastStep, {
    created_at: 'PENDING',
    shipped_at: 'SHIPPED',
    delivered_at: 'DELIVERED',
    canceled_at: 'CANCELLED',
  }),
  carrier: readOnly('provider_id'),
  service: null, // the shipping option is an id: remoteFields.shipping_option_id
  trackingNumbers: ofLabels('tracking_number'),
  trackingUrls: ofLabels('tracking_url'),
  lineItems: createOnly(required(listOf('items', line))),
  remoteCreatedAt: 'created_at',
  remoteUpdatedAt: latestOf('updated_at'),
  // NOTES "a deletion cancels"
  remoteDeleted: ({ canceled_at }) => typeof canceled_at === 'string',
})

/** The fulfillments of an order. */
const fulfillmentsOf = (order: unknown): readonly Values[] => {
  const { id, items, fulfillments } = valuesOf(order)
  const lines = new Map(entriesOf(items).map((item) => [item.id, item]))
  const pricedLine = (item: Values): Values => {
    const { product_id, variant_id, unit_price } = valuesOf(lines.get(item.line_item_id))
    return { ...item, order_line: { product_id, variant_id, unit_price } }
  }
  return entriesOf(fulfillments).map((one) => ({
    ...one,
    order_id: id,
    items: entriesOf(one.items).map(pricedLine),
  }))
}

// Every change of a fulfillment changes its order.
const pages: Pager = mapRecords(
  passes(({ since }) => ({ changed: changedSince(collection, since) })),
  fulfillmentsOf,
)

/** Without a stored copy, the order of a fulfillment is searched, newest first: Medusa has no request for it. */
const parts = partReader({
  readMany: mapReadMany(readManyOf(collection), fulfillmentsOf),
  parentId: 'order_id',
  search: pagesOf({ ...collection, fields: ['id', 'fulfillments.id'] }, { order: '-created_at' }),
  partIds: 'fulfillments.id',
})

const pathOf = (orderId: string): string =>
  `/admin/orders/${encodeURIComponent(orderId)}/fulfillments`

/** The labels of a shipment: numbers and URLs with the same index belong together. */
const labelsFrom = (body: JsonObject): readonly Json[] => {
  const numbers = textsAt(body, 'labels.tracking_number')
  const urls = textsAt(body, 'labels.tracking_url')
  if (urls.length > numbers.length)
    throw new WriteRejection('Medusa stores a URL with a tracking number only.', 'trackingUrls')
  return numbers.map((number, index) => {
    const url = urls[index] ?? NO_URL
    return { tracking_number: number, tracking_url: url, label_url: NO_URL }
  })
}

/** Marks a fulfillment as shipped, with the labels. */
const ship = (orderId: string, id: string, items: Json, labels: readonly Json[]): AppRequest => ({
  method: 'POST',
  path: `${pathOf(orderId)}/${encodeURIComponent(id)}/shipments`,
  body: { items, labels },
})

export const fulfillments = writableResource(mapping, {
  app: 'Medusa',
  pages,
  sync,
  remoteFields: { reserved: ['labels', 'order_id'] },
  *get(remoteId, stored) {
    const found = yield* parts.get(remoteId, stored)
    return typeof found?.canceled_at === 'string' ? undefined : found
  },
  *create(input) {
    const { order_id, labels: _, items = [], ...others } = input
    const orderId = String(order_id)
    if (Array.isArray(items) && items.length === 0)
      throw missingValue('A fulfillment needs at least one line item.', 'lineItems')
    const labels = labelsFrom(input)
    const before = (yield* parts.partsOf(orderId)).map(({ id }) => id)
    yield { method: 'POST', path: pathOf(orderId), body: { ...others, items } }
    // The response is the order.
    const added = (yield* parts.partsOf(orderId)).find(({ id }) => !before.includes(id))
    if (!added) throw new Error(`Medusa created no fulfillment of the order ${orderId}.`)
    const id = String(added.id)
    if (labels.length > 0) yield ship(orderId, id, items, labels)
    return yield* parts.read(orderId, id)
  },
  // Only a fulfillment that was not shipped yet can receive labels (NOTES "labels are set once").
  *update(input, { remoteId: id, raw }) {
    const [unknown] = Object.keys(input).filter((name) => name !== 'labels')
    if (unknown !== undefined)
      throw new WriteRejection(
        'Medusa cannot change this field of a fulfillment.',
        `remoteFields.${unknown}`,
      )
    const labels = labelsFrom(input)
    const { order_id, items, shipped_at: shippedAt } = valuesOf(raw)
    if (shippedAt !== null && shippedAt !== undefined)
      throw new WriteRejection('Medusa cannot change the labels of a shipment.', 'trackingNumbers')
    const lines = entriesOf(items).map(({ line_item_id: line, quantity }) => ({
      id: String(line),
      quantity: Number(quantity),
    }))
    yield ship(String(order_id), id, lines, labels)
  },
  *delete({ remoteId, raw }) {
    const { order_id: orderId } = valuesOf(raw)
    const path = `${pathOf(String(orderId))}/${encodeURIComponent(remoteId)}/cancel`
    yield { method: 'POST', path, body: {} }
  },
  // The status of the order, and the stock of the products.
  sideEffects: recordsAt({
    'commerce/orders': 'order_id',
    'commerce/products': 'items.order_line.product_id',
  }),
})
