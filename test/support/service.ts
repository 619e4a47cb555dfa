/** The API on its own database, without sockets: requests are injected into the server. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino, { type Logger } from 'pino'
import { createUserTokens, type UserTokens } from '../../src/api/auth/tokens.ts'
import { createServer } from '../../src/api/server.ts'
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
import { readConfig } from '../../src/process/config.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { type Access, createAccess } from '../../src/store/accounts/access.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { saveApiKey } from '../../src/store/accounts/keys.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { createChangeFeed } from '../../src/store/changes/change-feed.ts'
import { type Clock, createClock } from '../../src/store/database/clock.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { createSigningKeys } from '../../src/store/secrets/signing-keys.ts'
import { createIdempotentRequests } from '../../src/store/writes/idempotent-requests.ts'
import { createWorkflowReader } from '../../src/workflows/reader.ts'
import { createCredentialCheck } from '../../src/write/check-credential.ts'
import { createPassthrough } from '../../src/write/passthrough.ts'
import { createRecordWriter } from '../../src/write/record-writer.ts'
import { checkResponses } from './closed-world.ts'
import { createTestDatabase } from './database.ts'
import { testVault } from './vault.ts'

export interface Tenant {
  readonly key: string
  readonly environmentId: string
  readonly userId: string
  readonly credentialIds: readonly string[]
}

export interface GraphQLResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the result
  readonly data: any
  readonly errors: readonly {
    readonly message: string
    readonly extensions: { readonly code: string; readonly requestId: string; details?: unknown }
  }[]
}

export interface TestService {
  readonly database: Database
  readonly clock: Clock
  readonly access: Access
  readonly tokens: UserTokens
  readonly live: LiveChanges
  readonly url: string
  readonly server: FastifyInstance
  /** Every statement since the last call, oldest first, except those of access control. */
  takeStatements(): readonly string[]
  /** Creates an environment with a key, a user and credentials. */
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
  /** Sends any request: `url` is the whole path, `body` is sent as JSON. */
  send(
    key: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
  graphql(
    key: string | undefined,
    query: string,
    variables?: Record<string, unknown>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GraphQLResponse>
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
  readonly maxCredentialsPerUser?: number
  /** Apps in this process, by origin. Default: the sandbox. */
  readonly localApps?: ReadonlyMap<string, LocalApp>
  /** How much of the change log is kept in memory for subscribers. */
  readonly window?: WindowLimits
  /** Default: those of the product. */
  readonly connectors?: ReadonlyMap<string, Connector>
}

/** A server on an existing database, with its own connections and caches, like another process. */
export const openServer = async (url: string, options: ServerOptions = {}) => {
  let statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const clock = createClock()
  const pgListener = createPgListener(url, clock)
  const access = createAccess(database, pgListener)
  const signingKeys = createSigningKeys({ database, vault: testVault, pgListener, clock })
  const tokens = createUserTokens({ signingKeys, clock, lifetimeSeconds: 3600 })
  const feed = createChangeFeed(pgListener)
  await pgListener.start()
  feed.start()
  const log = options.log ?? pino({ level: 'silent' })
  const live = createLiveChanges({
    database,
    feed,
    log,
    ...(options.window && { window: options.window }),
  })
  live.start()
  const appClient = createAppClient({
    allowPrivateAddresses: true,
    localApps:
      options.localApps ??
      new Map([[SANDBOX_ORIGIN, createSandboxApp({ database, clock }).handle]]),
  })
  const offered = options.connectors ?? connectors
  const deps = {
    appClient,
    connectors: offered,
    loadCredential: (id: string) => readCredential(database, testVault, id),
  }
  const writer = createRecordWriter({ database, catalogue, ...deps })
  const server = createServer({
    context: {
      database,
      access,
      vault: testVault,
      tokens,
      catalogue,
      writer,
      connectors: offered,
      passthrough: createPassthrough(deps),
      checkCredential: createCredentialCheck(deps),
      maxCredentialsPerUser: options.maxCredentialsPerUser ?? defaults.maxCredentialsPerUser,
      subscriptions: createSubscriptions({ database, live }),
      idempotentRequests: createIdempotentRequests(database, testVault),
      readWorkflow: createWorkflowReader(catalogue, offered),
      isDialled: createHostJudge(false),
      egressAddress: '203.0.113.7',
    },
    log,
    graphiql: options.graphiql ?? false,
    requestsPerMinute: options.requestsPerMinute ?? 0,
    addPages: addConnectRoutes,
    // Higher than the product's limit: most tests send wrong keys, and all come from one address.
    authFailuresPerMinute: options.authFailuresPerMinute ?? 0,
    trustedProxies: options.trustedProxies ?? 0,
    maxConnections: options.maxConnections ?? defaults.maxConnections,
    maxConnectionsPerKey: options.maxConnectionsPerKey ?? defaults.maxConnectionsPerKey,
    findUnreadiness: () => undefined,
  })
  checkResponses(server)
  return {
    database,
    clock,
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
      await pgListener.stop()
      await database.stop()
    },
  }
}

export const startService = async (options: ServerOptions = {}): Promise<TestService> => {
  const { url, drop } = await createTestDatabase()
  const opened = await openServer(url, options)
  const { database, clock, access, tokens, live, server, takeStatements, stop } = opened
  return {
    database,
    clock,
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
      const response = await server.inject({
        url: '/graphql',
        method: 'POST',
        headers: { ...bearer(key), ...headers },
        payload: { query, variables },
      })
      const { data, errors = [] } = response.json()
      return { status: response.statusCode, data, errors }
    },
    stop: async () => {
      await stop()
      await drop()
    },
  }
}
