/** The paging kit against a small app in memory whose records change between the pages. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  AppRequest,
  AppResponse,
  Json,
  Pager,
  ReadMany,
} from '../../src/definition/connector.ts'
import {
  fetchTraced,
  mapRecords,
  passes,
  readAll,
  readByIds,
  withFirst,
} from '../../src/definition/paging/compose.ts'
import {
  cursorPages,
  header,
  linkedPages,
  linkHeader,
  relayPages,
} from '../../src/definition/paging/cursor.ts'
import { keysetPages } from '../../src/definition/paging/keyset.ts'
import { numberedPages, offsetPages } from '../../src/definition/paging/offset.ts'
import { singlePage, withQuery } from '../../src/definition/paging/pager.ts'
import { driveSteps } from '../support/steps.ts'

interface Row {
  readonly id: string
  /** A whole number, so that many rows have the same time. */
  readonly updated: number
  readonly archived: boolean
}

/** Rows by id, and the app's clock. */
interface App {
  readonly rows: Map<string, Row>
  now: number
}

type Change = { readonly kind: 'insert' | 'update' | 'delete' | 'archive'; readonly at: number }

const idOf = (at: number): string => String(at).padStart(4, '0')

const apply = (app: App, { kind, at }: Change): void => {
  const id = idOf(at)
  const row = app.rows.get(id)
  app.now += at % 3
  const updated = app.now
  if (kind === 'delete') app.rows.delete(id)
  else if (kind === 'insert') app.rows.set(id, { archived: false, ...row, id, updated })
  else if (row) app.rows.set(id, { ...row, updated, archived: row.archived || kind === 'archive' })
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const sortedById = ({ rows }: App): readonly Row[] =>
  [...rows.values()].sort((a, b) => byText(a.id, b.id))
const sortedByTime = (app: App): readonly Row[] =>
  sortedById(app).toSorted((a, b) => a.updated - b.updated)

const PAGE = 4
const respond = (body: unknown, headers: Record<string, string> = {}): AppResponse => ({
  status: 200,
  headers,
  body,
})
const get = (path: string, parameters: Parameters<typeof withQuery>[1] = {}): AppRequest => ({
  method: 'GET',
  path: withQuery(path, parameters),
})
const parametersOf = ({ path, link }: AppRequest): URLSearchParams =>
  new URL(link ?? path, 'https://app.example').searchParams
const afterId = (app: App, after: string | null): readonly Row[] =>
  sortedById(app)
    .filter(({ id }) => after === null || id > after)
    .slice(0, PAGE)

/** A pager and the app that it lists. */
interface Case {
  readonly pager: Pager
  readonly answer: (app: App, request: AppRequest) => AppResponse
}

const rangeAnswer: Case['answer'] = (app, request) => {
  const query = parametersOf(request)
  const start = Number(query.get('offset'))
  const rows = sortedById(app)
  return respond({
    items: rows.slice(start, start + Number(query.get('limit'))),
    total: rows.length,
  })
}

const readMany: ReadMany = {
  maxIds: 2,
  request: (ids) => get('/rows', { ids: ids.join(',') }),
  read: ({ body }) => Object(body).items,
}

const cases: Readonly<Record<string, Case>> = {
  'by offset': {
    pager: offsetPages({
      size: PAGE,
      id: 'id',
      records: 'items',
      request: ({ start, max }) => get('/rows', { offset: start, limit: max }),
    }),
    answer: rangeAnswer,
  },
  'by offset with a total': {
    pager: offsetPages({
      size: PAGE,
      id: 'id',
      records: 'items',
      request: ({ start, max }) => get('/rows', { offset: start, limit: max }),
      isLast: ({ body }, { start, count }) => start + count >= Object(body).total,
    }),
    answer: rangeAnswer,
  },
  'by offset in an app that sends fewer than requested': {
    pager: offsetPages({
      size: PAGE,
      id: 'id',
      records: 'items',
      request: ({ start }) => get('/rows', { offset: start, limit: 3 }),
    }),
    answer: rangeAnswer,
  },
  'by statements of a query language': {
    pager: offsetPages({
      size: PAGE,
      id: 'id',
      records: 'items',
      request: ({ start, max }) => ({
        method: 'POST',
        path: '/query',
        read: true,
        text: {
          contentType: 'application/text',
          content: `SELECT * FROM Row ORDERBY Id STARTPOSITION ${start + 1} MAXRESULTS ${max}`,
        },
      }),
      isLast: (_, { count }) => count < PAGE,
    }),
    answer: (app, { text }) => {
      const [, start, max] =
        /STARTPOSITION (\d{1,6}) MAXRESULTS (\d{1,6})/.exec(text?.content ?? '') ?? []
      const first = Number(start) - 1
      return respond({ items: sortedById(app).slice(first, first + Number(max)) })
    },
  },
  'by number': {
    pager: numberedPages({
      size: 20,
      id: 'id',
      records: 'items',
      request: ({ number, size }) => get('/rows', { page: number, per_page: size }),
    }),
    answer: (app, request) => {
      const query = parametersOf(request)
      const size = Number(query.get('per_page'))
      const start = (Number(query.get('page')) - 1) * size
      return respond({ items: sortedById(app).slice(start, start + size) })
    },
  },
  'by id': {
    pager: keysetPages({
      key: 'id',
      records: 'items',
      request: ({ after }) => get('/rows', { after }),
    }),
    answer: (app, request) => respond({ items: afterId(app, parametersOf(request).get('after')) }),
  },
  'by time and id': {
    pager: keysetPages<readonly [number, string]>({
      key: (row) => [Object(row).updated, Object(row).id],
      records: 'items',
      request: ({ after }) => get('/rows', { time: after?.[0], id: after?.[1] }),
    }),
    answer: (app, request) => {
      const query = parametersOf(request)
      const time = Number(query.get('time') ?? -1)
      const id = query.get('id') ?? ''
      const isAfter = (row: Row): boolean =>
        row.updated > time || (row.updated === time && row.id > id)
      return respond({ items: sortedByTime(app).filter(isAfter).slice(0, PAGE) })
    },
  },
  'by a cursor in the body': {
    pager: cursorPages({
      records: 'data',
      next: 'meta.next',
      request: ({ after }) => get('/rows', { after }),
    }),
    answer: (app, request) => {
      const data = afterId(app, parametersOf(request).get('after'))
      return respond({ data, meta: { next: data.length < PAGE ? null : data.at(-1)?.id } })
    },
  },
  'by a cursor in a header': {
    pager: cursorPages({
      records: '',
      next: header('x-next'),
      request: ({ after }) => get('/rows', { after }),
    }),
    answer: (app, request) => {
      const rows = afterId(app, parametersOf(request).get('after'))
      return respond(rows, rows.length < PAGE ? {} : { 'x-next': rows.at(-1)?.id ?? '' })
    },
  },
  'by a Link header': {
    pager: linkedPages({ records: '', next: linkHeader(), request: () => get('/rows') }),
    answer: (app, request) => {
      const rows = afterId(app, parametersOf(request).get('after'))
      const first = '<https://app.example/rows>; rel="first"'
      const next = `<https://app.example/rows?after=${rows.at(-1)?.id}>; title="a, b"; rel="next last"`
      return respond(rows, { link: rows.length < PAGE ? first : `${first}, ${next}` })
    },
  },
  'by nextUrl': {
    pager: linkedPages({ records: 'items', next: 'nextUrl', request: () => get('/rows') }),
    answer: (app, request) => {
      const items = afterId(app, parametersOf(request).get('after'))
      return respond({
        items,
        ...(items.length === PAGE && { nextUrl: `/rows?after=${items.at(-1)?.id}` }),
      })
    },
  },
  'of a GraphQL connection': {
    pager: relayPages({
      connection: 'data.rows',
      request: ({ after = null }) => ({
        method: 'POST',
        path: '/graphql',
        body: { after },
        read: true,
      }),
    }),
    answer: (app, { body }) => {
      const nodes = afterId(app, Object(body).after)
      const pageInfo = { hasNextPage: nodes.length === PAGE, endCursor: nodes.at(-1)?.id ?? null }
      return respond({ data: { rows: { edges: nodes.map((node) => ({ node })), pageInfo } } })
    },
  },
  'in two passes': {
    pager: passes(() =>
      Object.fromEntries(
        ['active', 'archived'].map((state) => [
          state,
          keysetPages({
            key: 'id',
            records: 'items',
            request: ({ after }) => get('/rows', { state, after }),
          }),
        ]),
      ),
    ),
    answer: (app, request) => {
      const query = parametersOf(request)
      const isWanted = ({ archived, id }: Row): boolean =>
        archived === (query.get('state') === 'archived') && id > (query.get('after') ?? '')
      return respond({ items: sortedById(app).filter(isWanted).slice(0, PAGE) })
    },
  },
  'by ids of another listing, with a value of its first page': {
    pager: withFirst(
      ({ body }) => ({ unit: Object(body).unit }),
      (first) =>
        fetchTraced(
          mapRecords(
            offsetPages({
              size: PAGE,
              id: 'id',
              records: 'items',
              request: ({ start, max }) =>
                get('/events', { offset: start, limit: max, unit: first ? undefined : 'true' }),
            }),
            (event) => [Object(event).id],
          ),
          {
            ...readMany,
            read: (response) =>
              readMany.read(response).map((row) => ({ ...Object(row), ...first })),
          },
        ),
    ),
    answer: (app, request) => {
      const ids = parametersOf(request).get('ids')?.split(',')
      if (ids) return respond({ items: ids.flatMap((id) => app.rows.get(id) ?? []) })
      return respond({
        ...Object(rangeAnswer(app, request).body),
        ...(parametersOf(request).get('unit') && { unit: 3 }),
      })
    },
  },
}

/** Lists an app, with changes before each page. The cursor is stored as JSON in between. */
const list = (
  { pager, answer }: Case,
  app: App,
  changes: readonly (readonly Change[])[] = [],
  start?: Json,
) => {
  const records: unknown[] = []
  let cursor = start
  for (let page = 0; page < 400; page += 1) {
    const position = { since: undefined, cursor }
    const request = pager.listRequest(position)
    const read = pager.readList(answer(app, request), position)
    records.push(...read.records)
    if (read.next === undefined) return { records, pages: page + 1 }
    cursor = JSON.parse(JSON.stringify(read.next)) as Json
    for (const change of changes[page] ?? []) apply(app, change)
  }
  throw new Error('The listing has no end.')
}

const appOf = (ids: readonly number[]): App => ({
  rows: new Map(
    ids.map((at) => [idOf(at), { id: idOf(at), updated: at % 5, archived: at % 4 === 0 }]),
  ),
  now: 5,
})

const place = fc.integer({ min: 0, max: 60 })
const change = fc.record({
  kind: fc.constantFrom('insert', 'update', 'delete', 'delete', 'archive' as const),
  at: place,
}) as fc.Arbitrary<Change>

describe.each(Object.entries(cases))('pages %s', (_name, paged) => {
  test('miss no record that exists throughout, and end', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(place, { minLength: 30, maxLength: 60, size: 'max' }),
        fc.array(fc.array(change, { maxLength: 6, size: 'max' }), { maxLength: 12, size: 'max' }),
        (ids, changes) => {
          const app = appOf(ids)
          const { records } = list(paged, app, changes)
          const listed = new Set(records.map((record) => Object(record).id))
          const deleted = new Set(
            changes.flat().flatMap(({ kind, at }) => (kind === 'delete' ? idOf(at) : [])),
          )
          const missed = ids.map(idOf).filter((id) => !deleted.has(id) && !listed.has(id))
          expect(missed).toEqual([])
        },
      ),
      { numRuns: 100 },
    )
  })

  test('return each record, and hardly any twice, if nothing changes', () => {
    const ids = Array.from({ length: 25 }, (_, at) => at)
    const { records, pages } = list(paged, appOf(ids))
    const listed = records.map((record) => Object(record).id)
    expect([...new Set(listed)].sort(byText)).toEqual(ids.map(idOf))
    // A numbered page may start some records before the end of the previous one.
    expect(listed.length - ids.length).toBeLessThan(2)
    expect(pages).toBeGreaterThan(2)
  })

  test.each<[Json]>([
    ['text'],
    [7],
    [['x']],
    [{ pass: 'removed', at: { key: '0020' } }],
    [{ offset: 'x', known: 3, after: { a: 1 }, link: 4, ids: 'x' }],
  ])('start again at a cursor that they do not know: %j', (cursor) => {
    const ids = Array.from({ length: 12 }, (_, at) => at)
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

test('a page size that leaves no room for progress is refused', () => {
  const facts = { id: 'id', records: 'items', request: () => get('/rows') }
  expect(() => offsetPages({ ...facts, size: 1 })).toThrow(RangeError)
  expect(() => numberedPages({ ...facts, size: 19 })).toThrow(RangeError)
})

test('after a large deletion, few pages are read twice', () => {
  const app = appOf(Array.from({ length: 60 }, (_, at) => at))
  const deletions = Array.from({ length: 24 }, (_, at): Change => ({ kind: 'delete', at }))
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

test('the position of a page reaches the request, and what a page adds reaches the engine', () => {
  const token = 'sync-7'
  const pager = passes(() => ({
    first: singlePage({ records: 'items', request: ({ since }) => get('/first', { since }) }),
    last: withFirst(
      () => ({}),
      () =>
        cursorPages({
          records: ({ body }) => ({ records: Object(body).items, token }),
          next: 'next',
          request: ({ since }) => get('/last', { since }),
        }),
    ),
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
    changed: fetchTraced(feed, readMany),
    others: singlePage({ records: 'items', request: () => get('/others') }),
  }))
  const app = appOf([1, 2, 3])
  const answer = (request: AppRequest): AppResponse => {
    if (request.path === '/feed') return respond({ ids: ['0001'], next: 'b' })
    if (request.path === '/feed?after=b')
      return respond({ ids: ['0001', '0002', '0003'], token: 'sync-8' })
    const ids = parametersOf(request).get('ids')?.split(',') ?? []
    return respond({ items: ids.map((id) => app.rows.get(id)) })
  }
  const pages: unknown[] = []
  for (let cursor: Json | undefined; ; ) {
    const position = { since: undefined, cursor }
    const { next, ...page } = pager.readList(answer(pager.listRequest(position)), position)
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
  const { pager, answer } = cases['by id'] as Case
  const app = appOf([1, 2, 3, 4, 5, 6])
  const records = await driveSteps(readAll(pager), (request) => answer(app, request))
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
