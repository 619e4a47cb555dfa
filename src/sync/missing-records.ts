/**
 * Missing-record detection: marks stored records as deleted that a full listing did not return.
 *
 * A listing may also miss records that still exist: offset pages skip a record when an earlier one is deleted,
 * and a failing app may list almost nothing. So records are marked only after two listings agree, and if many
 * are missing, the second listing starts later. Deletions are stored late, but never wrongly.
 */

import { reserveLogPosition } from '../store/changes/events.ts'
import { deleteUnseen, lockRecords } from '../store/records/apply-changes.ts'
import { saveProgress } from '../store/sync/held-run.ts'
import { addDifferences } from '../store/sync/reconciliations.ts'
import { countUnseen } from '../store/sync/seen-records.ts'
import type { RunProgress } from '../store/sync/sync-state.ts'
import { addCounts, appendSyncEvent, type ResourceRun, resourceOf, transact } from './active-run.ts'

const MANY_RECORDS = 10
const MANY_SHARE = 0.5

/** The result of missing-record detection. */
export type MissingRecords =
  /** No record is missing, or all missing ones are marked as deleted. */
  | { readonly kind: 'reconciled' }
  /** A second listing must confirm the missing records; with `warning`, only after a pause. */
  | { readonly kind: 'unconfirmed'; readonly progress: RunProgress; readonly warning?: string }

/** Marks missing records as deleted, or requests a second listing. */
export const reconcileMissing = async (run: ResourceRun): Promise<MissingRecords> => {
  const { progress, lease, context, resource } = run
  if (progress.listing === 'changes' || progress.first || resource.sync.deletions === 'reported')
    return { kind: 'reconciled' }
  const { held, unseen } = await countUnseen(context.database, lease.key, resourceOf(run))
  if (unseen === 0) return { kind: 'reconciled' }
  if (progress.pass === 1) {
    const start = { stage: 'listing', cursor: null, partitions: [] } as const
    const second: RunProgress = { ...progress, ...start, pass: 2 }
    return unseen >= MANY_RECORDS && unseen >= held * MANY_SHARE
      ? {
          kind: 'unconfirmed',
          progress: second,
          warning: `${unseen} of ${held} records were not listed; a second listing must confirm that they are deleted`,
        }
      : { kind: 'unconfirmed', progress: second }
  }
  let last: string | null = null
  do last = await deleteBatch(run, last)
  while (last !== null)
  return { kind: 'reconciled' }
}

/** Marks one batch. @returns the last record that was marked; null if none is left */
const deleteBatch = (run: ResourceRun, after: string | null): Promise<string | null> =>
  transact(run, async (transaction) => {
    const { progress, owner, lease } = run
    // Lock first: reserving a position may assign the transaction id, and ids order the log.
    await lockRecords(transaction, owner.credentialId, resourceOf(run))
    const position = progress.announced ? undefined : await reserveLogPosition(transaction)
    const batch = { since: progress.startedAt, after }
    const marked = await deleteUnseen(transaction, owner, resourceOf(run), batch)
    if (marked.last === null) return null
    if (position !== undefined) await appendSyncEvent(transaction, run, 'started', {}, position)
    const advanced = {
      ...progress,
      announced: true,
      counts: addCounts(progress.counts, { deleted: marked.count }),
    }
    await saveProgress(transaction, lease, advanced)
    if (progress.reconciliationId !== undefined)
      await addDifferences(transaction, lease.key, progress.reconciliationId, {
        created: 0,
        updated: 0,
        deleted: marked.count,
      })
    run.progress = advanced
    return marked.last
  })
