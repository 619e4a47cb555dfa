/** The listing of a collection. */
import type { Pager } from '../../definition/connector.ts'
import { passes } from '../../definition/paging/compose.ts'
import { allOf } from './bulk.ts'
import { type Collection, changedSince, deletedSince } from './listing.ts'
import { wholePages } from './whole-records.ts'

/**
 * All records of a collection, or those that have changed or were deleted since a time.
 * @param changed lists the changed records. Default: by a filter of their times
 */
export const collectionPages = (
  collection: Collection,
  changed = (since: string): Pager => wholePages(changedSince(collection, since), collection),
): Pager =>
  passes(({ since }) =>
    since === undefined
      ? { all: allOf(collection) }
      : { changed: changed(since), deleted: deletedSince(collection, since) },
  )
