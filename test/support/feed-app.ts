/** A small app over real HTTP that reports the changes of two resources in one feed, with its connector. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Connector, defineConnector, type Json } from '../../src/definition/connector.ts'
import type { FeedChange } from '../../src/definition/feed.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { withQuery } from '../../src/definition/paging/pager.ts'
import type { SyncDefinition } from '../../src/definition/sync.ts'
import { taxRate } from '../../src/resources/accounting/tax-rate.ts'
import { stage } from '../../src/resources/crm/stage.ts'

/** The resources of the app, listed by time, and by full listings only. */
export const STAGES = stage.topic
export const RATES = taxRate.topic
export const TOPICS = [STAGES, RATES] as const
export type FeedTopic = (typeof TOPICS)[number]

interface Row {
  readonly id: string
  readonly name: string
  readonly updatedAt: string
}

interface AppEvent {
  readonly topic: string
  readonly id: string
  readonly kind: 'changed' | 'deleted'
}

const compareByChange = (a: Row, b: Row): number =>
  a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : Number(a.id) - Number(b.id)

export interface FeedApp {
  readonly url: string
  readonly rows: ReadonlyMap<string, Map<string, Row>>
  /** The kind of each request: `feed`, `many`, `list crm/stages`. */
  readonly requests: string[]
  /** Statuses of the next requests, one each; 200 lets a request pass. */
  readonly faults: number[]
  readonly settings: {
    pageSize: number
    /** Whether the feed returns whole records; otherwise only their ids. */
    isWhole: boolean
    /** The most changed records of a topic on one page of the feed; the rest is left out. */
    fullAt: number
    /** Called and awaited before each response. */
    onRequest: ((kind: string) => unknown) | undefined
    /** Called and awaited after a response is built, before it is sent. */
    onResponse: ((kind: string) => unknown) | undefined
    /** The status of the requests for the feed. */
    feedStatus: number
  }
  put(topic: string, id: string, name?: string): void
  remove(topic: string, id: string): void
  /** Reports a change of something that is not a resource. */
  report(event: AppEvent): void
  /** Forgets all events: tokens of the feed expire. */
  expire(): void
  /** Deletes everything without an event. */
  clear(): void
  stop(): Promise<void>
}

