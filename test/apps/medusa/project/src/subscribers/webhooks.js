const { report } = require('../webhooks')

/** The record of an entity with this id. */
const find = async (container, entity, id, fields) => {
  const { data } = await container.resolve('query').graph({ entity, fields, filters: { id } })
  return data[0]
}

const ofOrder = ({ id, order_id: orderId = id }) => [['order.changed', orderId]]

/** A fulfillment also changes the status of its order and the stock of the products. */
const ofFulfillment = async ({ id, fulfillment_id: fulfillmentId = id }, container) => {
  const fields = ['id', 'order.id', 'order.items.product_id']
  const { order } = (await find(container, 'fulfillment', fulfillmentId, fields)) ?? {}
  const products = new Set(order?.items.map(({ product_id: productId }) => productId))
  return [
    ['fulfillment.changed', fulfillmentId],
    ...(order ? [['order.changed', order.id]] : []),
    ...[...products].filter(Boolean).map((productId) => ['product.changed', productId]),
  ]
}

const ofPayment = async ({ id }, container) => {
  const found = await find(container, 'payment', id, ['id', 'payment_collection.order.id'])
  const order = found?.payment_collection?.order
  return order ? [['order.changed', order.id]] : []
}

const ofVariant = async ({ id }, container) => {
  const found = await find(container, 'product_variant', id, ['id', 'product_id'])
  return found ? [['product.changed', found.product_id]] : []
}

const of =
  (type) =>
  ({ id }) => [[type, id]]

/** The changes that an event of Medusa reports, as pairs of type and id. */
const changesOf = {
  'customer.created': of('customer.changed'),
  'customer.updated': of('customer.changed'),
  'customer.deleted': of('customer.deleted'),
  'product.created': of('product.changed'),
  'product.updated': of('product.changed'),
  'product.deleted': of('product.deleted'),
  'product-variant.created': ofVariant,
  'product-variant.updated': ofVariant,
  'order.placed': ofOrder,
  'order.updated': ofOrder,
  'order.canceled': ofOrder,
  'order.completed': ofOrder,
  'order.archived': ofOrder,
  'order.return_requested': ofOrder,
  'order.return_received': ofOrder,
  'order.claim_created': ofOrder,
  'order.exchange_created': ofOrder,
  'order-edit.confirmed': ofOrder,
  'order.fulfillment_created': ofFulfillment,
  'order.fulfillment_canceled': ofFulfillment,
  'shipment.created': ofFulfillment,
  'delivery.created': ofFulfillment,
  'payment.captured': ofPayment,
  'payment.refunded': ofPayment,
}

exports.default = async ({ event: { name, data }, container }) => {
  for (const [type, id] of (await changesOf[name]?.(data, container)) ?? []) report(type, id)
}

exports.config = { event: Object.keys(changesOf) }
