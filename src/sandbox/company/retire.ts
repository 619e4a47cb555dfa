/** Deletes old records, so that a long-running sandbox does not grow. */
import type { SimulatedEvent } from './event.ts'

/** How many records of each growing kind remain. */
const KEPT = 150
// Bounds the duration of a step.
const MAX_PER_STEP = 100

/** The kinds that grow. Events settle the oldest records first, so that old records are closed. */
const growing = [
  'orders',
  'invoices',
  'bills',
  'purchase_orders',
  'deals',
  'tasks',
  'notes',
  'leads',
  'people',
  'organizations',
  'vendors',
  'clients',
  'shoppers',
] as const

/** Deletes the oldest records of the kinds that grow, with their shipments and payments. */
export const retireOldRecords: SimulatedEvent = async (workspace) => {
  const retired = new Set<string | null>()
  for (const kind of growing) {
    const records = await workspace.where(kind)
    const surplus = Math.min(MAX_PER_STEP, Math.max(0, records.length - KEPT))
    for (const record of records.slice(0, surplus)) {
      workspace.retire(record)
      retired.add(record.id)
    }
  }
  const parts = [
    ...(await workspace.where('shipments', ({ orderId }) => retired.has(orderId))),
    ...(await workspace.where('payments', ({ invoice, bill }) => retired.has(invoice ?? bill))),
  ]
  for (const part of parts) workspace.retire(part)
  return retired.size > 0
}