/** Starts the app on a free loopback port. */
export const startFeedApp = async (): Promise<FeedApp> => {
  const rows = new Map<string, Map<string, Row>>(TOPICS.map((topic) => [topic, new Map()]))
  const requests: string[] = []
  const faults: number[] = []
  const settings: FeedApp['settings'] = {
    pageSize: 100,
    isWhole: false,
    fullAt: Number.POSITIVE_INFINITY,
    onRequest: undefined,
    onResponse: undefined,
    feedStatus: 200,
  }
  const events: AppEvent[] = []
  /** The events before this position are forgotten. */
  let first = 0
  let lastMs = 0

  const now = (): string => {
    lastMs = Math.max(lastMs + 1, Date.now())
    return new Date(lastMs).toISOString()
  }

  const rowsOf = (topic: string): Map<string, Row> => rows.get(topic) ?? new Map()

  const list = (query: URLSearchParams): object => {
    const since = query.get('since') ?? ''
    const [updatedAt = '', id = '0'] = query.get('cursor')?.split('|') ?? []
    const rest = [...rowsOf(query.get('topic') ?? '').values()]
      .filter(
        (row) => row.updatedAt >= since && compareByChange(row, { ...row, updatedAt, id }) > 0,
      )
      .sort(compareByChange)
    const data = rest.slice(0, settings.pageSize)
    const last = data.at(-1)
    return { data, next: rest.length > data.length && last ? `${last.updatedAt}|${last.id}` : null }
  }

  const readFeed = (query: URLSearchParams): object | undefined => {
    const token = query.get('token')
    if (token === null) return { changes: [], next: null, token: events.length }
    if (Number(token) < first) return
    const from = Number(query.get('cursor') ?? token)
    const page = events.slice(from, from + settings.pageSize)
    const end = from + page.length
    const changed = new Map<string, number>()
    const incomplete = new Set<string>()
    const changes = page.flatMap((event) => {
      const count = changed.get(event.topic) ?? 0
      if (event.kind === 'changed') changed.set(event.topic, count + 1)
      if (event.kind === 'changed' && count >= settings.fullAt) {
        incomplete.add(event.topic)
        return []
      }
      const row = settings.isWhole ? rowsOf(event.topic).get(event.id) : undefined
      return [{ ...event, ...(row && { row }) }]
    })
    const next = end < events.length ? end : null
    return { changes, incomplete: [...incomplete], next, token: end }
  }

  const readManyPage = (query: URLSearchParams): object => ({
    data: query.getAll('id').flatMap((id) => rowsOf(query.get('topic') ?? '').get(id) ?? []),
  })

  const bodyOf = (path: string, query: URLSearchParams): object | undefined =>
    path === '/feed' ? readFeed(query) : path === '/many' ? readManyPage(query) : list(query)

  const serve = async (url: URL, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = url
    const kind = pathname === '/list' ? `list ${query.get('topic')}` : pathname.slice(1)
    requests.push(kind)
    await settings.onRequest?.(kind)
    const fault = faults.shift() ?? 200
    const requestedStatus = fault === 200 && kind === 'feed' ? settings.feedStatus : fault
    const body = requestedStatus === 200 ? bodyOf(pathname, query) : {}
    await settings.onResponse?.(kind)
    const status = body === undefined ? 410 : requestedStatus
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end(JSON.stringify(body ?? {}))
  }

  const server = createServer(
    (incoming, response) => void serve(new URL(incoming.url ?? '/', 'http://fake'), response),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    rows,
    requests,
    faults,
    settings,
    put: (topic, id, name = `Name ${id}`) => {
      rowsOf(topic).set(id, { id, name, updatedAt: now() })
      events.push({ topic, id, kind: 'changed' })
    },
    remove: (topic, id) => {
      if (rowsOf(topic).delete(id)) events.push({ topic, id, kind: 'deleted' })
    },
    report: (event) => void events.push(event),
    expire: () => {
      // The app reports one more event that tokens from before do not include.
      events.push({ topic: 'other', id: '0', kind: 'changed' })
      first = events.length
    },
    clear: () => {
      for (const topic of TOPICS) rowsOf(topic).clear()
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

interface FeedBody {
  readonly changes: readonly (AppEvent & { readonly row?: Row })[]
  readonly incomplete?: readonly string[]
  readonly next: Json
  readonly token: Json
}

/** Any list of the app. */
interface ListBody {
  readonly data: readonly unknown[]
  readonly next?: Json
}

const DAY_MS = 86_400_000

/** How the resources are synchronized; `stages` by time, `rates` by full listings. */
export interface FeedAppSync {
  readonly deletions?: SyncDefinition['deletions']
  /** Default: true. */
  readonly canReadMany?: boolean
  /** Default: true. */
  readonly hasFeed?: boolean
}

/** The connector of the app. */
export const defineFeedConnector = (options: FeedAppSync = {}): Connector => {
  const { deletions = 'compared', canReadMany = true, hasFeed = true } = options
  const fields = { remoteId: 'id', remoteUpdatedAt: 'updatedAt' } as const
  const listingOf = (topic: string) => ({
    ...(canReadMany && {
      readMany: {
        maxIds: 5,
        request: (ids: readonly string[]) => {
          const query = new URLSearchParams({ topic })
          for (const id of ids) query.append('id', id)
          return { method: 'GET', path: `/many?${query}` } as const
        },
        // Every response of the app to this request has this form.
        read: ({ body }: { readonly body: unknown }) => (body as ListBody).data,
      },
    }),
    listRequest: ({ since, cursor }: { since: string | undefined; cursor: Json | undefined }) =>
      ({
        method: 'GET',
        path: withQuery('/list', { topic, since, cursor: cursor as string | undefined }),
      }) as const,
    readList: ({ body }: { readonly body: unknown }) => {
      const { data, next } = body as ListBody
      return { records: data, next: next ?? undefined }
    },
  })
  return defineConnector({
    app: 'fake',
    name: 'Fake',
    doc: 'A small app with a feed for tests.',
    auth: {
      token: {
        type: 'apiKey',
        fields: { url: { doc: 'Its address.', secret: false } },
        baseUrl: '{url}',
        request: {},
      },
    },
    readFailure: ({ status }) => {
      if (status === 200) return
      const kinds = { 401: 'authentication', 410: 'expired', 429: 'rate-limited' } as const
      const kind = status in kinds ? kinds[status as keyof typeof kinds] : undefined
      const reason = `status ${status}`
      return { kind: kind ?? (status >= 500 ? 'unavailable' : 'refused'), reason }
    },
    check: { method: 'GET', path: '/list' },
    ...(hasFeed && {
      feeds: {
        changes: {
          topics: TOPICS,
          request: ({ token, cursor }) => ({
            method: 'GET',
            path: withQuery('/feed', {
              token: token as number | undefined,
              cursor: cursor as number | undefined,
            }),
          }),
          read: ({ body }) => {
            const { changes, next, token, incomplete = [] } = body as FeedBody
            return {
              changes: changes.map(
                ({ id, row, ...change }): FeedChange => ({
                  ...change,
                  remoteId: id,
                  ...(row && { record: row }),
                }),
              ),
              next: next ?? undefined,
              token,
              incomplete,
            }
          },
        },
      },
    }),
    resources: {
      [STAGES]: {
        ...listingOf(STAGES),
        mapping: defineMapping(stage, {
          ...fields,
          remoteCreatedAt: null,
          remoteDeleted: null,
          stageName: 'name',
          pipelineName: null,
          displayOrder: null,
          probability: null,
        }),
        sync: {
          changes: { by: 'time', overlapMs: 1000 },
          deletions,
          ...(deletions === 'compared' && { fullListingEveryMs: DAY_MS }),
        },
      },
      [RATES]: {
        ...listingOf(RATES),
        mapping: defineMapping(taxRate, {
          ...fields,
          remoteCreatedAt: null,
          remoteDeleted: null,
          description: 'name',
          totalTaxRate: null,
          effectiveTaxRate: null,
          companyId: null,
        }),
        sync: {
          changes: { by: 'full-listing' },
          deletions,
          ...(deletions === 'compared' && hasFeed && { fullListingEveryMs: DAY_MS }),
        },
      },
    },
  })
}
