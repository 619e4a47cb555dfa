import type { ResourceWriter } from '../../definition/connector.ts'
import { buildBody, writableFields } from '../../definition/mapping/write.ts'
import { getBy } from '../../definition/paging/compose.ts'
import { readOne } from './listing.ts'
import { mapping, ordersById } from './order.ts'
import { valuesOf } from './records.ts'

const app = 'Medusa'
const DRAFTS = '/admin/draft-orders'

/** The writer of orders. A new order is a draft first (NOTES "a new order is a draft first"). */
export const orderWriter: ResourceWriter = {
  get: getBy(ordersById),
  create: {
    fields: writableFields(mapping, 'create'),
    *steps(input) {
      const body = yield* buildBody(mapping, input, { app, verb: 'create' })
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
      return yield* readOne(ordersById, id)
    },
  },
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, { remoteId }) {
      const body = yield* buildBody(mapping, input, { app, verb: 'update' })
      yield { method: 'POST', path: `/admin/orders/${encodeURIComponent(remoteId)}`, body }
      return yield* readOne(ordersById, remoteId)
    },
  },
}
