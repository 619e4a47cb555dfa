/** What a run lists, and where the next one starts. Pure functions. */
import type { SyncDefinition } from '../definition/sync.ts'
import type { RunProgress, SyncCounts, SyncState } from '../store/sync/sync-state.ts'

const noCounts: SyncCounts = {
  pages: 0,
  listed: 0,
  skipped: 0,
  problems: 0,
  created: 0,
  updated: 0,
  deleted: 0,
}

/** Whether the state has the time or token at which a listing of changes starts: not before the first run and after a resync. */
const hasStart = ({ since, token }: SyncState, { changes }: SyncDefinition): boolean =>
  changes.by === 'time' ? since !== null : changes.by === 'token' && token !== null

/**
 * A new run: a full listing if there was none yet, if one is due, if a reconciliation was requested, or if no listing of
 * changes is possible.
 */
export const planRun = (state: SyncState, sync: SyncDefinition): RunProgress => {
  const { fullListingAgeMs, reconciliationId } = state
  const first = fullListingAgeMs === null
  const isDue = first || fullListingAgeMs >= (sync.fullListingEveryMs ?? Infinity)
  const isFullListing = isDue || reconciliationId !== null || !hasStart(state, sync)
  return {
    listing: isFullListing ? 'everything' : 'changes',
    first,
    startedAt: state.now,
    stage: 'listing',
    pass: 1,
    since: isFullListing ? null : state.since,
    token: isFullListing ? null : state.token,
    cursor: null,
    appTime: null,
    newest: null,
    // The first listing is announced before its first record, later ones with their first change.
    announced: first,
    ...(reconciliationId !== null && { reconciliationId }),
    counts: noCounts,
  }
}

/** The time from the end of a run to the next full listing; infinite: none is planned. */
export const nextFullListingMs = (
  { fullListingAgeMs }: Pick<SyncState, 'fullListingAgeMs'>,
  { listing }: Pick<RunProgress, 'listing'>,
  { fullListingEveryMs = Infinity }: SyncDefinition,
): number => fullListingEveryMs - (listing === 'everything' ? 0 : (fullListingAgeMs ?? 0))

/** The same run after the app has rejected its token or cursor: it lists everything, from the beginning. */
export const restartRun = (progress: RunProgress): RunProgress => ({
  ...progress,
  listing: 'everything',
  expired: true,
  stage: 'listing',
  pass: 1,
  since: null,
  token: null,
  nextToken: null,
  cursor: null,
  partitions: [],
})

// The rate at which a clock gains or loses time while it is corrected: twice NTP's limit of 500 ppm.
export const MAX_DRIFT = 0.001

/**
 * The start of the next listing by time: the position of this run, minus the overlap. The position is a time by the
 * clock that dates the app's records, and every change that the run missed has a later date, apart from the overlap.
 *
 * - It is the date of the newest record seen, or the previous position plus the time since then if that is later. So it
 *   advances while nothing changes, even if the clock that dates records differs from the one that dates responses.
 * - It is never later than the start of the run by the app's clock, because records change while a listing runs, and
 *   some have a date in the future.
 */
export const nextSince = (
  { since, completedAt }: Pick<SyncState, 'since' | 'completedAt'>,
  { appTime, startedAt, newest }: Pick<RunProgress, 'appTime' | 'startedAt' | 'newest'>,
  overlapMs: number,
): string => {
  // Without a date in the app's responses, the app's clock is assumed to equal the database's.
  const startMs = Date.parse(appTime ?? startedAt)
  const positions = [
    newest === null ? [] : Date.parse(newest),
    // Counted from the end of the previous run instead of its start: too early is safe, too late is not.
    since === null || completedAt === null
      ? []
      : Date.parse(since) +
        overlapMs +
        Math.max(0, Date.parse(startedAt) - Date.parse(completedAt)) * (1 - MAX_DRIFT),
  ].flat()
  // Without records there is no newest change. Start at the earlier clock: the one that dates responses may be ahead of
  // the one that dates records.
  if (positions.length === 0) positions.push(Date.parse(startedAt))
  const positionMs = Math.min(startMs, Math.max(...positions))
  return new Date(positionMs - overlapMs).toISOString()
}

/** Where the next listing of changes starts. */
export const nextStart = (
  state: SyncState,
  progress: RunProgress,
  { changes }: SyncDefinition,
) => ({
  since: changes.by === 'time' ? nextSince(state, progress, changes.overlapMs) : null,
  token: changes.by === 'token' ? (progress.nextToken ?? null) : null,
})
