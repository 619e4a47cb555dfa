/** Listings of every kind of pager, and the small app in memory that they list. */
import fc from 'fast-check'
import type { AppRequest, AppResponse, Pager, ReadMany } from '../../src/definition/connector.ts'
import { fetchTraced, passes } from '../../src/definition/paging/compose.ts'
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
import { partitionedPages, windowPages } from '../../src/definition/paging/partitions.ts'

export interface Row {
  readonly id: string
  /** Creation time in seconds, with several rows per second. */
  readonly created: number
  /** Time of the last change, a whole number, so that several rows have the same time. */
  readonly updated: number
  readonly archived: boolean
}

/** Rows by id, and the app's clock. */
export interface App {
  readonly rows: Map<string, Row>
  now: number
}

export type Change = {
  readonly kind: 'insert' | 'update' | 'delete' | 'archive'
  readonly at: number
}

export const idOf = (index: number): string => String(index).padStart(4, '0')

export const apply = (app: App, { kind, at }: Change): void => {
  const id = idOf(at)
  const row = app.rows.get(id)
  app.now += at % 3
  const updated = app.now
  if (kind === 'delete') app.rows.delete(id)
  else if (kind === 'insert')
    app.rows.set(id, { archived: false, created: app.now, ...row, id, updated })
  else if (row) app.rows.set(id, { ...row, updated, archived: row.archived || kind === 'archive' })
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
export const sortedById = ({ rows }: App): readonly Row[] =>
  [...rows.values()].sort((a, b) => compareTexts(a.id, b.id))
const sortedByTime = (app: App): readonly Row[] =>
  sortedById(app).toSorted((a, b) => a.updated - b.updated)

export const PAGE_SIZE = 4
// The app lists at most this many rows for one query. The last window grows.
const MAX_ROWS_PER_QUERY = 40
const MAX_ROWS_PER_WINDOW = 8
const timeOf = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
export const respond = (body: unknown, headers: Record<string, string> = {}): AppResponse => ({
  status: 200,
  headers,
  body,
})
export const get = (
  path: string,
  parameters: Parameters<typeof withQuery>[1] = {},
): AppRequest => ({
  method: 'GET',
  path: withQuery(path, parameters),
})
export const parametersOf = ({ path, link }: AppRequest): URLSearchParams =>
  new URL(link ?? path, 'https://app.example').searchParams
const afterId = (app: App, after: string | null): readonly Row[] =>
  sortedById(app)
    .filter(({ id }) => after === null || id > after)
    .slice(0, PAGE_SIZE)

/** A pager and the app that it lists. */
export interface Case {
  readonly pager: Pager
  readonly serve: (app: App, request: AppRequest) => AppResponse
}

const serveRange: Case['serve'] = (app, request) => {
  const query = parametersOf(request)
  const start = Number(query.get('offset'))
  const rows = sortedById(app)
  return respond({
    items: rows.slice(start, start + Number(query.get('limit'))),
    total: rows.length,
  })
}

export const readMany: ReadMany = {
  maxIds: 2,
  request: (ids) => get('/rows', { ids: ids.join(',') }),
  read: ({ body }) => Object(body).items,
}

export const cases: Readonly<Record<string, Case>> = {
  'by offset': {
    pager: offsetPages({
      size: PAGE_SIZE,
      id: 'id',
      records: 'items',
      request: ({ start, max }) => get('/rows', { offset: start, limit: max }),
    }),
    serve: serveRange,
  },
  'by offset with a total': {
    pager: offsetPages({
      size: PAGE_SIZE,
      id: 'id',
      records: 'items',
      request: ({ start, max }) => get('/rows', { offset: start, limit: max }),
      total: 'total',
    }),
    serve: serveRange,
  },
  'by offset in an app that sends fewer than requested': {
    pager: offsetPages({
      size: PAGE_SIZE,
      id: 'id',
      records: 'items',
      request: ({ start }) => get('/rows', { offset: start, limit: 3 }),
    }),
    serve: serveRange,
  },
  'by statements of a query language': {
    pager: offsetPages({
      size: PAGE_SIZE,
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
      isLast: (_, { count }) => count < PAGE_SIZE,
    }),
    serve: (app, { text }) => {
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
    serve: (app, request) => {
      const query = parametersOf(request)
      const size = Number(query.get('per_page'))
      const start = (Number(query.get('page')) - 1) * size
      return respond({ items: sortedById(app).slice(start, start + size) })
    },
  },
  'by number with a total': {
    pager: numberedPages({
      size: 20,
      id: 'id',
      records: 'items',
      total: 'total',
      request: ({ number, size }) => get('/rows', { page: number, per_page: size }),
    }),
    serve: (app, request) => {
      const query = parametersOf(request)
      const size = Number(query.get('per_page'))
      const start = (Number(query.get('page')) - 1) * size
      const rows = sortedById(app)
      return respond({ items: rows.slice(start, start + size), total: rows.length })
    },
  },
  'by id': {
    pager: keysetPages({
      key: 'id',
      records: 'items',
      request: ({ after }) => get('/rows', { after }),
    }),
    serve: (app, request) => respond({ items: afterId(app, parametersOf(request).get('after')) }),
  },
  'by time and id': {
    pager: keysetPages<readonly [number, string]>({
      key: (row) => [Object(row).updated, Object(row).id],
      records: 'items',
      request: ({ after }) => get('/rows', { time: after?.[0], id: after?.[1] }),
    }),
    serve: (app, request) => {
      const query = parametersOf(request)
      const time = Number(query.get('time') ?? -1)
      const id = query.get('id') ?? ''
      const isAfter = (row: Row): boolean =>
        row.updated > time || (row.updated === time && row.id > id)
      return respond({ items: sortedByTime(app).filter(isAfter).slice(0, PAGE_SIZE) })
    },
  },
  'by a cursor in the body': {
    pager: cursorPages({
      records: 'data',
      next: 'meta.next',
      request: ({ after }) => get('/rows', { after }),
    }),
    serve: (app, request) => {
      const data = afterId(app, parametersOf(request).get('after'))
      return respond({ data, meta: { next: data.length < PAGE_SIZE ? null : data.at(-1)?.id } })
    },
  },
  'by a cursor in a header': {
    pager: cursorPages({
      records: '',
      next: header('x-next'),
      request: ({ after }) => get('/rows', { after }),
    }),
    serve: (app, request) => {
      const rows = afterId(app, parametersOf(request).get('after'))
      return respond(rows, rows.length < PAGE_SIZE ? {} : { 'x-next': rows.at(-1)?.id ?? '' })
    },
  },
  'by a Link header': {
    pager: linkedPages({ records: '', next: linkHeader(), request: () => get('/rows') }),
    serve: (app, request) => {
      const rows = afterId(app, parametersOf(request).get('after'))
      const first = '<https://app.example/rows>; rel="first"'
      const next = `<https://app.example/rows?after=${rows.at(-1)?.id}>; title="a, b"; rel="next last"`
      return respond(rows, { link: rows.length < PAGE_SIZE ? first : `${first}, ${next}` })
    },
  },
  'by nextUrl': {
    pager: linkedPages({ records: 'items', next: 'nextUrl', request: () => get('/rows') }),
    serve: (app, request) => {
      const items = afterId(app, parametersOf(request).get('after'))
      return respond({
        items,
        ...(items.length === PAGE_SIZE && { nextUrl: `/rows?after=${items.at(-1)?.id}` }),
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
    serve: (app, { body }) => {
      const nodes = afterId(app, Object(body).after)
      const pageInfo = {
        hasNextPage: nodes.length === PAGE_SIZE,
        endCursor: nodes.at(-1)?.id ?? null,
      }
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
    serve: (app, request) => {
      const query = parametersOf(request)
      const isWanted = ({ archived, id }: Row): boolean =>
        archived === (query.get('state') === 'archived') && id > (query.get('after') ?? '')
      return respond({ items: sortedById(app).filter(isWanted).slice(0, PAGE_SIZE) })
    },
  },
  'by ids of another listing': {
    pager: fetchTraced(
      offsetPages({
        size: PAGE_SIZE,
        id: 'id',
        records: 'items',
        request: ({ start, max }) => get('/events', { offset: start, limit: max }),
      }),
      'id',
      readMany,
    ),
    serve: (app, request) => {
      const ids = parametersOf(request).get('ids')?.split(',')
      if (ids) return respond({ items: ids.flatMap((id) => app.rows.get(id) ?? []) })
      return serveRange(app, request)
    },
  },
  'of partitions that the first response names, before another pass': {
    pager: passes(() => ({
      parted: partitionedPages<number | null>({
        first: () => [null],
        divide: (partition, { body }) => (partition === null ? Object(body).items : undefined),
        pagerOf: (partition) =>
          partition === null
            ? singlePage({ records: 'items', request: () => get('/partitions') })
            : keysetPages({
                key: 'id',
                records: 'items',
                request: ({ after }) => get('/rows', { partition, after }),
              }),
      }),
      none: singlePage({ records: 'items', request: () => get('/none') }),
    })),
    serve: (app, request) => {
      const query = parametersOf(request)
      const partition = query.get('partition')
      if (partition === null)
        return respond({ items: request.path === '/partitions' ? [0, 1, 2] : [] })
      const after = query.get('after') ?? ''
      const isWanted = ({ id }: Row): boolean => Number(id) % 3 === Number(partition) && id > after
      return respond({ items: sortedById(app).filter(isWanted).slice(0, PAGE_SIZE) })
    },
  },
  'in windows of the time of creation': {
    pager: passes(({ since }) => ({
      ...(since !== undefined && { none: singlePage({ records: '', request: () => get('/') }) }),
      all: windowPages({
        beginning: timeOf(0),
        max: MAX_ROWS_PER_WINDOW,
        total: 'total',
        resolutionMs: 1000,
        pagerOf: ({ from, to, isInstant }) =>
          isInstant
            ? keysetPages({
                key: 'id',
                records: 'items',
                request: ({ after }) => get('/rows', { from, to, after }),
              })
            : offsetPages({
                size: PAGE_SIZE,
                id: 'id',
                records: 'items',
                total: 'total',
                request: ({ start, max }) => get('/rows', { from, to, offset: start, limit: max }),
              }),
      }),
    })),
    serve: (app, request) => {
      const query = parametersOf(request)
      const from = query.get('from') ?? ''
      const to = query.get('to') ?? '9'
      const isWanted = ({ created }: Row): boolean =>
        timeOf(created) >= from && timeOf(created) < to
      const rows = sortedById(app).filter(isWanted)
      const date = new Date(timeOf(app.now)).toUTCString()
      if (!query.has('offset')) {
        const after = query.get('after') ?? ''
        const items = rows.filter(({ id }) => id > after).slice(0, PAGE_SIZE)
        return respond({ items, total: rows.length }, { date })
      }
      const start = Number(query.get('offset'))
      const end = start + Number(query.get('limit'))
      if (end > MAX_ROWS_PER_QUERY) return respond({ error: 'Only the first rows can be listed.' })
      return respond({ items: rows.slice(start, end), total: rows.length }, { date })
    },
  },
}

export const appOf = (ids: readonly number[]): App => ({
  rows: new Map(
    ids.map((at) => [
      idOf(at),
      { id: idOf(at), created: at % 3, updated: at % 5, archived: at % 4 === 0 },
    ]),
  ),
  now: 5,
})

const place = fc.integer({ min: 0, max: 60 })

/** The ids of the rows that an app has at the start. */
export const anyIds = fc.uniqueArray(place, { minLength: 30, maxLength: 60, size: 'max' })

/** A change of a row, which may not exist. */
export const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'update', 'delete', 'delete', 'archive'),
  at: place,
})

/** The ids of the rows that existed throughout a listing with these changes, and that it does not show. */
export const listMissedIds = (
  records: readonly unknown[],
  ids: readonly number[],
  changes: readonly Change[],
): readonly string[] => {
  const listed = new Set(records.map((record) => Object(record).id))
  const deleted = new Set(changes.flatMap(({ kind, at }) => (kind === 'delete' ? idOf(at) : [])))
  return ids.map(idOf).filter((id) => !deleted.has(id) && !listed.has(id))
}
