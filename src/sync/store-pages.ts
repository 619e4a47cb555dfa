/** Stores pages in one transaction: records, their changes, the seen records and the cursor of the next page. */
import type { Resource } from '../definition/resource.ts'
import { reserveLogPosition } from '../store/changes/events.ts'
import type { Transaction } from '../store/database/database.ts'
import {
  type AppliedChanges,
  type ApplyOptions,
  applyChanges,
  lockRecords,
  MAX_BATCH,
  markRecordsDeleted,
  type RecordOwner,
} from '../store/records/apply-changes.ts'
import type { RecordLine } from '../store/records/record-lines.ts'
import { saveProgress } from '../store/sync/held-run.ts'
import { addDifferences } from '../store/sync/reconciliations.ts'
import { addSeenRecords } from '../store/sync/seen-records.ts'
import type { RunProgress } from '../store/sync/sync-state.ts'
import {
  addCounts,
  appendSyncEvent,
  databaseTime,
  type ResourceRun,
  resourceOf,
  transact,
} from './active-run.ts'
import { laterOf, type MappedPages, sizeOf, type Tombstone } from './map-pages.ts'
import { detectsMissing } from './missing-records.ts'
import { checkStorage } from './storage-limits.ts'

function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += MAX_BATCH)
    yield items.slice(start, start + MAX_BATCH)
}

/** Writes any number of records and their changes, in batches. */
export const applyAll = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  records: readonly RecordLine[],
  options: ApplyOptions,
): Promise<AppliedChanges> => {
  const total = { created: 0, updated: 0, deleted: 0 }
  for (const batch of batchesOf(records)) {
    const applied = await applyChanges(transaction, owner, resource, batch, options)
    total.created += applied.created
    total.updated += applied.updated
    total.deleted += applied.deleted
  }
  return total
}

/**
 * Marks deleted records; one that is not stored yet is stored if the app lists its fields. A record stored since
 * the page was requested is marked too: apps do not date deletions, and the next run would not report it again.
 * If it was restored in the app, the next run lists it.
 * @returns how many were marked or stored
 */
export const applyTombstones = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  tombstones: readonly Tombstone[],
): Promise<number> => {
  let deleted = 0
  for (const batch of batchesOf(tombstones)) {
    const ids = batch.map(({ id }) => id)
    deleted += await markRecordsDeleted(transaction, owner, resource, ids)
    const lines = batch.flatMap(({ id, line }) => (line === undefined ? [] : [{ id, line }]))
    deleted += (await applyChanges(transaction, owner, resource, lines, { accept: 'new' })).deleted
  }
  return deleted
}

/** Whether the run saves which records it saw: to detect missing ones, or for a report. */
export const tracksSeenRecords = (run: ResourceRun): boolean =>
  run.progress.reconciliationId !== undefined || detectsMissing(run)

/** Records in the order of their ids: rows that are inserted together are then neighbours in every index. */
const byId = <R extends RecordLine>(records: readonly R[]): readonly R[] =>
  records.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

const NO_CHANGES: AppliedChanges = { created: 0, updated: 0, deleted: 0 }

/** The progress after pages. */
const advance = (
  progress: RunProgress,
  mapped: MappedPages,
  applied: AppliedChanges,
): RunProgress => {
  const { remaining, token } = mapped
  const [cursor = null, ...partitions] = remaining.map((at) => JSON.stringify(at))
  const isEnd = cursor === null
  const changed = applied.created + applied.updated + applied.deleted
  return {
    ...progress,
    stage: isEnd ? 'settling' : 'listing',
    cursor,
    partitions,
    nextToken: isEnd && token !== undefined ? JSON.stringify(token) : null,
    appTime: progress.counts.pages === 0 ? (mapped.appTime ?? null) : progress.appTime,
    newest: laterOf(progress.newest, mapped.newest),
    announced: progress.announced || changed > 0,
    counts: addCounts(progress.counts, {
      ...applied,
      pages: mapped.pages,
      listed: sizeOf(mapped),
      skipped: mapped.skipped,
      problems: mapped.problems.length,
    }),
  }
}

/**
 * Stores pages in one transaction. The first change of a run also writes `sync/started` to the change log, in
 * the position before it; a run without changes, like most, writes no event.
 * @throws LeaseLostError, StorageLimitError; nothing is stored then
 */
export const storePages = async (run: ResourceRun, mapped: MappedPages): Promise<void> => {
  const { progress, owner, lease } = run
  const { records, tombstones, remaining } = mapped
  // A last page without records leaves nothing to store: most polls have no other.
  if (sizeOf(mapped) === 0 && remaining.length === 0) {
    run.progress = advance(progress, mapped, NO_CHANGES)
    return
  }
  run.progress = await transact(run, async (transaction) => {
    const unannounced = !progress.announced && sizeOf(mapped) > 0
    // Lock first: reserving a position may assign the transaction id, and ids order the log.
    if (unannounced) await lockRecords(transaction, owner.credentialId, resourceOf(run))
    const position = unannounced ? await reserveLogPosition(transaction) : undefined
    const accept = progress.listing === 'everything' ? 'all' : 'newer'
    const requestedAt = databaseTime(run, mapped.requestedMs)
    const listed = progress.first ? byId(records) : records
    const options = { accept, requestedAt } as const
    const stored = await applyAll(transaction, owner, resourceOf(run), listed, options)
    const marked = await applyTombstones(transaction, owner, resourceOf(run), tombstones)
    const applied = { ...stored, deleted: stored.deleted + marked }
    if (tracksSeenRecords(run) && records.length > 0)
      await addSeenRecords(
        transaction,
        lease.key,
        records.map(({ id }) => id),
      )
    const changed = applied.created + applied.updated + applied.deleted
    if (position !== undefined && changed > 0)
      await appendSyncEvent(transaction, run, 'started', {}, position)
    const advanced = advance(progress, mapped, applied)
    const totals = await saveProgress(transaction, lease, advanced)
    if (progress.reconciliationId !== undefined)
      await addDifferences(transaction, lease.key, progress.reconciliationId, applied)
    checkStorage(totals, run.context.limits, { created: applied.created, changed })
    return advanced
  })
  run.advanced = true
}
