/** The API on a database of its own, without sockets: requests are put to the server in process. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino, { type Logger } from 'pino'
import { createServer } from '../../src/api/server.ts'
import { generateApiKey } from '../../src/api-key.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type Access, createAccess } from '../../src/store/access.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { createNotices } from '../../src/store/notices.ts'
import { ensureEnvironment, ensureUser } from '../../src/store/tenants.ts'
import { createTestDatabase } from './database.ts'

export interface Tenant {
  readonly key: string
  readonly environmentId: string
  readonly userId: string
  readonly credentialIds: readonly string[]
}

export interface GraphAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  readonly data: any
  readonly errors: readonly {
    readonly message: string
    readonly extensions: { readonly code: string; readonly requestId: string; details?: unknown }
  }[]
}

export interface TestService {
  readonly database: Database
  readonly access: Access
  readonly url: string
  readonly server: FastifyInstance
  /** Every statement since the last call, oldest first, without those of access control. */
  takeStatements(): readonly string[]
  /** An environment with a key, a user and credentials. */
  createTenant(
    kind: 'development' | 'production',
    credentialIds: readonly string[],
    organisation?: string,
  ): Promise<Tenant>
  save(
    tenant: Tenant,
    credentialId: string,
    resource: Resource,
    rows: readonly RecordRow[],
  ): Promise<void>
  rest(key: string | undefined, path: string): Promise<LightMyRequestResponse>
  graphql(
    key: string | undefined,
    query: string,
    variables?: Record<string, unknown>,
  ): Promise<GraphAnswer>
  stop(): Promise<void>
}

const bearer = (key: string | undefined) =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

export interface ServerOptions {
  readonly graphiql?: boolean
  readonly log?: Logger
}

/** A server on a database that is there, with connections and memories of its own, as another process has. */
export const openServer = async (url: string, options: ServerOptions = {}) => {
  let statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const notices = createNotices(url)
  const access = createAccess(database, notices)
  await notices.start()
  const server = createServer({
    context: { database, access, catalogue },
    log: options.log ?? pino({ level: 'silent' }),
    graphiql: options.graphiql ?? false,
    isReady: async () => true,
  })
  return {
    database,
    access,
    server,
    takeStatements: (): readonly string[] => {
      const taken = statements
      statements = []
      return taken
    },
    stop: async (): Promise<void> => {
      await server.close()
      await notices.stop()
      await database.stop()
    },
  }
}

export const startService = async (options: ServerOptions = {}): Promise<TestService> => {
  const { url, drop } = await createTestDatabase()
  const { database, access, server, takeStatements, stop } = await openServer(url, options)
  return {
    database,
    access,
    url,
    server,
    takeStatements,
    createTenant: async (kind, credentialIds, organisation = 'Test') => {
      const environmentId = await ensureEnvironment(database, organisation, kind)
      const key = generateApiKey(kind)
      await saveApiKey(database, environmentId, key)
      const userId = await ensureUser(database, environmentId, 'user', 'User')
      for (const id of credentialIds)
        await database.prisma.credential.create({
          data: { id, route: id.slice(0, 8), environmentId, userId, app: 'test', values: {} },
        })
      return { key, environmentId, userId, credentialIds }
    },
    save: async ({ environmentId }, credentialId, resource, rows) => {
      await database.prisma.$transaction((transaction) =>
        applyChanges(transaction, { credentialId, environmentId }, resource, rows, {
          accept: 'newer',
        }),
      )
    },
    rest: (key, path) => server.inject({ url: `/2024-03/one${path}`, headers: bearer(key) }),
    graphql: async (key, query, variables) => {
      const answer = await server.inject({
        url: '/graphql',
        method: 'POST',
        headers: bearer(key),
        payload: { query, variables },
      })
      const { data, errors = [] } = answer.json()
      return { status: answer.statusCode, data, errors }
    },
    stop: async () => {
      await stop()
      await drop()
    },
  }
}
