/** A sandbox on a database of its own, asked through its HTTP handler. */
import { createSandboxApp, SANDBOX_ORIGIN, type SandboxApp } from '../../src/sandbox/app.ts'
import type { TenantAccess } from '../../src/sandbox/tenant.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { createTestDatabase } from '../support/database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  readonly body: any
}

export interface AskOptions {
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

export interface Playground {
  readonly app: SandboxApp
  readonly database: Database
  readonly acme: TenantAccess
  /** The clock of the app; it stands still unless moved. */
  readonly clock: { now: Date }
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  /** All pages of a listing, with what has been deleted if `since` is given. */
  listAll(kind: string, since?: string, limit?: number): Promise<Raw[]>
  stop(): Promise<void>
}

export const START = '2026-03-02T12:00:00.000Z'
/** Before everything: a listing since then is of all, deleted records included. */
export const BEGINNING = '1970-01-01T00:00:00.000Z'

/** The body of an answer that says no. */
export const error = (reason: string, field: string | null = null) => ({ error: { reason, field } })

export const openPlayground = async (): Promise<Playground> => {
  const server = await createTestDatabase()
  const database = openDatabase({ url: server.url })
  const clock = { now: new Date(START) }
  const app = createSandboxApp({ database, now: () => clock.now })
  const acme = await app.createTenant('acme')

  const ask = async (
    method: string,
    path: string,
    { as = acme, body, headers }: AskOptions = {},
  ): Promise<Answer> => {
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
    ask,
    listAll: async (kind, since, limit = 250) => {
      const items: Raw[] = []
      let after: string | null = null
      do {
        const query = new URLSearchParams({ limit: String(limit) })
        if (since !== undefined) query.set('modified_since', since)
        if (after !== null) query.set('after', after)
        const { body } = await ask('GET', `/v1/${kind}?${query}`)
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
