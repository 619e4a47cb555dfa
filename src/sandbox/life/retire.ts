/** Deletes old closed records, so that a long-running sandbox does not grow. */
import type { SimulatedEvent } from '../company/event.ts'
import type { KindName, SandboxRecord } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'

// Bounds the duration of a step.
const MAX_PER_STEP = 100

/** How many records of each growing kind remain, and which of them are closed. Default: all. */
const limits: {
  readonly [K in KindName]?: readonly [
    keep: number,
    isClosed?: (fields: SandboxRecord<K>['fields']) => boolean,
  ]
} = {
  orders: [150, ({ orderStatus }) => orderStatus === 'completed' || orderStatus === 'cancelled'],
  invoices: [150, ({ state }) => state === 'paid'],
  bills: [120, ({ state }) => state === 'paid'],
  purchase_orders: [80, ({ purchaseOrderStatus: status }) => /^(received|cancelled)$/.test(status)],
  deals: [100, ({ opportunityStatus }) => opportunityStatus !== 'open'],
  tasks: [100, ({ taskStatus }) => taskStatus === 'done'],
  notes: [120],
  leads: [100],
  people: [200],
  organizations: [150],
  shoppers: [200],
}

const retireKind = async <K extends KindName>(
  workspace: Workspace,
  kind: K,
): Promise<readonly string[]> => {
  const [keep, isClosed = () => true] = limits[kind] ?? [Number.POSITIVE_INFINITY]
  const records = await workspace.where(kind)
  const surplus = Math.min(MAX_PER_STEP, Math.max(0, records.length - keep))
  const old = records.filter(({ fields }) => isClosed(fields)).slice(0, surplus)
  for (const record of old) workspace.retire(record)
  return old.map(({ id }) => id)
}

/** Deletes the oldest closed records of the kinds that grow, with their shipments and payments. */
export const retireClosedRecords: SimulatedEvent = async (workspace) => {
  const retired = new Set<string | null>()
  // Safe cast: the keys of `limits` are kinds.
  for (const kind of Object.keys(limits) as KindName[])
    for (const id of await retireKind(workspace, kind)) retired.add(id)
  const parts = [
    ...(await workspace.where('shipments', ({ orderId }) => retired.has(orderId))),
    ...(await workspace.where('payments', ({ invoice, bill }) => retired.has(invoice ?? bill))),
  ]
  for (const part of parts) workspace.retire(part)
  return retired.size > 0
}
