/** The listings of CRM objects, which are the same for every type. */
import {
  isAbsent,
  type Pager,
  type ReadMany,
  type ResourceWriter,
} from '../../definition/connector.ts'
import { asDeleted, mapRecords, passes } from '../../definition/paging/compose.ts'
import { cursorPages } from '../../definition/paging/cursor.ts'
import { keysetPages } from '../../definition/paging/keyset.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import type { SyncDefinition } from '../../definition/sync.ts'
import {
  associatedPages,
  BATCH_SIZE,
  batchRecords,
  batchRequest,
  readLinked,
} from './associated-pages.ts'
import { crmPath, type ObjectType } from './object-type.ts'
import { propertyNames } from './portal.ts'
import { listedLinks, mergedIds, resultsOf, shownRecord } from './record.ts'

const PAGE_SIZE = 100 // maximum of a listing

// Servers refuse longer addresses (NOTES "properties are named").
const MAX_PATH = 8_000

/** The parameters that select what a record contains. */
const selection = (type: ObjectType, context: unknown) => ({
  properties: propertyNames(type, context).join(','),
  associations: Object.keys(type.links).join(',') || undefined,
})

const listPath = (
  type: ObjectType,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string => withQuery(crmPath('objects', type.name), { limit: PAGE_SIZE, ...parameters })

const next = 'paging.next.after'

/** All records, with their properties and associations. */
const recordPages = (type: ObjectType, context: unknown): Pager =>
  cursorPages({
    request: ({ after }) => ({
      method: 'GET',
      path: listPath(type, { ...selection(type, context), after }),
    }),
    records: ({ body }) => {
      const records = resultsOf(body).map((raw) =>
        shownRecord(type, raw, listedLinks(type, raw.associations), context),
      )
      return { records, deleted: mergedIds(records) }
    },
    next,
  })

/** The ids of all records, or of the archived ones. */
const idPages = (type: ObjectType, archived = false): Pager =>
  cursorPages({
    request: ({ after }) => ({ method: 'GET', path: listPath(type, { archived, after }) }),
    records: ({ body }) => ({ records: resultsOf(body).map(({ id }) => id) }),
    next,
  })

/** Archived records, which are reported as deleted. */
const archivedPages = (type: ObjectType): Pager =>
  asDeleted(idPages(type, true), (id) => [String(id)])

/**
 * The ids of the records that have changed since a time. Each page is a search of its own, from the last id of the
 * previous page: it never reaches the 10,000 results that a search returns at most, also if more have the same time
 * (NOTES "a search ends at 10,000").
 */
const changedIds = (type: ObjectType, since: string): Pager => {
  const changed = {
    propertyName: type.modified,
    operator: 'GTE',
    value: String(Date.parse(since)),
  }
  const found = keysetPages({
    key: 'id',
    request: ({ after }) => ({
      method: 'POST',
      path: crmPath('objects', type.name, 'search'),
      read: true,
      body: {
        filterGroups: [
          {
            filters: [
              changed,
              ...(after === undefined
                ? []
                : [{ propertyName: 'hs_object_id', operator: 'GT', value: after }]),
            ],
          },
        ],
        sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
        properties: ['hs_object_id'],
        limit: BATCH_SIZE,
      },
    }),
    records: ({ body }) => ({ records: resultsOf(body) }),
    isLast: (_, { count }) => count < BATCH_SIZE,
  })
  return mapRecords(found, (record) => [valuesOf(record).id])
}

const hasShortPath = (type: ObjectType, context: unknown): boolean =>
  listPath(type, selection(type, context)).length <= MAX_PATH

/** The listing of a type: all records and the archived ones, or those that have changed. */
export const pagesOf = (type: ObjectType): Pager =>
  passes(({ since, context }) => {
    if (since !== undefined) return { changed: associatedPages(type, changedIds(type, since)) }
    return {
      active: hasShortPath(type, context)
        ? recordPages(type, context)
        : associatedPages(type, idPages(type)),
      archived: archivedPages(type),
    }
  })

/** Several records by id, of a type without associations: HubSpot returns those in requests of their own. */
export const readManyOf = (type: ObjectType): ReadMany => ({
  maxIds: BATCH_SIZE,
  request: (ids, context) => batchRequest(type, ids, context),
  read: ({ body }, context) => batchRecords(type, body, {}, context),
})

/** Reads one record. A record that was merged into another has its id, and is not returned. */
export const getOf = (type: ObjectType): ResourceWriter['get'] =>
  function* (remoteId, _stored, context) {
    const path = withQuery(crmPath('objects', type.name, remoteId), selection(type, context))
    if (path.length > MAX_PATH) {
      const found = yield* readLinked(type, [remoteId], context)
      return found.find(({ id }) => id === remoteId)
    }
    try {
      const { body } = yield { method: 'GET', path }
      const { id, associations } = valuesOf(body)
      return id === remoteId
        ? shownRecord(type, body, listedLinks(type, associations), context)
        : undefined
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

/** NOTES "the search lags", "deletions", "associations do not move the time". */
export const sync: SyncDefinition = {
  changes: { by: 'time', overlapMs: 5 * 60_000 },
  deletions: 'compared',
  fullListingEveryMs: 24 * 3_600_000,
}
