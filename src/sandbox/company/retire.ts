/** Deletes old records, so that a long-running sandbox does not grow. */
import type { Parts } from '../kinds/kind.ts'
import { type KindName, kindNames, kinds } from '../kinds/kinds.ts'
import type { SimulatedEvent } from './event.ts'

/** How many records of each kind remain. */
const KEPT = 150
// Bounds the duration of a step.
const MAX_PER_STEP = 100

const partsOf = (kind: KindName): Parts | undefined => kinds[kind].parts

// Parts are deleted with their whole: payments with their documents. Documents post to ledger accounts.
const others = new Set(['ledger_accounts', ...kindNames.map((kind) => partsOf(kind)?.kind)])
const growing = kindNames.filter(
  (kind) => kinds[kind].verbs.includes('delete') && !others.has(kind),
)

/**
 * Deletes the oldest records of the kinds that grow, with their parts. Events settle the oldest records first, so that
 * old records are closed.
 */
export const retireOldRecords: SimulatedEvent = async ({ workspace }) => {
  let hasRetired = false
  for (const kind of growing) {
    const records = await workspace.where(kind)
    const oldest = records.slice(0, Math.min(MAX_PER_STEP, Math.max(0, records.length - KEPT)))
    if (oldest.length === 0) continue
    hasRetired = true
    for (const record of oldest) workspace.retire(record)
    const parts = partsOf(kind)
    if (!parts) continue
    const retired = new Set(oldest.map(({ id }) => id))
    const belongs = (fields: object) => retired.has(Object(fields)[parts.reference])
    // Safe cast: the kinds define each other as parts.
    for (const part of await workspace.where(parts.kind as KindName, belongs))
      workspace.retire(part)
  }
  return hasRetired
}
