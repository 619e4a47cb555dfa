import type { Pager } from '../../src/definition/connector.ts'
import { passes } from '../../src/definition/paging/compose.ts'
import { keysetPages } from '../../src/definition/paging/keyset.ts'
import { windowPages } from '../../src/definition/paging/partitions.ts'

/** A search that returns at most 10,000 of the records that match. */
const search = (filter: Readonly<Record<string, string | null>>): Pager =>
  keysetPages({
    key: 'id',
    records: 'results',
    request: ({ after }) => ({
      method: 'POST',
      path: '/contacts/search',
      read: true,
      body: { ...filter, idAfter: after ?? null, sort: 'id', limit: 200 },
    }),
  })

export const contacts = passes(({ since }) =>
  since === undefined
    ? {
        all: windowPages({
          beginning: '2006-01-01T00:00:00.000Z',
          max: 9_000,
          total: 'total',
          pagerOf: ({ from, to }) => search({ createdFrom: from, createdBefore: to }),
        }),
      }
    : { changed: search({ updatedFrom: since }) },
)
