/** A small CRM over real HTTP that fails on demand, with its connector. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Connector,
  defineConnector,
  type Json,
  type Pager,
  type ResourceConnector,
} from '../../src/definition/connector.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { account } from '../../src/resources/crm/account.ts'

export interface FakeRow {
  readonly id: string
  readonly name: string
  readonly staff: number
  readonly deleted: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** How one list request fails. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'deep' }
  | { readonly kind: 'other-form' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'loop' }
  | { readonly kind: 'nameless' }

export interface FakeRequest {
  readonly atMs: number
  readonly path: string
  readonly since: string | null
  readonly token: string | null
  readonly cursor: string | null
  readonly authorization: string | undefined
  /** The process that sent the request. */
  readonly caller: string | undefined
  status: number
}

export interface FakeApp {
  readonly url: string
  readonly rows: Map<string, FakeRow>
  readonly requests: FakeRequest[]
  /** Faults for the next requests, one each; `undefined` lets a request pass. */
  readonly faults: (Fault | undefined)[]
  /** The largest number of concurrent requests, by path. */
  readonly maxConcurrent: Map<string, number>
  readonly settings: {
    pageSize: number
    /** `keyset`: by last change, after a record · `offset`: by id, from a position · `ignored`: always the first page. */
    paging: 'keyset' | 'offset' | 'ignored'
    /** The app's clock minus the host's. */
    clockOffsetMs: number
    delayMs: number
    /** The accepted token. */
    token: string
    /** The response to `/context`. */
    context: Json
    /** Paths whose list never ends: each page has new records and a new cursor. */
    endless: (path: string) => boolean
    /** Builds a page in another form than `paging`. */
    page: ((query: URLSearchParams) => { readonly data: readonly FakeRow[] }) | undefined
    /** Called and awaited before each page is built. */
    onPage: ((request: FakeRequest) => unknown) | undefined
    /** Called and awaited after a page is built, before it is sent. */
    onResponse: (() => unknown) | undefined
  }
  /** When each removed record was deleted, by id; listed by tokens. */
  readonly removed: Map<string, string>
  /** The app's time; never the same twice. */
  now(): string
  put(id: string, fields?: Partial<FakeRow>): FakeRow
  /** Deletes a record; listings by token report it. */
  remove(id: string): void
  /** Creates `count` records: `1`, `2`, … */
  fill(count: number): void
  stop(): Promise<void>
}

const compareByChange = (a: FakeRow, b: FakeRow): number =>
  a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : Number(a.id) - Number(b.id)

