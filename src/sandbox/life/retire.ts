/** Deletes old closed records, so that a long-running sandbox does not grow. */
import type { SimulatedEvent } from '../company/event.ts'
import type { KindName, SandboxRecord } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'

type Retirement = (workspace: Workspace, owners: ReadonlySet<string | null>) => Promise<void>

// Bounds the duration of a step.
const MAX_PER_STEP = 100

/** Deletes the records that reference one of `owners`. */
const withOwner =
  <K extends KindName>(
    kind: K,
    ownerOf: (fields: SandboxRecord<K>['fields']) => string | null,
  ): Retirement =>
  async (workspace, owners) => {
    for (const part of await workspace.live(kind))
      if (owners.has(ownerOf(part.fields))) workspace.retire(part)
  }

/** Deletes the oldest closed records beyond the first `keep`, after those that `retireParts` deletes. */
const keeping =
  <K extends KindName>(
    kind: K,
    keep: number,
    isClosed: (fields: SandboxRecord<K>['fields']) => boolean = () => true,
    retireParts?: Retirement,
  ): SimulatedEvent =>
  async (workspace) => {
    const records = await workspace.live(kind)
    const old = records
      .filter(({ fields }) => isClosed(fields))
      .slice(0, Math.min(MAX_PER_STEP, Math.max(0, records.length - keep)))
    if (old.length === 0) return false
    await retireParts?.(workspace, new Set(old.map(({ id }) => id)))
    for (const record of old) workspace.retire(record)
    return true
  }

const isDone = ({ state }: { readonly state: string }): boolean =>
  ['completed', 'cancelled', 'paid', 'received'].includes(state)

const shipments = withOwner('shipments', ({ order }) => order)
const receipts = withOwner('payments', ({ invoice }) => invoice)
const expenses = withOwner('payments', ({ bill }) => bill)

const rules = [
  keeping('orders', 150, isDone, shipments),
  keeping('invoices', 150, isDone, receipts),
  keeping('bills', 120, isDone, expenses),
  keeping('purchase_orders', 80, isDone),
  keeping('deals', 100, ({ opportunityStatus }) => opportunityStatus !== 'open'),
  keeping('tasks', 100, ({ taskStatus }) => taskStatus === 'done'),
  keeping('notes', 120),
  keeping('leads', 100),
  keeping('people', 200),
  keeping('organizations', 150),
  keeping('shoppers', 200),
]

/** Deletes the oldest closed records of the kinds that grow. */
export const retireClosedRecords: SimulatedEvent = async (workspace, random) => {
  const results = []
  for (const retire of rules) results.push(await retire(workspace, random))
  return results.includes(true)
}
