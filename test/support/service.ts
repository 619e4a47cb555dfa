/** The API on a database of its own, without sockets: requests are put to the server in process. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino, { type Logger } from 'pino'
import { createServer } from '../../src/api/server.ts'
import { createUserTokens, type UserTokens } from '../../src/api/tokens.ts'
import { generateApiKey } from '../../src/api-key.ts'
import { readConfig } from '../../src/config.ts'
import { addConnectRoutes } from '../../src/connect/routes.ts'
import type { Connector } from '../../src/definition/connector.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { createLiveChanges, type LiveChanges } from '../../src/delivery/live-changes.ts'
import { createSubscriptions } from '../../src/delivery/subscription.ts'
import type { WindowLimits } from '../../src/delivery/window.ts'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { createHostJudge } from '../../src/outbound/address.ts'
import type { LocalApp } from '../../src/outbound/exchange.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { type Access, createAccess } from '../../src/store/access.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import { createChangeFeed } from '../../src/store/change-feed.ts'
import { readCredential } from '../../src/store/credentials.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { ensureEnvironment } from '../../src/store/environments.ts'
import { createIdempotentRequests } from '../../src/store/idempotent-requests.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { createNotices } from '../../src/store/notices.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import { createSigningKeys } from '../../src/store/signing-keys.ts'
import { ensureUser } from '../../src/store/users.ts'
import { createCredentialCheck } from '../../src/sync/check-credential.ts'
import { createPassthrough } from '../../src/sync/passthrough.ts'
import { createPush } from '../../src/sync/push.ts'
import { createWorkflowReader } from '../../src/workflows/reader.ts'
import { holdToDocument } from './closed-world.ts'
import { createTestDatabase } from './database.ts'
import { testVault } from './vault.ts'

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
  readonly tokens: UserTokens
  readonly live: LiveChanges
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
  /** Any request; the address from its beginning, the body as JSON. */
  send(
    key: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
  graphql(
    key: string | undefined,
    query: string,
    variables?: Record<string, unknown>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GraphAnswer>
  stop(): Promise<void>
}

const bearer = (key: string | undefined) =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

const defaults = readConfig({})

export interface ServerOptions {
  readonly graphiql?: boolean
  readonly log?: Logger
  readonly requestsPerMinute?: number
  readonly authFailuresPerMinute?: number
  readonly trustedProxies?: number
  readonly maxConnections?: number
  readonly maxConnectionsPerKey?: number
  /** Apps in this process, by origin. Unless given, the sandbox. */
  readonly localApps?: ReadonlyMap<string, LocalApp>
  /** How much of the change log is remembered for subscribers. */
  readonly window?: WindowLimits
  /** Unless given, those of the product. */
  readonly connectors?: ReadonlyMap<string, Connector>
}

/** A server on a database that is there, with connections and memories of its own, as another process has. */
export const openServer = async (url: string, options: ServerOptions = {}) => {
  let statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const notices = createNotices(url)
  const access = createAccess(database, notices)
  const signingKeys = createSigningKeys({ database, vault: testVault, notices })
  const tokens = createUserTokens({ signingKeys, lifetimeSeconds: 3600 })
  const feed = createChangeFeed(notices)
  await notices.start()
  feed.start()
  const log = options.log ?? pino({ level: 'silent' })
  const live = createLiveChanges({
    ...{ database, feed, log },
    ...(options.window && { window: options.window }),
  })
  live.start()
  const appClient = createAppClient({
    allowPrivateAddresses: true,
    localApps:
      options.localApps ?? new Map([[SANDBOX_ORIGIN, createSandboxApp({ database }).handle]]),
  })
  const offered = options.connectors ?? connectors
  const road = {
    ...{ appClient, connectors: offered },
    loadCredential: (id: string) => readCredential(database, testVault, id),
  }
  const writer = createPush({ database, catalogue, ...road })
  const server = createServer({
    context: {
      ...{ database, access, vault: testVault, tokens, catalogue, writer },
      connectors: offered,
      passthrough: createPassthrough(road),
      checkCredential: createCredentialCheck(road),
      subscriptions: createSubscriptions({ database, live }),
      idempotentRequests: createIdempotentRequests(database, testVault),
      ...{
        readWorkflow: createWorkflowReader(catalogue, offered),
        isDialled: createHostJudge(false),
      },
    },
    log,
    graphiql: options.graphiql ?? false,
    requestsPerMinute: options.requestsPerMinute ?? 0,
    addPages: addConnectRoutes,
    // Not the product's: most tests show keys that are not good, from one address.
    authFailuresPerMinute: options.authFailuresPerMinute ?? 0,
    trustedProxies: options.trustedProxies ?? 0,
    maxConnections: options.maxConnections ?? defaults.maxConnections,
    maxConnectionsPerKey: options.maxConnectionsPerKey ?? defaults.maxConnectionsPerKey,
    isReady: () => true,
  })
  holdToDocument(server)
  return {
    database,
    access,
    tokens,
    live,
    server,
    takeStatements: (): readonly string[] => {
      const taken = statements
      statements = []
      return taken
    },
    stop: async (): Promise<void> => {
      await server.close()
      await live.stop()
      feed.stop()
      await appClient.stop()
      await notices.stop()
      await database.stop()
    },
  }
}

export const startService = async (options: ServerOptions = {}): Promise<TestService> => {
  const { url, drop } = await createTestDatabase()
  const { database, access, tokens, live, server, takeStatements, stop } = await openServer(
    url,
    options,
  )
  return {
    database,
    access,
    tokens,
    live,
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
        applyChanges(
          transaction,
          { credentialId, environmentId },
          resource,
          rows.map(createLineWriter(resource)),
          {
            accept: 'newer',
          },
        ),
      )
    },
    rest: (key, path) => server.inject({ url: `/2024-03/one${path}`, headers: bearer(key) }),
    send: (key, method, url, body, headers) =>
      server.inject({
        url,
        method,
        headers: { ...bearer(key), ...headers },
        ...(body && { payload: body }),
      }),
    graphql: async (key, query, variables, headers) => {
      const answer = await server.inject({
        url: '/graphql',
        method: 'POST',
        headers: { ...bearer(key), ...headers },
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
