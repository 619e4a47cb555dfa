/** The pages of a collection of Template. */
import type { Pager, ReadMany } from '../../../src/definition/connector.ts'
import { cursorPages } from '../../../src/definition/paging/cursor.ts'
import { pageReader, withQuery } from '../../../src/definition/paging/pager.ts'

const PAGE_SIZE = 100 // maximum of the API

const RECORDS = 'data'

/** The listing of a collection: all records, or those changed since a time (NOTES "changes"). */
export const pagesOf = (path: string): Pager =>
  cursorPages({
    request: ({ since, after }) => ({
      method: 'GET',
      path: withQuery(path, { updated_since: since, limit: PAGE_SIZE, cursor: after }),
    }),
    records: RECORDS,
    next: 'next',
  })

/** The request for several records by their ids. */
export const readManyOf = (path: string): ReadMany => {
  const read = pageReader(RECORDS)
  return {
    maxIds: PAGE_SIZE,
    request: (ids) => ({ method: 'GET', path: withQuery(path, { ids: ids.join(',') }) }),
    read: (response) => read(response, { since: undefined, cursor: undefined }).records,
  }
}
