/** Deletes old records, so that a long-running sandbox does not grow. */
import { kindNames, kinds } from '../kinds/kinds.ts'
import type { SimulatedEvent } from './event.ts'

/** How many records of each kind remain. */
const KEPT = 150
// Bounds the duration of a step.
const MAX_PER_STEP = 100

// Shipments and payments are deleted with their documents. Documents post to ledger accounts.
const others: ReadonlySet<string> = new Set(['shipments', 'payments', 'ledger_accounts'])
const growing = kindNames.filter(
  (kind) => kinds[kind].verbs.includes('delete') && !others.has(kind),
)

/**
 * Deletes the oldest records of the kinds that grow, with their shipments and payments. Events settle the oldest
 * records first, so that old records are closed.
 */
export const retireOldRecords: SimulatedEvent = async ({ workspace }) => {
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
