/**
 * Missing-record detection: marks stored records as deleted that a full listing did not return.
 *
 * A listing may also miss records that still exist: offset pages skip a record when an earlier one is deleted,
 * and a failing app may list almost nothing. So records are marked only after two listings agree, and if many
 * are missing, the second listing starts later. Deletions are stored late, but never wrongly.
 *
 * After a change of the account, most records are expected to be missing, so the second listing starts immediately.
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

/**
 * Whether records that the run does not list are deleted. A first listing misses none; but no app reports the deletion
 * of the records of an earlier account, and that may have changed during the first listing.
 */
export const detectsMissing = ({ progress, state, resource }: ResourceRun): boolean =>
  progress.listing === 'everything' &&
  (state.accountChanged || (!progress.first && resource.sync.deletions === 'compared'))

/** Marks missing records as deleted, or requests a second listing. */
export const reconcileMissing = async (run: ResourceRun): Promise<MissingRecords> => {
  const { progress, state, lease, context } = run
  if (!detectsMissing(run)) return { kind: 'reconciled' }
  const { held, unseen } = await countUnseen(context.database, lease.key, resourceOf(run))
  if (unseen === 0) return { kind: 'reconciled' }
  if (progress.pass === 1) {
    const start = { stage: 'listing', cursor: null, partitions: [] } as const
    const second: RunProgress = { ...progress, ...start, pass: 2 }
    const isSuspicious = unseen >= MANY_RECORDS && unseen >= held * MANY_SHARE
    return isSuspicious && !state.accountChanged
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
