/** Listings of the Admin API: `GET /admin/orders` returns `{ "orders": […], "count", "offset", "limit" }`. */
import type { AppRequest, Pager, ReadMany } from '../../definition/connector.ts'
import { mapRecords } from '../../definition/paging/compose.ts'
import { offsetPages } from '../../definition/paging/offset.ts'
import { listReader, withQuery } from '../../definition/paging/pager.ts'
import type { SyncDefinition } from '../../definition/sync.ts'
import { withSortedParts } from './records.ts'

/** A collection of the Admin API. */
export interface Collection {
  /** The path below `/admin`. */
  readonly path: string
  /** The list in the response. */
  readonly list: string
  /** The selected fields; `*` before a name selects all fields of a part. They include the id. */
  readonly fields: readonly string[]
}

type Filter = Readonly<Record<string, string>>

const PAGE_SIZE = 100

const MAX_IDS = 50 // about 2 kB of the URL

const pathOf = ({ path, fields }: Collection, parameters: Filter | { limit: number }): string =>
  withQuery(`/admin/${path}`, { fields: fields.join(','), order: 'id', ...parameters })

/** The records of a collection that match a filter. */
export const pagesOf = (collection: Collection, filter: Filter = {}): Pager =>
  mapRecords(
    offsetPages({
      size: PAGE_SIZE,
      // The id is the only key that never changes.
      request: ({ start, max }) => ({
        method: 'GET',
        path: pathOf(collection, { ...filter, limit: String(max), offset: String(start) }),
      }),
      records: collection.list,
      id: 'id',
      total: 'count',
    }),
    (record) => [withSortedParts(record)],
  )

/** The records of a collection that have changed since a time; without one, all records. */
export const changedSince = (collection: Collection, since: string | undefined): Pager =>
  pagesOf(collection, since === undefined ? {} : { 'updated_at[$gte]': since })

/** The records of a collection that were deleted since a time (NOTES "deleted products can be listed"). */
export const deletedSince = (collection: Collection, since: string): Pager =>
  pagesOf(collection, { 'deleted_at[$gte]': since, with_deleted: 'true' })

/** Reads records of a collection by their ids. */
export const readManyOf = (collection: Collection): ReadMany => {
  const read = listReader(collection.list)
  return {
    maxIds: MAX_IDS,
    request: (ids): AppRequest => ({
      method: 'GET',
      path: [
        pathOf(collection, { limit: MAX_IDS }),
        ...ids.map((id) => `id%5B%5D=${encodeURIComponent(id)}`),
      ].join('&'),
    }),
    read: (response) => read(response).map(withSortedParts),
  }
}

/** NOTES "changes without a trace": the full listing finds them. */
export const sync: SyncDefinition = {
  changes: { by: 'time', overlapMs: 60_000 },
  deletions: 'compared',
  fullListingEveryMs: 3_600_000,
}
