/** A small CRM over real HTTP whose records can be written and which fails on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/definition/connector.ts'

export interface Card {
  readonly id: string
  readonly kind: 'people' | 'firms'
  readonly version: number
  readonly deleted: boolean
  readonly created: string
  readonly updated: string
  readonly values: Readonly<Record<string, Json>>
}

/** How one write fails. `lost`: applied, no response · `cut`: not applied, no response. */
export type Fault =
  | 'lost'
  | 'cut'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Json }

export interface Rolodex {
  readonly url: string
  readonly cards: Map<string, Card>
  /** Faults for the next writes, one each. */
  readonly faults: Fault[]
  /** `POST /people`, … */
  readonly requests: string[]
  /** Whether read requests succeed; otherwise they get 503. */
  readable: boolean
  /** The duration of each write. */
  delayMs: number
  /** The app's clock minus the host's. */
  clockOffsetMs: number
  /** The number of cards on a page of a list. */
  pageSize: number
  /** Changes that the app makes to the values of a new card. */
  rewrite: (values: Card['values']) => Card['values']
  /** Called and awaited with `PUT /people/1`, … when the response about one card is ready, before it is sent. */
  onResponse: ((request: string) => unknown) | undefined
  put(kind: Card['kind'], values: Card['values'], id?: string): Card
  remove(id: string): void
  stop(): Promise<void>
}

const toResponseBody = ({ values, ...card }: Card) => ({ ...values, ...card })

const bodyOf = async (request: IncomingMessage): Promise<Record<string, Json>> => {
  const chunks: Buffer[] = []
  // Node delivers a request body in buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}')
}

/** Starts the app on a free loopback port. */
export const startRolodex = async (): Promise<Rolodex> => {
  const cards = new Map<string, Card>()
  let lastMs = 0
  let lastId = 0
  const now = (): string => {
    lastMs = Math.max(lastMs + 1, Date.now())
    return new Date(lastMs + rolodex.clockOffsetMs).toISOString()
  }
  const rolodex: Omit<Rolodex, 'url' | 'stop'> = {
    cards,
    faults: [],
    requests: [],
    readable: true,
    delayMs: 0,
    clockOffsetMs: 0,
    pageSize: Number.POSITIVE_INFINITY,
    rewrite: (values) => values,
    onResponse: undefined,
    put: (kind, values, id = String(++lastId)) => {
      const before = cards.get(id)
      const at = now()
      const card: Card = {
        id,
        kind,
        version: (before?.version ?? 0) + 1,
        deleted: false,
        created: before?.created ?? at,
        updated: at,
        values: { ...before?.values, ...values },
      }
      cards.set(id, card)
      return card
    },
    remove: (id) => {
      const card = cards.get(id)
      if (card) cards.set(id, { ...card, deleted: true, version: card.version + 1, updated: now() })
    },
  }

  const reply = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
    response.writeHead(status, {
      'content-type': 'application/json',
      date: new Date(Date.now() + rolodex.clockOffsetMs).toUTCString(),
      ...headers,
    })
    response.end(JSON.stringify(body))
  }

  const write = (
    kind: Card['kind'],
    id: string | undefined,
    method: string,
    input: Card['values'],
  ) => {
    if (method === 'POST') return rolodex.put(kind, rolodex.rewrite(input))
    const card = cards.get(id ?? '')
    if (!card || card.deleted) return { status: 404, reason: 'no such card' }
    const { version, ...values } = input
    if (kind === 'people' && version !== card.version) return { status: 409, reason: 'stale' }
    if (method === 'PUT') return rolodex.put(kind, values, card.id)
    rolodex.remove(card.id)
    return cards.get(card.id) ?? card
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    const { pathname, searchParams } = new URL(url, 'http://rolodex')
    rolodex.requests.push(`${method} ${pathname}`)
    const [, kind, id] = pathname.split('/') as [string, Card['kind'], string | undefined]
    if (method === 'GET') {
      if (!rolodex.readable) return reply(response, 503, { reason: 'closed' })
      if (id !== undefined) {
        const card = cards.get(id)
        await rolodex.onResponse?.(`${method} ${pathname}`)
        return card && !card.deleted
          ? reply(response, 200, toResponseBody(card))
          : reply(response, 404, { reason: 'no such card' })
      }
      const since = searchParams.get('since') ?? ''
      const ids = searchParams.get('ids')?.split(',')
      const found = [...cards.values()].filter(
        (card) =>
          card.kind === kind &&
          card.updated >= since &&
          (!ids || (ids.includes(card.id) && !card.deleted)),
      )
      const from = Number(searchParams.get('from') ?? 0)
      const to = from + rolodex.pageSize
      const next = to < found.length ? { 'x-next': String(to) } : {}
      return reply(response, 200, found.slice(from, to).map(toResponseBody), next)
    }
    const input = await bodyOf(request)
    const fault = rolodex.faults.shift()
    if (typeof fault === 'object')
      return reply(response, fault.status, fault.body ?? { reason: 'as configured' }, fault.headers)
    if (rolodex.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, rolodex.delayMs))
    if (fault === 'cut') return void response.destroy()
    if (input.last === 'Nobody') return reply(response, 422, { reason: 'too short', field: 'last' })
    const result = write(kind, id, method, input)
    await rolodex.onResponse?.(`${method} ${pathname}`)
    if (fault === 'lost') return void response.destroy()
    return 'reason' in result
      ? reply(response, result.status, { reason: result.reason })
      : reply(response, 200, toResponseBody(result))
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(rolodex, {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
