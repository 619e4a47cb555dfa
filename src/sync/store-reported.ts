/** Stores one page of a feed in one transaction: records of several resources, their changes, and the next cursor. */
import type { ChangeFeed, FeedPage } from '../definition/feed.ts'
import type { Resource } from '../definition/resource.ts'
import { reserveLogPosition } from '../store/changes/events.ts'
import type { Transaction } from '../store/database/database.ts'
import { lockRecords } from '../store/records/apply-changes.ts'
import { endCoverage, interruptRuns, lockStates } from '../store/sync/feeds.ts'
import { saveProgress } from '../store/sync/held-run.ts'
import type { RunProgress, SyncCounts } from '../store/sync/sync-state.ts'
import { type ActiveRun, addCounts, appendSyncEvent, databaseTime, transact } from './active-run.ts'
import { type MappedPages, sizeOf } from './map-pages.ts'
import { checkStorage } from './storage-limits.ts'
import { applyAll, applyTombstones } from './store-pages.ts'

/** The run of a feed. */
export interface FeedRun extends ActiveRun {
  readonly feed: ChangeFeed
}

/** The changes of one resource that a page reports, with their records. */
export interface ReportedRecords {
  readonly resource: Resource
  readonly mapped: MappedPages
}

/** One page of a feed, ready to be stored. */
export interface ReportedPage extends Pick<FeedPage, 'next' | 'token'> {
  readonly reported: readonly ReportedRecords[]
  /** Topics whose changes are not all stored, so that their resources are listed by themselves. */
  readonly incomplete: readonly string[]
  /** Those of them that lack a deletion. */
  readonly lacking: readonly string[]
}

const NO_COUNTS: SyncCounts = {
  pages: 0,
  listed: 0,
  skipped: 0,
  problems: 0,
  created: 0,
  updated: 0,
  deleted: 0,
}

const changesIn = ({ created, updated, deleted }: Partial<SyncCounts>): number =>
  (created ?? 0) + (updated ?? 0) + (deleted ?? 0)

/** Stores the changes of one resource; its first change of the run follows `sync/started` in the change log. */
const storeReported = async (
  transaction: Transaction,
  run: FeedRun,
  { resource, mapped }: ReportedRecords,
): Promise<SyncCounts> => {
  const { owner, progress } = run
  const { topic } = resource
  const known = progress.topics?.[topic]
  const position = known ? undefined : await reserveLogPosition(transaction)
  const { records, tombstones, skipped, problems } = mapped
  const options = { accept: 'newer', requestedAt: databaseTime(run, mapped.requestedMs) } as const
  const stored = await applyAll(transaction, owner, resource, records, options)
  const marked = await applyTombstones(transaction, owner, resource, tombstones)
  const counts = {
    ...stored,
    deleted: stored.deleted + marked,
    listed: sizeOf(mapped),
    skipped,
    problems: problems.length,
  }
  if (position !== undefined && changesIn(counts) > 0)
    await appendSyncEvent(
      transaction,
      run,
      'started',
      { resource: topic, listing: 'changes' },
      position,
    )
  // Some of these records are not stored yet, and a run of their resource may be about to store them.
  if (marked < tombstones.length) await interruptRuns(transaction, owner.credentialId, [topic])
  return addCounts(NO_COUNTS, counts)
}

const advance = (
  progress: RunProgress,
  { next, token }: ReportedPage,
  counts: ReadonlyMap<string, SyncCounts>,
): RunProgress => {
  const topics = { ...progress.topics }
  let total = addCounts(progress.counts, { pages: 1 })
  for (const [topic, added] of counts) {
    total = addCounts(total, added)
    const before = topics[topic]
    if (before || changesIn(added) > 0) topics[topic] = addCounts(before ?? NO_COUNTS, added)
  }
  return {
    ...progress,
    stage: next === undefined ? 'settling' : 'listing',
    cursor: next === undefined ? null : JSON.stringify(next),
    nextToken: next === undefined && token !== undefined ? JSON.stringify(token) : null,
    counts: total,
    topics,
  }
}

/**
 * Stores a page of a feed in one transaction.
 * @throws LeaseLostError, StorageLimitError; nothing is stored then
 */
export const storeReportedPage = async (run: FeedRun, page: ReportedPage): Promise<void> => {
  const { owner, lease, progress, feed } = run
  const { incomplete, lacking, next } = page
  const reported = page.reported
    .filter(({ mapped }) => sizeOf(mapped) > 0)
    .toSorted((a, b) => (a.resource.topic < b.resource.topic ? -1 : 1))
  // A last page without changes leaves nothing to store: most polls have no other.
  if (reported.length === 0 && incomplete.length === 0 && next === undefined) {
    run.progress = advance(progress, page, new Map())
    return
  }
  run.progress = await transact(run, async (transaction) => {
    // Lock first: reserving a position may assign the transaction id, and ids order the log.
    for (const { resource } of reported)
      await lockRecords(transaction, owner.credentialId, resource)
    const hasDeletions = reported.some(({ mapped }) => mapped.tombstones.length > 0)
    if (hasDeletions || incomplete.length > 0)
      await lockStates(transaction, owner.credentialId, [...feed.topics, lease.key.topic])
    const counts = new Map<string, SyncCounts>()
    for (const one of reported)
      counts.set(one.resource.topic, await storeReported(transaction, run, one))
    if (incomplete.length > 0)
      await endCoverage(transaction, owner.credentialId, incomplete, lacking)
    const advanced = advance(progress, page, counts)
    const totals = await saveProgress(transaction, lease, advanced)
    const created = advanced.counts.created - progress.counts.created
    const changed = changesIn(advanced.counts) - changesIn(progress.counts)
    checkStorage(totals, run.context.limits, { created, changed })
    return advanced
  })
  run.advanced = true
}
