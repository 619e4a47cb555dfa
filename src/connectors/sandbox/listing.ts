/** The pages of a collection of the sandbox. */
import type { Pager } from '../../definition/connector.ts'
import { cursorPages } from '../../definition/paging/cursor.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { isObject } from '../../definition/value.ts'

const PAGE_SIZE = 250 // maximum of the sandbox
const BEGINNING = '1970-01-01T00:00:00.000Z'

/** The pages of the collection `kind`. */
export const pagesOf = (kind: string): Pager =>
  cursorPages({
    request: ({ since = BEGINNING, after }) => ({
      method: 'GET',
      // NOTES "Without `modified_since`, deleted records are left out".
      path: withQuery(`/v1/${kind}`, { modified_since: since, limit: PAGE_SIZE, after }),
    }),
    records: 'items',
    next: ({ body }) => {
      const { next } = isObject(body) ? body : {}
      if (typeof next === 'string' || next === null) return next
      throw new Error('The sandbox returned a page with items but without next.')
    },
  })
