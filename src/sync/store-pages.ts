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
  type RecordOwner,
} from '../store/records/apply-changes.ts'
import type { RecordLine } from '../store/records/record-lines.ts'
import { addSeenRecords } from '../store/sync/seen-records.ts'
import { type RunProgress, saveProgress } from '../store/sync/sync-state.ts'
import { type ActiveRun, addCounts, appendSyncEvent, resourceOf, transact } from './active-run.ts'
import { laterOf, type MappedPages } from './map-pages.ts'
import { checkStorage } from './storage-limits.ts'

const applyAll = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  records: readonly RecordLine[],
  options: ApplyOptions,
): Promise<AppliedChanges> => {
  const total = { created: 0, updated: 0, deleted: 0 }
  for (let start = 0; start < records.length; start += MAX_BATCH) {
    const batch = records.slice(start, start + MAX_BATCH)
    const applied = await applyChanges(transaction, owner, resource, batch, options)
    total.created += applied.created
    total.updated += applied.updated
    total.deleted += applied.deleted
  }
  return total
}

// How much a clock that is being corrected gains or loses, in seconds per second: twice NTP's limit.
const MAX_DRIFT = 0.001

/** Converts a time by `performance.now()` to the database's clock; the result is never too late. */
const databaseTime = ({ state, acquiredMs }: ActiveRun, steadyMs: number): string =>
  new Date(Date.parse(state.now) + (steadyMs - acquiredMs) * (1 - MAX_DRIFT)).toISOString()

/** Whether the run saves which records it saw, to detect missing ones. A first listing has none to miss. */
const tracksSeenRecords = ({ progress, resource }: ActiveRun): boolean =>
  progress.listing === 'everything' && !progress.first && resource.sync.deletions === 'absent'

/**
 * Stores pages in one transaction. The first change of a run also writes `sync/started` to the change log, in
 * the position before it; a run without changes, like most, writes no event.
 * @throws LeaseLostError, StorageLimitError; nothing is stored then
 */
export const storePages = async (run: ActiveRun, mapped: MappedPages): Promise<void> => {
  const { progress, owner, lease } = run
  const { records, next } = mapped
  run.progress = await transact(run, async (transaction) => {
    const unannounced = !progress.announced && records.length > 0
    // Lock first: reserving a position may assign the transaction id, and ids order the log.
    if (unannounced) await lockRecords(transaction, owner.credentialId, resourceOf(run))
    const position = unannounced ? await reserveLogPosition(transaction) : undefined
    const accept = progress.listing === 'everything' ? 'all' : 'newer'
    const requestedAt = databaseTime(run, mapped.requestedMs)
    const applied = await applyAll(transaction, owner, resourceOf(run), records, {
      accept,
      requestedAt,
    })
    if (tracksSeenRecords(run) && records.length > 0)
      await addSeenRecords(
        transaction,
        lease.key,
        records.map(({ id }) => id),
      )
    const changed = applied.created + applied.updated + applied.deleted
    if (position !== undefined && changed > 0)
      await appendSyncEvent(transaction, run, 'started', {}, position)
    const advanced: RunProgress = {
      ...progress,
      stage: next === undefined ? 'settling' : 'listing',
      cursor: next === undefined ? null : JSON.stringify(next),
      appTime: progress.counts.pages === 0 ? (mapped.appTime ?? null) : progress.appTime,
      newest: laterOf(progress.newest, mapped.newest),
      announced: progress.announced || changed > 0,
      counts: addCounts(progress.counts, {
        ...applied,
        pages: mapped.pages,
        listed: records.length,
        skipped: mapped.skipped,
        problems: mapped.problems.length,
      }),
    }
    const totals = await saveProgress(transaction, lease, advanced)
    checkStorage(totals, run.context.limits, { created: applied.created, changed })
    return advanced
  })
  run.advanced = true
}
