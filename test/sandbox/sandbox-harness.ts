/** A sandbox on its own database, called through its HTTP handler. */
import { createSandboxApp, SANDBOX_ORIGIN, type SandboxApp } from '../../src/sandbox/app.ts'
import type { TenantAccess } from '../../src/sandbox/tenant.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createTestDatabase } from '../support/database.ts'

export interface SandboxResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its response
  readonly body: any
}

export interface RequestOptions {
  readonly as?: TenantAccess
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Raw {
  readonly id: string
  readonly version: number
  readonly created: string
  readonly modified: string
  readonly deleted: boolean
  readonly [field: string]: unknown
}

export interface SandboxHarness {
  readonly app: SandboxApp
  readonly database: Database
  readonly acme: TenantAccess
  /** The app's clock, which moves only on request. */
  readonly clock: { now: Date }
  request(method: string, path: string, options?: RequestOptions): Promise<SandboxResponse>
  /** All pages of a listing, including deleted records if `since` is passed. */
  listAll(kind: string, since?: string, limit?: number): Promise<Raw[]>
  stop(): Promise<void>
}

export const START = '2026-03-02T12:00:00.000Z'
/** A time before all records, so that a listing since then returns every record, including deleted ones. */
export const BEGINNING = '1970-01-01T00:00:00.000Z'

/** The body of an error response. */
export const errorBody = (reason: string, field: string | null = null) => ({
  error: { reason, field },
})

export const openSandboxHarness = async (): Promise<SandboxHarness> => {
  const server = await createTestDatabase()
  const database = openDatabase({ url: server.url })
  const clock = { now: new Date(START) }
  const app = createSandboxApp({ database, clock: { nowMs: () => clock.now.getTime() } })
  const acme = await app.openTenant('acme')

  const request = async (
    method: string,
    path: string,
    { as = acme, body, headers }: RequestOptions = {},
  ): Promise<SandboxResponse> => {
    const response = await app.handle(
      new Request(SANDBOX_ORIGIN + path, {
        method,
        headers: {
          authorization: `Bearer ${as.token}`,
          'sandbox-tenant': as.tenant,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  return {
    app,
    database,
    acme,
    clock,
    request,
    listAll: async (kind, since, limit = 250) => {
      const items: Raw[] = []
      let after: string | null = null
      do {
        const query = new URLSearchParams({ limit: String(limit) })
        if (since !== undefined) query.set('modified_since', since)
        if (after !== null) query.set('after', after)
        const { body } = await request('GET', `/v1/${kind}?${query}`)
        items.push(...body.items)
        after = body.next
      } while (after !== null)
      return items
    },
    stop: async () => {
      await database.stop()
      await server.drop()
    },
  }
}
