/**
 * Compares the number of records in the app with that in the store, to find records that appear or disappear
 * without a trace in listings of changes.
 *
 * The app may count a constant number of records that its listings do not show. The difference, the app's count minus
 * the store's, is therefore unknown at first. Each run narrows its bounds:
 * - A count after the listing gives an upper bound. The app counts at least the records that are stored at that time;
 *   records that have arrived since the listing make its count larger, never smaller.
 * - A count before the listing gives a lower bound. All records that it includes are stored after the listing.
 *
 * The bounds contradict each other only if records appeared or disappeared silently; then a full listing is due.
 * Records that arrive while a run lists and counts may hide this until the next run. If as many records appear as
 * disappear silently between two runs, the counts do not show it.
 */
import { malformedResponse } from '../outbound/malformed-response.ts'
import { countStored } from '../store/sync/seen-records.ts'
import type { RemoteCounting, StoredCount } from '../store/sync/sync-state.ts'
import { appClientOf, databaseTime, type ResourceRun, resourceOf } from './active-run.ts'

/** The counts of one run. */
export interface RunCounts {
  /** Remote counts before the listing, each with the number of stored records that the app may have counted. */
  readonly before: readonly { readonly count: number; readonly possible: number }[]
  readonly after: RemoteCounting
  /** Stored records that the app must have counted in `after`. */
  readonly present: number
}

/**
 * Narrows the bounds of the difference by the counts of one run.
 * @param known the bounds so far; null: this run has listed everything
 * @returns null if the bounds contradict each other: a full listing is due
 */
export const narrowBounds = (
  known: Pick<StoredCount, 'low' | 'high'> | null,
  { before, after, present }: RunCounts,
): StoredCount | null => {
  const least = Math.max(
    known?.low ?? Number.NEGATIVE_INFINITY,
    ...before.map(({ count, possible }) => count - possible),
  )
  const difference = after.count - present
  const high = Math.min(known?.high ?? Number.POSITIVE_INFINITY, difference)
  if (least > high) return null
  const low = Number.isFinite(least) ? least : null
  return { ...after, low, high, isExact: low === high && difference === high }
}

/** @throws AppError */
const readRemoteCount = async (
  run: ResourceRun,
  signal: AbortSignal,
): Promise<RemoteCounting | undefined> => {
  const { connector, credential, resource } = run
  const { remoteCount } = resource.sync
  if (!remoteCount) return
  const request = { ...remoteCount.request, read: true } as const
  const countedAt = databaseTime(run, performance.now())
  const response = await appClientOf(run).send(connector, credential, request, signal)
  try {
    return { count: remoteCount.read(response), countedAt }
  } catch {
    throw malformedResponse(
      connector,
      { request, response },
      'the response is not a number of records',
    )
  }
}

/**
 * Counts the app's records before a listing of changes, while the bounds are not exact. Otherwise the count after
 * the previous run is sufficient. @throws AppError
 */
export const countBeforeListing = async (run: ResourceRun, signal: AbortSignal): Promise<void> => {
  const { state, progress } = run
  const isStart = progress.stage === 'listing' && progress.pass === 1 && progress.counts.pages === 0
  if (!state.remoteCount || state.remoteCount.isExact || progress.listing === 'everything') return
  if (!isStart || progress.countBefore) return
  const countBefore = await readRemoteCount(run, signal)
  if (countBefore) run.progress = { ...progress, countBefore }
}

/** Counts the app's records after a run. @throws AppError */
export const compareRemoteCount = async (
  run: ResourceRun,
  signal: AbortSignal,
): Promise<{ readonly remoteCount: StoredCount | null; readonly isFullListingDue: boolean }> => {
  const { context, lease, state, progress } = run
  const after = await readRemoteCount(run, signal)
  if (!after) return { remoteCount: null, isFullListingDue: false }
  const countings = [state.remoteCount, progress.countBefore].filter((counting) => counting != null)
  const { present, possible } = await countStored(context.database, lease.key, resourceOf(run), {
    countedAt: after.countedAt,
    before: countings.map(({ countedAt }) => countedAt),
  })
  const before = countings.map(({ count }, index) => ({ count, possible: possible[index] ?? 0 }))
  const known = progress.listing === 'everything' ? null : state.remoteCount
  const remoteCount = narrowBounds(known, { before, after, present })
  return { remoteCount, isFullListingDue: remoteCount === null }
}
