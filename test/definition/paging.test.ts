/** The paging kit against a small app in memory whose records change between the pages. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AppRequest, AppResponse, Json } from '../../src/definition/connector.ts'
import { fetchTraced, passes, readAll, readByIds } from '../../src/definition/paging/compose.ts'
import { cursorPages, linkedPages } from '../../src/definition/paging/cursor.ts'
import { keysetPages } from '../../src/definition/paging/keyset.ts'
import { numberedPages, offsetPages } from '../../src/definition/paging/offset.ts'
import { nextCursorsOf, singlePage, withQuery } from '../../src/definition/paging/pager.ts'
import { driveSteps } from '../support/steps.ts'
import {
  type App,
  anyChange,
  anyIds,
  apply,
  appOf,
  type Case,
  type Change,
  cases,
  compareTexts,
  get,
  idOf,
  listMissedIds,
  parametersOf,
  readMany,
  respond,
} from './paged-app.ts'

/** Lists an app, with changes before each page. The cursor is stored as JSON in between. */
const list = (
  { pager, serve }: Case,
  app: App,
  changes: readonly (readonly Change[])[] = [],
  start?: Json,
) => {
  const records: unknown[] = []
  const cursors = [start]
  for (let page = 0; page < 400; page += 1) {
    const position = { since: undefined, cursor: cursors.shift() }
    const request = pager.listRequest(position)
    const read = pager.readList(serve(app, request), position)
    records.push(...read.records)
    cursors.unshift(...JSON.parse(JSON.stringify(nextCursorsOf(read))))
    if (cursors.length === 0) return { records, pages: page + 1 }
    for (const change of changes[page] ?? []) apply(app, change)
  }
  throw new Error('The listing has no end.')
}

describe.each(Object.entries(cases))('pages %s', (_name, paged) => {
  test('miss no record that exists throughout, and end', () => {
    fc.assert(
      fc.property(
        anyIds,
        fc.array(fc.array(anyChange, { maxLength: 6, size: 'max' }), {
          maxLength: 12,
          size: 'max',
        }),
        (ids, changes) => {
          const { records } = list(paged, appOf(ids), changes)
          expect(listMissedIds(records, ids, changes.flat())).toEqual([])
        },
      ),
      { numRuns: 100 },
    )
  })

  test('return each record, and hardly any twice, if nothing changes', () => {
    const ids = Array.from({ length: 25 }, (_, index) => index)
    const { records, pages } = list(paged, appOf(ids))
    const listed = records.map((record) => Object(record).id)
    expect([...new Set(listed)].sort(compareTexts)).toEqual(ids.map(idOf))
    // A numbered page may start some records before the end of the previous one.
    expect(listed.length - ids.length).toBeLessThan(2)
    expect(pages).toBeGreaterThan(1)
  })

  test.each<[Json]>([
    ['text'],
    [7],
    [['x']],
    [{ pass: 'removed', at: { key: '0020' } }],
    [{ offset: 'x', known: 3, after: { a: 1 }, link: 4, ids: 'x' }],
  ])('start again at a cursor that they do not know: %j', (cursor) => {
    const ids = Array.from({ length: 12 }, (_, index) => index)
    const { records } = list(paged, appOf(ids), [], cursor)
    expect(new Set(records.map((record) => Object(record).id)).size).toBe(12)
  })
})

test('a million records with one time do not make a listing by time and id loop', () => {
  const COUNT = 1_000_000
  const SIZE = 20_000
  const pager = keysetPages<readonly [number, number]>({
    key: (row) => [Object(row).updated, Object(row).id],
    records: 'items',
    request: ({ after }) => get('/rows', { after: after?.[1] }),
  })
  let listed = 0
  let pages = 0
  for (let cursor: Json | undefined; ; pages += 1) {
    const position = { since: '2026-03-01T12:00:00.000Z', cursor }
    const first = Number(parametersOf(pager.listRequest(position)).get('after') ?? 0) + 1
    const length = Math.min(SIZE, COUNT - first + 1)
    const items = Array.from({ length }, (_, index) => ({ id: first + index, updated: 1 }))
    const { records, next } = pager.readList(respond({ items }), position)
    listed += records.length
    if (next === undefined) break
    cursor = next
  }
  expect({ listed, pages }).toEqual({ listed: COUNT, pages: COUNT / SIZE })
})

test('a listing by a key that repeats fails in place of looping', () => {
  const pager = keysetPages<number>({
    key: 'updated',
    records: 'items',
    request: ({ after }) => get('/rows', { after }),
  })
  const page = respond({ items: [{ updated: 1 }, { updated: 1 }] })
  const { next } = pager.readList(page, { since: undefined, cursor: undefined })
  expect(() => pager.readList(page, { since: undefined, cursor: next })).toThrow(
    'ends with the key',
  )
})

