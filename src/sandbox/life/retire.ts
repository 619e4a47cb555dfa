/** Deletes old closed records, so that a long-running sandbox does not grow. */

import type { SimulatedEvent } from '../company/event.ts'
import type { KindName, SandboxRecord } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'

interface RetentionRule<K extends KindName, P extends KindName = KindName> {
  readonly kind: K
  /** Number of records to keep. */
  readonly keep: number
  readonly isClosed: (fields: SandboxRecord<K>['fields']) => boolean
  /** Records that are deleted with the record that they reference. */
  readonly parts?: {
    readonly kind: P
    readonly ownerOf: (fields: SandboxRecord<P>['fields']) => string | null
  }
}

// Bounds the duration of a step.
const MAX_PER_STEP = 100

const retireOldest = async <K extends KindName, P extends KindName>(
  workspace: Workspace,
  { kind, keep, isClosed, parts }: RetentionRule<K, P>,
): Promise<boolean> => {
  const records = await workspace.live(kind)
  const old = records
    .filter(({ fields }) => isClosed(fields))
    .slice(0, Math.min(MAX_PER_STEP, Math.max(0, records.length - keep)))
  if (old.length === 0) return false
  if (parts) {
    const owners = new Set<string | null>(old.map(({ id }) => id))
    for (const part of await workspace.live(parts.kind))
      if (owners.has(parts.ownerOf(part.fields))) workspace.retire(part)
  }
  for (const record of old) workspace.retire(record)
  return true
}

const always = (): boolean => true

/** Deletes the oldest closed records of the kinds that grow. */
export const retireClosedRecords: SimulatedEvent = async (workspace) => {
  const results = [
    await retireOldest(workspace, {
      kind: 'orders',
      keep: 150,
      isClosed: ({ state }) => state === 'completed' || state === 'cancelled',
      parts: { kind: 'shipments', ownerOf: ({ order }) => order },
    }),
    await retireOldest(workspace, {
      kind: 'invoices',
      keep: 150,
      isClosed: ({ state }) => state === 'paid',
      parts: { kind: 'payments', ownerOf: ({ invoice }) => invoice },
    }),
    await retireOldest(workspace, {
      kind: 'bills',
      keep: 120,
      isClosed: ({ state }) => state === 'paid',
      parts: { kind: 'payments', ownerOf: ({ bill }) => bill },
    }),
    await retireOldest(workspace, {
      kind: 'purchase_orders',
      keep: 80,
      isClosed: ({ state }) => state === 'received' || state === 'cancelled',
    }),
    await retireOldest(workspace, {
      kind: 'deals',
      keep: 100,
      isClosed: ({ opportunityStatus }) => opportunityStatus !== 'open',
    }),
    await retireOldest(workspace, {
      kind: 'tasks',
      keep: 100,
      isClosed: ({ taskStatus }) => taskStatus === 'done',
    }),
    await retireOldest(workspace, { kind: 'notes', keep: 120, isClosed: always }),
    await retireOldest(workspace, { kind: 'leads', keep: 100, isClosed: always }),
    await retireOldest(workspace, { kind: 'people', keep: 200, isClosed: always }),
    await retireOldest(workspace, { kind: 'organizations', keep: 150, isClosed: always }),
    await retireOldest(workspace, { kind: 'shoppers', keep: 200, isClosed: always }),
  ]
  return results.includes(true)
}
