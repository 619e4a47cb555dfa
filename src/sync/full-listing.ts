/** The start and the end of a full listing: its seen records, and the reconciliation that it reports to. */
import type { Transaction } from '../store/database/database.ts'
import { saveProgress } from '../store/sync/held-run.ts'
import { completeReconciliation, startReconciliation } from '../store/sync/reconciliations.ts'
import { clearSeenRecords } from '../store/sync/seen-records.ts'
import { appendSyncEvent, type ResourceRun, resourceOf } from './active-run.ts'

/** Saves the start of a full listing. @throws LeaseLostError */
export const startFullListing = async (
  transaction: Transaction,
  run: ResourceRun,
): Promise<void> => {
  const { lease, progress } = run
  const { reconciliationId } = progress
  await clearSeenRecords(transaction, lease.key)
  if (progress.first && !progress.expired) await appendSyncEvent(transaction, run, 'started')
  await saveProgress(transaction, lease, progress)
  if (reconciliationId !== undefined)
    await startReconciliation(transaction, lease.key, resourceOf(run), reconciliationId)
}

/** Clears what a full listing has saved, after its run was completed in the same transaction. */
export const endFullListing = async (transaction: Transaction, run: ResourceRun): Promise<void> => {
  const { key } = run.lease
  const { reconciliationId: id, startedAt } = run.progress
  if (id !== undefined)
    await completeReconciliation(transaction, key, resourceOf(run), { id, startedAt })
  await clearSeenRecords(transaction, key)
}
