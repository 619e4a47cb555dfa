/** Closed files are put away, so that a sandbox that lives for months stays of one size. */
import type { KindName, Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import type { Card } from './card.ts'

interface Shelf<K extends KindName, P extends KindName = KindName> {
  readonly kind: K
  /** How many are kept. */
  readonly keep: number
  readonly isClosed: (fields: Stored<K>['fields']) => boolean
  /** The records that go with the one whose id they name. */
  readonly parts?: {
    readonly kind: P
    readonly ownerOf: (fields: Stored<P>['fields']) => string | null
  }
}

// However much there is to put away, a step ends soon.
const MOST_AT_ONCE = 100

const clear = async <K extends KindName, P extends KindName>(
  workspace: Workspace,
  { kind, keep, isClosed, parts }: Shelf<K, P>,
): Promise<boolean> => {
  const records = await workspace.live(kind)
  const old = records
    .filter(({ fields }) => isClosed(fields))
    .slice(0, Math.min(MOST_AT_ONCE, Math.max(0, records.length - keep)))
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

/** Puts the oldest closed records of the kinds that grow away. */
export const putAway: Card = async (workspace) => {
  const cleared = [
    await clear(workspace, {
      kind: 'orders',
      keep: 150,
      isClosed: ({ state }) => state === 'completed' || state === 'cancelled',
      parts: { kind: 'shipments', ownerOf: ({ order }) => order },
    }),
    await clear(workspace, {
      kind: 'invoices',
      keep: 150,
      isClosed: ({ state }) => state === 'paid',
      parts: { kind: 'payments', ownerOf: ({ invoice }) => invoice },
    }),
    await clear(workspace, {
      kind: 'bills',
      keep: 120,
      isClosed: ({ state }) => state === 'paid',
      parts: { kind: 'payments', ownerOf: ({ bill }) => bill },
    }),
    await clear(workspace, {
      kind: 'purchase_orders',
      keep: 80,
      isClosed: ({ state }) => state === 'received' || state === 'cancelled',
    }),
    await clear(workspace, {
      kind: 'deals',
      keep: 100,
      isClosed: ({ outcome }) => outcome !== 'open',
    }),
    await clear(workspace, {
      kind: 'tasks',
      keep: 100,
      isClosed: ({ progress }) => progress === 'done',
    }),
    await clear(workspace, { kind: 'notes', keep: 120, isClosed: always }),
    await clear(workspace, { kind: 'leads', keep: 100, isClosed: always }),
    await clear(workspace, { kind: 'people', keep: 200, isClosed: always }),
    await clear(workspace, { kind: 'organizations', keep: 150, isClosed: always }),
    await clear(workspace, { kind: 'shoppers', keep: 200, isClosed: always }),
  ]
  return cleared.includes(true)
}
