/** Deletes old closed records, so that a long-running sandbox does not grow. */
import type { SimulatedEvent } from '../company/event.ts'
import type { FieldsOf, KindName } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'

/** How many records of each growing kind remain. */
const KEPT = 150
// Bounds the duration of a step.
const MAX_PER_STEP = 100

const isAlwaysClosed = () => true

/** The kinds that grow, and which of their records are closed. */
const closed: { readonly [K in KindName]?: (fields: FieldsOf<K>) => boolean } = {
  orders: ({ orderStatus }) => orderStatus === 'completed' || orderStatus === 'cancelled',
  invoices: ({ state }) => state === 'paid',
  bills: ({ state }) => state === 'paid',
  purchase_orders: ({ purchaseOrderStatus: status }) =>
    status === 'received' || status === 'cancelled',
  deals: ({ opportunityStatus }) => opportunityStatus !== 'open',
  tasks: ({ taskStatus }) => taskStatus === 'done',
  notes: isAlwaysClosed,
  leads: isAlwaysClosed,
  people: isAlwaysClosed,
  organizations: isAlwaysClosed,
  vendors: isAlwaysClosed,
  clients: isAlwaysClosed,
  shoppers: isAlwaysClosed,
}

const retireKind = async <K extends KindName>(
  workspace: Workspace,
  kind: K,
): Promise<readonly string[]> => {
  const records = await workspace.where(kind)
  const surplus = Math.min(MAX_PER_STEP, Math.max(0, records.length - KEPT))
  const old = records.filter(({ fields }) => closed[kind]?.(fields)).slice(0, surplus)
  for (const record of old) workspace.retire(record)
  return old.map(({ id }) => id)
}

/** Deletes the oldest closed records of the kinds that grow, with their shipments and payments. */
export const retireClosedRecords: SimulatedEvent = async (workspace) => {
  const retired = new Set<string | null>()
  // Safe cast: the keys of `closed` are kinds.
  for (const kind of Object.keys(closed) as KindName[])
    for (const id of await retireKind(workspace, kind)) retired.add(id)
  const parts = [
    ...(await workspace.where('shipments', ({ orderId }) => retired.has(orderId))),
    ...(await workspace.where('payments', ({ invoice, bill }) => retired.has(invoice ?? bill))),
  ]
  for (const part of parts) workspace.retire(part)
  return retired.size > 0
}
