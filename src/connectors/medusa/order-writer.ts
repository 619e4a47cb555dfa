import { orUndo, type Steps } from '../../definition/connector.ts'
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { sync } from './listing.ts'
import { mapping, ordersById, pages } from './order.ts'

const DRAFTS = '/admin/draft-orders'

function* convert(path: string): Steps<void> {
  yield { method: 'POST', path: `${path}/convert-to-order` }
}

/** Orders. A new order is a draft first (NOTES "a new order is a draft first"). */
export const orders = writableResource(mapping, {
  app: 'Medusa',
  pages,
  readMany: ordersById,
  sync,
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
