/** The fake app, listed in windows of the time of creation, several at the same time. */
import { keysetPages } from '../../src/definition/paging/keyset.ts'
import { withQuery } from '../../src/definition/paging/pager.ts'
import { windowPages } from '../../src/definition/paging/partitions.ts'
import type { FakeApp } from '../support/fake-app.ts'

const DAY_MS = 24 * 3600_000
const BEGINNING = '2025-01-01T00:00:00.000Z'

/** The maximum number of records in one window. */
export const MAX_RECORDS_PER_WINDOW = 50

/** The pager of the app. */
export const windows = windowPages({
  beginning: BEGINNING,
  max: MAX_RECORDS_PER_WINDOW,
  total: 'rest',
  pagerOf: ({ from, to }) =>
    keysetPages({
      key: 'id',
      records: 'data',
      request: ({ since, after }) => ({
        method: 'GET',
        path: withQuery('/accounts', { since, from, to, cursor: after }),
      }),
      isLast: ({ body }, { count }) => Object(body).rest <= count,
    }),
})

/** Creates `count` records in the course of a year, and lists them in windows. */
export const fillWindows = (app: FakeApp, count: number): void => {
  const stepMs = Math.floor((365 * DAY_MS) / count)
  for (let id = 1; id <= count; id++)
    app.put(String(id), {
      createdAt: new Date(Date.parse(BEGINNING) + id * stepMs).toISOString(),
    })
  app.settings.page = (query) => {
    const after = Number(query.get('cursor') ?? 0)
    const [since = '', from = '', to = '9'] = ['since', 'from', 'to'].map(
      (name) => query.get(name) ?? undefined,
    )
    const rest = [...app.rows.values()]
      .filter((row) => row.updatedAt >= since && row.createdAt >= from && row.createdAt < to)
      .filter(({ id }) => Number(id) > after)
      .sort((a, b) => Number(a.id) - Number(b.id))
    return { data: rest.slice(0, app.settings.pageSize), rest: rest.length }
  }
}
