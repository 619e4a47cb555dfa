/** The API on its own database, without sockets: requests are injected into the server. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino, { type Logger } from 'pino'
import type { UserTokens } from '../../src/api/auth/tokens.ts'
import type { Connector } from '../../src/definition/connector.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import type { LiveChanges } from '../../src/delivery/live-changes.ts'
import type { WindowLimits } from '../../src/delivery/window.ts'
import { createApi } from '../../src/process/api.ts'
import { type Config, readConfig } from '../../src/process/config.ts'
import type { Metrics } from '../../src/process/metrics.ts'
import { createRuntime, type Runtime } from '../../src/process/runtime.ts'
import { createShutdown } from '../../src/process/shutdown.ts'
import type { Access } from '../../src/store/accounts/access.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { saveApiKey } from '../../src/store/accounts/keys.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import type { Clock } from '../../src/store/database/clock.ts'
import type { Database } from '../../src/store/database/database.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { loadEncryptionKeys } from '../../src/store/secrets/encryption-keys.ts'
import { checkResponses } from './closed-world.ts'
import { createTestDatabase } from './database.ts'
import { type ExercisedVerb, observeVerbs } from './exercised-verbs.ts'
import { TEST_KEYS } from './vault.ts'

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
  readonly runtime: Runtime
  readonly database: Database
  readonly clock: Clock
  readonly access: Access
  readonly tokens: UserTokens
  readonly live: LiveChanges
  readonly url: string
  readonly server: FastifyInstance
  /** The verbs of the successful requests for records over REST. */
  readonly exercisedVerbs: readonly ExercisedVerb[]
  /** Every statement since the last call, oldest first, except the minutely one that saves the uses of keys. */
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

const authorizationHeader = (key: string | undefined) =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

/** Part of the statement that saves the last uses of keys. */
const KEY_USES = 'UPDATE api_keys k SET last_used_at'

/** Settings of the service that differ from the defaults of the tests. */
export interface ServerOptions extends Partial<Config> {
  /** Whether the service may connect to apps on this machine. */
  readonly allowPrivateAddresses?: boolean
  readonly log?: Logger
  /** Size of the part of the change log that the service holds in memory for subscribers. */
  readonly window?: WindowLimits
  /** Default: the connectors of the product. */
  readonly connectors?: ReadonlyMap<string, Connector>
  /** Receives the metrics of the service. */
  readonly metrics?: Metrics
}

/** A server on an existing database, with its own connections and caches, like another process. */
export const openServer = async (
  url: string,
  {
    allowPrivateAddresses = false,
    log = pino({ level: 'silent' }),
    window,
    connectors,
    metrics,
    ...settings
  }: ServerOptions = {},
) => {
  let statements: string[] = []
  const variables = {
    DATABASE_URL: url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    ALLOW_PRIVATE_ADDRESSES: String(allowPrivateAddresses),
    EGRESS_ADDRESS: '203.0.113.7',
    GRAPHIQL: 'false',
    // No limits: most tests send wrong keys, and all come from one address.
    RATE_LIMIT_PER_MINUTE: '0',
    AUTH_FAILURES_PER_MINUTE: '0',
  }
  const config = { ...readConfig(variables), ...settings }
  const { keys } = await loadEncryptionKeys(config)
  const shutdown = createShutdown({ log })
  const runtime = await createRuntime(config, {
    keys,
    url,
    log,
    shutdown,
    ...(connectors && { connectors }),
    ...(metrics && { metrics }),
    onStatement: (sql) => {
      if (!sql.includes(KEY_USES)) statements.push(sql)
    },
  })
  const { server, live } = createApi(runtime, window)
  checkResponses(server)
  const exercisedVerbs = observeVerbs(server)
  const { database, clock, access, tokens } = runtime
  statements = []
  return {
    runtime,
    database,
    clock,
    access,
    tokens,
    live,
    server,
    exercisedVerbs,
    takeStatements: (): readonly string[] => {
      const previous = statements
      statements = []
      return previous
    },
    stop: async (): Promise<void> => {
      await shutdown.run()
    },
  }
}

export const startService = async (options: ServerOptions = {}): Promise<TestService> => {
  const { url, drop } = await createTestDatabase()
  const opened = await openServer(url, options)
  const { database, server, stop } = opened
  return {
    ...opened,
    url,
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
      await database.transaction((transaction) =>
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
    rest: (key, path) =>
      server.inject({ url: `/2024-03/one${path}`, headers: authorizationHeader(key) }),
    send: (key, method, url, body, headers) =>
      server.inject({
        url,
        method,
        headers: { ...authorizationHeader(key), ...headers },
        ...(body && { payload: body }),
      }),
    graphql: async (key, query, variables, headers) => {
      const response = await server.inject({
        url: '/graphql',
        method: 'POST',
        headers: { ...authorizationHeader(key), ...headers },
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
