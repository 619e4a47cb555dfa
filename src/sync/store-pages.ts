/** Stores some pages: records, their changes, what was seen and the mark of the next page, or nothing of it. */
import type { Resource } from '../definition/resource.ts'
import {
  type AppliedChanges,
  type ApplyOptions,
  applyChanges,
  lockRecords,
  MAX_BATCH,
  type RecordOwner,
} from '../store/apply-changes.ts'
import type { Transaction } from '../store/database.ts'
import type { RecordLine } from '../store/record-lines.ts'
import { addSightings } from '../store/sightings.ts'
import { reserveLogPlace } from '../store/sync-events.ts'
import { type RunProgress, saveProgress } from '../store/sync-state.ts'
import { type ActiveRun, announce, raise, resourceOf, transact } from './active-run.ts'
import { laterOf, type MappedPages } from './map-pages.ts'

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

// How far a clock that is being set right goes ahead of or behind a steady one, in a second: twice NTP's limit.
const MAX_DRIFT = 0.001

/** A moment of this process since the run was taken up, by the database's clock or a little earlier. */
const databaseTime = ({ state, takenUpMs }: ActiveRun, momentMs: number): string =>
  new Date(Date.parse(state.now) + (momentMs - takenUpMs) * (1 - MAX_DRIFT)).toISOString()

/** Whether what was listed is noted, to find what was not: a first listing has nothing to miss. */
const notesSightings = ({ progress, resource }: ActiveRun): boolean =>
  progress.listing === 'everything' && !progress.first && resource.sync.deletions === 'absent'

/**
 * One transaction. A run whose beginning is not in the change log yet is announced there with its first
 * change, in a place before it: a run that finds nothing new, as most do, leaves no trace.
 * @throws LeaseLostError, and then nothing is stored
 */
export const storePages = async (run: ActiveRun, mapped: MappedPages): Promise<void> => {
  const { progress, owner, lease } = run
  const { records, next } = mapped
  run.progress = await transact(run, async (transaction) => {
    const unannounced = !progress.announced && records.length > 0
    // First the lock: the place may give the transaction its id, and ids order the log.
    if (unannounced) await lockRecords(transaction, owner.credentialId, resourceOf(run))
    const place = unannounced ? await reserveLogPlace(transaction) : undefined
    const accept = progress.listing === 'everything' ? 'all' : 'newer'
    const askedAt = databaseTime(run, mapped.askedMs)
    const applied = await applyAll(transaction, owner, resourceOf(run), records, {
      accept,
      askedAt,
    })
    if (notesSightings(run) && records.length > 0)
      await addSightings(
        transaction,
        lease.key,
        records.map(({ id }) => id),
      )
    const changed = applied.created + applied.updated + applied.deleted > 0
    if (place !== undefined && changed) await announce(transaction, run, 'started', {}, place)
    const advanced: RunProgress = {
      ...progress,
      stage: next === undefined ? 'settling' : 'listing',
      cursor: next === undefined ? null : JSON.stringify(next),
      appTime: progress.counts.pages === 0 ? (mapped.appTime ?? null) : progress.appTime,
      newest: laterOf(progress.newest, mapped.newest),
      announced: progress.announced || changed,
      counts: raise(progress.counts, {
        ...applied,
        pages: mapped.pages,
        listed: records.length,
        skipped: mapped.skipped,
        problems: mapped.problems.length,
      }),
    }
    await saveProgress(transaction, lease, advanced)
    return advanced
  })
  run.advanced = true
}