/** Starts the app on a free loopback port. */
export const startFakeApp = async (): Promise<FakeApp> => {
  const rows = new Map<string, FakeRow>()
  const removed = new Map<string, string>()
  const requests: FakeRequest[] = []
  const faults: (Fault | undefined)[] = []
  const maxConcurrent = new Map<string, number>()
  const concurrent = new Map<string, number>()
  const settings: FakeApp['settings'] = {
    pageSize: 100,
    paging: 'keyset',
    clockOffsetMs: 0,
    delayMs: 0,
    token: 'the-token',
    context: null,
    endless: () => false,
    page: undefined,
    onPage: undefined,
    onResponse: undefined,
  }
  let lastMs = 0

  const now = (): string => {
    lastMs = Math.max(lastMs + 1, Date.now() + settings.clockOffsetMs)
    return new Date(lastMs).toISOString()
  }

  /** One page of an endless list. */
  const createEndlessPage = (
    query: URLSearchParams,
  ): { data: readonly FakeRow[]; next: string } => {
    const from = Number(query.get('cursor') ?? 0)
    const at = now()
    const data = Array.from({ length: settings.pageSize }, (_, index) => {
      const id = String(from + index + 1)
      const times = { createdAt: at, updatedAt: at }
      return { id, name: `Account ${id}`, staff: 1, deleted: false, ...times }
    })
    return { data, next: String(from + settings.pageSize) }
  }

  const sliceRows = (query: URLSearchParams): { data: readonly FakeRow[]; next: string | null } => {
    const { pageSize, paging } = settings
    const since = query.get('since') ?? query.get('token')
    const cursor = query.get('cursor')
    const matching = [...rows.values()].filter((row) => since === null || row.updatedAt >= since)
    if (paging === 'keyset') {
      const [updatedAt = '', id = '0'] = cursor?.split('|') ?? []
      const rest = matching
        .sort(compareByChange)
        .filter((row) => compareByChange(row, { ...row, updatedAt, id }) > 0)
      const data = rest.slice(0, pageSize)
      const last = data.at(-1)
      return { data, next: rest.length > pageSize && last ? `${last.updatedAt}|${last.id}` : null }
    }
    const sorted = matching.sort((a, b) => Number(a.id) - Number(b.id))
    if (paging === 'ignored')
      return { data: sorted.slice(0, pageSize), next: String(Number(cursor ?? 1) + 1) }
    const from = Number(cursor ?? 0)
    const data = sorted.slice(from, from + pageSize)
    return { data, next: from + pageSize < sorted.length ? String(from + pageSize) : null }
  }

  /** The last page of a listing by token (a time), which is complete if the pages follow the order of change. */
  const lastPageFields = (query: URLSearchParams): object => {
    const token = query.get('token')
    if (token === null) return {}
    const ids = [...removed].flatMap(([id, at]) => (at >= token ? [id] : []))
    return { deleted: ids, token: now() }
  }

  const pageOf = ({ pathname, searchParams: query }: URL) => {
    if (settings.page) return { next: null, ...settings.page(query) }
    const slice = settings.endless(pathname) ? createEndlessPage(query) : sliceRows(query)
    return slice.next === null ? { ...slice, ...lastPageFields(query) } : slice
  }

  const responseText = (url: URL, fault: Fault | undefined): string => {
    const { pathname, searchParams: query } = url
    if (pathname.endsWith('/context')) return JSON.stringify(settings.context)
    const page = pageOf(url)
    switch (fault?.kind) {
      case 'malformed':
        return `${JSON.stringify(page).slice(0, -9)}`
      case 'deep':
        // The page itself is valid; one of its records has an extra field.
        return JSON.stringify(page).replace(
          '"name":',
          `"nest":${'['.repeat(9000)}${']'.repeat(9000)},"name":`,
        )
      case 'other-form':
        return JSON.stringify({ message: 'Down for maintenance.' })
      case 'empty':
        return JSON.stringify({ data: [], next: null })
      case 'twice':
        return JSON.stringify({ ...page, data: page.data.flatMap((row) => [row, row]) })
      case 'loop':
        return JSON.stringify({ ...page, next: query.get('cursor') ?? page.next })
      case 'nameless':
        return JSON.stringify({ ...page, data: [{ name: 'Nobody' }, ...page.data, null] })
      default:
        return JSON.stringify(page)
    }
  }

  const count = (path: string, change: 1 | -1): void => {
    const open = (concurrent.get(path) ?? 0) + change
    concurrent.set(path, open)
    maxConcurrent.set(path, Math.max(open, maxConcurrent.get(path) ?? 0))
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://fake')
    const request: FakeRequest = {
      atMs: performance.now(),
      path: url.pathname,
      since: url.searchParams.get('since'),
      token: url.searchParams.get('token'),
      cursor: url.searchParams.get('cursor'),
      authorization: incoming.headers.authorization,
      caller: String(incoming.headers['x-caller']),
      status: 0,
    }
    requests.push(request)
    count(url.pathname, 1)
    response.once('close', () => count(url.pathname, -1))
    const fault = faults.shift()
    if (settings.delayMs > 0) await new Promise((done) => setTimeout(done, settings.delayMs))
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset') return void incoming.socket.destroy()
    await settings.onPage?.(request)
    const isKnown = request.authorization === `Bearer ${settings.token}`
    request.status = !isKnown ? 401 : fault?.kind === 'status' ? fault.status : 200
    const refusal = { error: `Refused ${request.authorization}` }
    const text = request.status === 200 ? responseText(url, fault) : JSON.stringify(refusal)
    await settings.onResponse?.()
    response.writeHead(request.status, {
      'content-type': 'application/json',
      date: new Date(Date.now() + settings.clockOffsetMs).toUTCString(),
      ...(fault?.kind === 'status' && fault.headers),
    })
    response.end(text)
  }

  const server = createServer((incoming, response) => void serve(incoming, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo

  const app: FakeApp = {
    url: `http://127.0.0.1:${port}/api`,
    rows,
    removed,
    requests,
    faults,
    maxConcurrent,
    settings,
    now,
    put: (id, fields = {}) => {
      const updatedAt = now()
      const before = rows.get(id) ?? { name: `Account ${id}`, staff: Number(id), deleted: false }
      const row: FakeRow = { createdAt: updatedAt, ...before, id, updatedAt, ...fields }
      rows.set(id, row)
      removed.delete(id)
      return row
    },
    remove: (id) => {
      if (rows.delete(id)) removed.set(id, now())
    },
    fill: (count) => {
      for (let id = 1; id <= count; id++) app.put(String(id))
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return app
}

/** Properties that may differ between the connectors of an app. */
export type FakeSync = ResourceConnector['sync']

const isPage = (
  body: unknown,
): body is {
  readonly data: readonly unknown[]
  readonly next: Json
  readonly token?: Json
  readonly deleted?: readonly string[]
} => typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)

/** The connector of the fake app. @param pager how it lists; default: as `paging` */
export const defineFakeConnector = (sync: Partial<FakeSync> = {}, pager?: Pager): Connector =>
  defineConnector({
    app: 'fake',
    name: 'Fake',
    doc: 'A small CRM for tests.',
    auth: {
      token: {
        type: 'apiKey',
        fields: {
          url: { doc: 'Its address.', secret: false },
          token: { doc: 'Its token.', secret: true },
        },
        baseUrl: '{url}',
        request: {
          headers: { authorization: 'Bearer {token}', 'x-caller': String(process.pid) },
        },
      },
    },
    readFailure: ({ status, body }) => {
      if (status === 200) return
      // The app's errors have this form.
      const { error: reason } = body as { error: string }
      const kinds = { 401: 'authentication', 410: 'expired', 429: 'rate-limited' } as const
      const kind = status in kinds ? kinds[status as keyof typeof kinds] : undefined
      return { kind: kind ?? (status >= 500 ? 'unavailable' : 'refused'), reason }
    },
    check: { method: 'GET', path: '/accounts' },
    resources: {
      'crm/accounts': {
        mapping: defineMapping(account, {
          remoteId: 'id',
          remoteCreatedAt: 'createdAt',
          remoteUpdatedAt: 'updatedAt',
          remoteDeleted: 'deleted',
          accountName: 'name',
          numberOfEmployees: 'staff',
          // Fails on a name that is not text, as mapping rules fail on values that their authors did not expect.
          description: ({ name }) => (name as string).toUpperCase(),
          accountOwner: null,
          industry: null,
          website: null,
          lastActivityAt: null,
          addresses: null,
          phoneNumbers: null,
        }),
        listRequest: ({ since, token, cursor }) => {
          const query = new URLSearchParams()
          if (sync.changes?.by === 'token') query.set('token', String(token ?? ''))
          if (since !== undefined) query.set('since', since)
          if (cursor !== undefined) query.set('cursor', String(cursor))
          return { method: 'GET', path: `/accounts?${query}` }
        },
        readList: ({ body }) => {
          if (!isPage(body)) throw new TypeError(`Not a page: ${JSON.stringify(body)}`)
          const { data: records, next, ...rest } = body
          return { ...rest, records, next: next ?? undefined }
        },
        ...pager,
        sync: { changes: { by: 'time', overlapMs: 1000 }, deletions: 'reported', ...sync },
      },
    },
  })
