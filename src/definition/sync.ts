/** How a resource is synchronized: how a run finds changes and deletions, and how often it lists everything. */
import type { AppRequest, AppResponse } from './steps.ts'

/** How a run finds what has changed since the previous run. */
export type ChangeDetection =
  /** The listing is filtered by the time of the last change, `ListPosition.since`. */
  | {
      readonly by: 'time'
      /**
       * How long after its timestamp a change may appear in the listing: the lag of a search index, the duration
       * of a transaction, and the resolution of the timestamps. Each listing starts that much earlier.
       */
      readonly overlapMs: number
    }
  /**
   * The last page of each listing has a token (`ListPage.token`) for the start of the next listing of changes
   * (`ListPosition.token`): a delta link, a sync token, or the time until which a feed was read.
   */
  | { readonly by: 'token' }
  /** The app lists no changes: every run lists all records. While a feed reports the changes, only full listings run. */
  | { readonly by: 'full-listing' }

/** A count of the app's records. */
export interface RemoteCount {
  readonly request: AppRequest
  /** @throws Error if the response has an unexpected form */
  read(response: AppResponse): number
}

/** The sync behaviour of a resource. */
export interface SyncDefinition {
  readonly changes: ChangeDetection
  /**
   * `reported`: every deletion appears in a listing, as a record that is marked as deleted or as an id in
   * `ListPage.deleted`, or in a feed · `compared`: records that a full listing does not return are deleted. Its listings may
   * report some deletions too. After a change of the account, both compare.
   */
  readonly deletions: 'reported' | 'compared'
  /** From one full listing to the next; absent: the first is the only one. */
  readonly fullListingEveryMs?: number
  /**
   * Counts the app's records, if the app offers a cheap count that contains exactly the records of a full listing.
   * It is sent after each run. A full listing follows if records have appeared or disappeared that listings of
   * changes do not show.
   */
  readonly remoteCount?: RemoteCount
}

const problemOf = ({ changes, ...sync }: SyncDefinition, hasFeed: boolean): string | undefined => {
  const isFullListing = changes.by === 'full-listing' && !hasFeed
  if (changes.by === 'time' && !(changes.overlapMs >= 0 && Number.isFinite(changes.overlapMs)))
    return 'overlapMs must be a number of milliseconds, 0 or more'
  if (sync.fullListingEveryMs !== undefined && !(sync.fullListingEveryMs >= 0))
    return 'fullListingEveryMs must be a number of milliseconds, 0 or more'
  if (isFullListing && (sync.fullListingEveryMs !== undefined || sync.remoteCount !== undefined))
    return 'every run is a full listing, so leave out fullListingEveryMs and remoteCount'
  if (!isFullListing && sync.deletions === 'compared' && sync.fullListingEveryMs === undefined)
    return 'only a full listing finds the deletions, so fullListingEveryMs is required'
  if (sync.remoteCount && sync.deletions !== 'compared')
    return 'remoteCount finds unreported deletions, so deletions must be "compared"'
  return
}

/**
 * Checks the sync behaviour of a resource.
 * @param hasFeed whether a feed reports its changes
 * @throws TypeError that names the resource and the contradiction
 */
export const checkSync = (name: string, sync: SyncDefinition, hasFeed = false): void => {
  const problem = problemOf(sync, hasFeed)
  if (problem !== undefined) throw new TypeError(`The sync of ${name}: ${problem}.`)
}