test('a page size that leaves no room for progress is rejected', () => {
  const facts = { id: 'id', records: 'items', request: () => get('/rows') }
  expect(() => offsetPages({ ...facts, size: 1 })).toThrow(RangeError)
  expect(() => numberedPages({ ...facts, size: 19 })).toThrow(RangeError)
})

test('after a large deletion, few pages are read twice', () => {
  const app = appOf(Array.from({ length: 60 }, (_, index) => index))
  const deletions = Array.from(
    { length: 24 },
    (_, index): Change => ({ kind: 'delete', at: index }),
  )
  const { pages } = list(cases['by offset with a total'] as Case, app, [
    [],
    [],
    [],
    [],
    [],
    [],
    [],
    [],
    deletions,
  ])
  expect(pages).toBeLessThan(30)
})

test('a page without its list is an error, not an empty page', () => {
  const position = { since: undefined, cursor: undefined }
  for (const [name, { pager }] of Object.entries(cases))
    expect(() => pager.readList(respond({ error: 'down' }), position), name).toThrow()
})

test('the request gets the position of its page, and the engine the token of the last page', () => {
  const token = 'sync-7'
  const pager = passes(() => ({
    first: singlePage({ records: 'items', request: ({ since }) => get('/first', { since }) }),
    last: cursorPages({
      records: ({ body }) => ({ records: Object(body).items, token }),
      next: 'next',
      request: ({ since }) => get('/last', { since }),
    }),
  }))
  const since = '2026-03-01T12:00:00.000Z'
  const first = pager.readList(respond({ items: [1] }), { since, cursor: undefined })
  expect(first).toEqual({ records: [1], next: { pass: 'last' } })
  const position = { since, cursor: first.next }
  expect(pager.listRequest(position).path).toBe(withQuery('/last', { since }))
  const last = pager.readList(respond({ items: [2], next: null }), position)
  expect(last).toEqual({ records: [2], next: undefined, token })
})

test('a token of an earlier page is returned with the last page', () => {
  const feed = cursorPages({
    records: ({ body }) => {
      const { ids, token } = Object(body)
      return { records: ids, ...(token && { token }) }
    },
    next: 'next',
    request: ({ after }) => get('/feed', { after }),
  })
  const pager = passes(() => ({
    changed: fetchTraced(feed, (id) => [String(id)], readMany),
    others: singlePage({ records: 'items', request: () => get('/others') }),
  }))
  const app = appOf([1, 2, 3])
  const serve = (request: AppRequest): AppResponse => {
    if (request.path === '/feed') return respond({ ids: ['0001'], next: 'b' })
    if (request.path === '/feed?after=b')
      return respond({ ids: ['0001', '0002', '0003'], token: 'sync-8' })
    const ids = parametersOf(request).get('ids')?.split(',') ?? []
    return respond({ items: ids.map((id) => app.rows.get(id)) })
  }
  const pages: unknown[] = []
  for (let cursor: Json | undefined; ; ) {
    const position = { since: undefined, cursor }
    const { next, ...page } = pager.readList(serve(pager.listRequest(position)), position)
    pages.push(page)
    if (next === undefined) break
    cursor = JSON.parse(JSON.stringify(next)) as Json
  }
  expect(pages).toMatchObject([
    { records: [] },
    { records: [{ id: '0001' }] },
    { records: [] },
    { records: [{ id: '0001' }, { id: '0002' }] },
    { records: [{ id: '0003' }] },
    { records: [], token: 'sync-8' },
  ])
  expect(pages.filter((page) => 'token' in Object(page))).toHaveLength(1)
})

test.each([
  ['/rows?api_key=abc&after=7&api%5Fkey=def', '/rows?after=7'],
  ['https://app.example/rows?after=a%26b&api_key=abc', 'https://app.example/rows?after=a%26b'],
  ['/rows/7', '/rows/7'],
])('a stored link has no secret parameters: %s', (nextUrl, link) => {
  const pager = linkedPages({
    records: 'items',
    next: 'nextUrl',
    secretParameters: ['api_key'],
    request: () => get('/rows'),
  })
  const { next } = pager.readList(respond({ items: [], nextUrl }), {
    since: undefined,
    cursor: undefined,
  })
  expect(next).toEqual({ link })
})

test('steps read a whole listing, and records by id in batches', async () => {
  const { pager, serve } = cases['by id'] as Case
  const app = appOf([1, 2, 3, 4, 5, 6])
  const records = await driveSteps(readAll(pager), (request) => serve(app, request))
  expect(records).toHaveLength(6)
  const paths: string[] = []
  const found = await driveSteps(readByIds(readMany, ['0001', '0009', '0003']), (request) => {
    paths.push(request.path)
    const ids = parametersOf(request).get('ids')?.split(',') ?? []
    return respond({ items: ids.flatMap((id) => app.rows.get(id) ?? []) })
  })
  expect(paths).toEqual(['/rows?ids=0001%2C0009', '/rows?ids=0003'])
  expect(found).toMatchObject([{ id: '0001' }, { id: '0003' }])
})
