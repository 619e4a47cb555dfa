import { orUndo, type Steps } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { mapping, ordersById } from './order.ts'

const DRAFTS = '/admin/draft-orders'

function* convert(path: string): Steps<void> {
  yield { method: 'POST', path: `${path}/convert-to-order` }
}

/** The writer of orders. A new order is a draft first (NOTES "a new order is a draft first"). */
export const orderWriter = bodyWriter(mapping, {
  app: 'Medusa',
  readMany: ordersById,
  *create(body) {
    const draft = { shipping_methods: [], ...body }
    const { body: created } = yield { method: 'POST', path: DRAFTS, body: draft }
    const id = String(valuesOf(valuesOf(created).draft_order).id)
    const path = `${DRAFTS}/${encodeURIComponent(id)}`
    // Otherwise the draft would stay in the shop.
    yield* orUndo(convert(path), { method: 'DELETE', path })
    return id
  },
  *update(body, { remoteId }) {
    yield { method: 'POST', path: `/admin/orders/${encodeURIComponent(remoteId)}`, body }
  },
})
