/** An app in this process that implements the API of the connector template. */
import type { LocalApp } from '../../src/outbound/exchange.ts'

export interface TemplateRecord {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
  readonly deleted: boolean
  readonly [field: string]: unknown
}

export interface TemplateApp {
  readonly url: string
  readonly token: string
  readonly handle: LocalApp
  readonly records: Map<string, TemplateRecord>
  readonly settings: { pageSize: number; clockOffsetMs: number }
  /** Creates or changes a record. */
  put(id: string, fields: object): TemplateRecord
}

const jsonResponse = (status: number, body: unknown, date: string): Response =>
  Response.json(body, { status, headers: { date } })

/** Creates the app with some records, each changed a minute after the previous one. */
export const createTemplateApp = (count: number): TemplateApp => {
  const records = new Map<string, TemplateRecord>()
  const settings = { pageSize: 4, clockOffsetMs: 0 }
  const token = 'template-token-1'
  let lastMs = 0
  const now = (): string => {
    lastMs = Math.max(lastMs + 1, Date.now() + settings.clockOffsetMs)
    return new Date(lastMs).toISOString()
  }

  const put: TemplateApp['put'] = (id, fields) => {
    const at = now()
    const before = records.get(id)
    const record = {
      name: `Account ${id}`,
      created_at: at,
      deleted: false,
      ...before,
      ...fields,
      id,
      updated_at: at,
    }
    records.set(id, record)
    return record
  }
  for (let index = 1; index <= count; index++) {
    const at = new Date(Date.parse('2026-03-02T09:00:00.000Z') + index * 60_000).toISOString()
    const record = put(String(index), {
      owner: { name: 'Ada' },
      description: 'A maker.',
      industry: 'Paper',
      employees: index,
      website: 'https://maker.example',
    })
    records.set(record.id, { ...record, created_at: at, updated_at: at })
  }

  const list = (query: URLSearchParams): unknown => {
    const ids = query.get('ids')?.split(',')
    const since = query.get('updated_since') ?? ''
    const [time = '', id = ''] = query.get('cursor')?.split('|') ?? []
    const rest = [...records.values()]
      .filter((record) => (ids ? ids.includes(record.id) && !record.deleted : true))
      .filter(({ updated_at: at }) => at >= since)
      .sort((a, b) => (a.updated_at < b.updated_at ? -1 : a.updated_at > b.updated_at ? 1 : 0))
      .filter(({ updated_at: at, ...record }) => at > time || (at === time && record.id > id))
    const data = ids ? rest : rest.slice(0, settings.pageSize)
    const last = data.at(-1)
    return {
      data,
      next: rest.length > data.length && last ? `${last.updated_at}|${last.id}` : null,
    }
  }

  const write = async (request: Request, id: string): Promise<[number, unknown]> => {
    if (request.method === 'DELETE') return [200, put(id, { deleted: true })]
    const input = Object(await request.json())
    if (input.name === '') return [422, { error: { message: 'must not be empty', field: 'name' } }]
    return [200, put(id, input)]
  }

  const respond = async (request: Request): Promise<[number, unknown]> => {
    const { pathname, searchParams } = new URL(request.url)
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      return [401, { error: { message: 'unknown token' } }]
    const [, , id] = pathname.split('/')
    if (request.method === 'POST') return write(request, String(records.size + 1))
    if (id === undefined) return [200, list(searchParams)]
    const record = records.get(id)
    if (!record || record.deleted) return [404, { error: { message: 'no such account' } }]
    return request.method === 'GET' ? [200, record] : write(request, id)
  }

  return {
    url: 'http://template.test',
    token,
    records,
    settings,
    put,
    handle: async (request) => {
      const date = new Date(Date.now() + settings.clockOffsetMs).toUTCString()
      const [status, body] = await respond(request)
      return jsonResponse(status, body, date)
    },
  }
}
