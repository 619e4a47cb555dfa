/** Closed files are put away, so that a sandbox that lives for months stays of one size. */
import type { KindName, Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import { type Card, liveWhere } from './card.ts'

interface Shelf<K extends KindName> {
  readonly kind: K
  /** How many are kept. */
  readonly keep: number
  readonly isClosed: (fields: Stored<K>['fields']) => boolean
  /** What goes with a record that goes. */
  readonly with?: (workspace: Workspace, id: string) => Promise<readonly Stored[]>
}

const clear = async <K extends KindName>(
  workspace: Workspace,
  shelf: Shelf<K>,
): Promise<number> => {
  const records = await workspace.live(shelf.kind)
  const old = records
    .filter(({ fields }) => shelf.isClosed(fields))
    .slice(0, Math.max(0, records.length - shelf.keep))
  for (const record of old) {
    for (const part of (await shelf.with?.(workspace, record.id)) ?? []) workspace.retire(part)
    workspace.retire(record)
  }
  return old.length
}

const always = (): boolean => true

/** Puts the oldest closed records of the kinds that grow away. */
export const putAway: Card = async (workspace) => {
  const counts = [
    await clear(workspace, {
      kind: 'orders',
      keep: 150,
      isClosed: ({ state }) => state === 'completed' || state === 'cancelled',
      with: (_, id) => liveWhere(workspace, 'shipments', ({ order }) => order === id),
    }),
    await clear(workspace, {
      kind: 'invoices',
      keep: 150,
      isClosed: ({ state }) => state === 'paid',
      with: (_, id) => liveWhere(workspace, 'payments', ({ invoice }) => invoice === id),
    }),
    await clear(workspace, {
      kind: 'bills',
      keep: 120,
      isClosed: ({ state }) => state === 'paid',
      with: (_, id) => liveWhere(workspace, 'payments', ({ bill }) => bill === id),
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
  return counts.some((count) => count > 0)
}
