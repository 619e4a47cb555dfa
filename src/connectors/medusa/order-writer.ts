import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { mapping, ordersById } from './order.ts'

const DRAFTS = '/admin/draft-orders'

/** The writer of orders. A new order is a draft first (NOTES "a new order is a draft first"). */
export const orderWriter = bodyWriter(mapping, {
  app: 'Medusa',
  readMany: ordersById,
  *create(body) {
    const draft = { shipping_methods: [], ...body }
    const { body: created } = yield { method: 'POST', path: DRAFTS, body: draft }
    const id = String(valuesOf(valuesOf(created).draft_order).id)
    const path = `${DRAFTS}/${encodeURIComponent(id)}`
    try {
      yield { method: 'POST', path: `${path}/convert-to-order` }
    } catch (error) {
      // Otherwise the draft would stay in the shop.
      yield { method: 'DELETE', path, undo: true }
      throw error
    }
    return id
  },
  *update(body, { remoteId }) {
    yield { method: 'POST', path: `/admin/orders/${encodeURIComponent(remoteId)}`, body }
  },
})
