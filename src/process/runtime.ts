/** The dependencies of every process, whatever its role: the database, secrets, authentication and apps. */
import type { Logger } from 'pino'
import { createUserTokens, type UserTokens } from '../api/auth/tokens.ts'
import type { Connector } from '../definition/connector.ts'
import { catalogue, connectors } from '../generated/registry.ts'
import type { Log } from '../log.ts'
import { EXCHANGE_LIMITS, type Exchange } from '../outbound/exchange.ts'
import type { AppClient } from '../outbound/http.ts'
import type { TokenEndpoint } from '../outbound/oauth/token-endpoint.ts'
import type { RecordWriter } from '../query/write-request.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../sandbox/app.ts'
import { SANDBOX_CLIENT } from '../sandbox/oauth/endpoints.ts'
import { renewTenants } from '../sandbox/renew.ts'
import type { PreparedTenant } from '../sandbox/tenant.ts'
import { type Access, createAccess } from '../store/accounts/access.ts'
import { createAppRequestLog } from '../store/accounts/app-requests.ts'
import { readCredential } from '../store/accounts/credentials.ts'
import { createKeyUses } from '../store/accounts/key-uses.ts'
import { createPauses } from '../store/budgets/pauses.ts'
import { createRequestLedger } from '../store/budgets/request-ledger.ts'
import { type ChangeSignal, createChangeSignal } from '../store/changes/change-signal.ts'
import { type Clock, createClock } from '../store/database/clock.ts'
import { type Database, openDatabase, openRequestPool } from '../store/database/database.ts'
import { createDiskSpaceWatch, type DiskSpaceWatch } from '../store/database/disk-space.ts'
import { createOutageWatch } from '../store/database/outage.ts'
import { createPgListener, type PgListener } from '../store/database/pg-listener.ts'
import { retryTemporary } from '../store/database/retry.ts'
import { describeTemporary, type TemporaryFailure } from '../store/database/temporary-failure.ts'
import { hashPlainSandboxTokens } from '../store/sandbox/sandbox-records.ts'
import { openVault } from '../store/secrets/open-vault.ts'
import { createSigningKeys } from '../store/secrets/signing-keys.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { createCredentialCheck } from '../write/check-credential.ts'
import { createPassthrough } from '../write/passthrough.ts'
import { createRecordWriter } from '../write/record-writer.ts'
import { openAppClient } from './app-client.ts'
import type { Config } from './config.ts'
import { EXAMPLE_TENANTS } from './example-tenants.ts'
import type { Metrics } from './metrics.ts'
import { type Progress, silentProgress } from './progress.ts'
import type { Shutdown } from './shutdown.ts'
import type { Storage } from './storage.ts'

export interface Runtime {
  readonly config: Config
  /** The log. A database outage is two lines in it. */
  readonly log: Log
  /** Its logger, for Fastify. */
  readonly logger: Logger
  readonly shutdown: Shutdown
  readonly progress: Progress
  readonly database: Database
  /** The same database, with limits, for queries on behalf of a caller. */
  readonly requestDatabase: Database
  readonly pgListener: PgListener
  /** The clock of the database. */
  readonly clock: Clock
  readonly diskSpace: DiskSpaceWatch
  readonly vault: Vault
  readonly access: Access
  readonly tokens: UserTokens
  readonly changeSignal: ChangeSignal
  readonly appClient: AppClient
  readonly tokenEndpoint: TokenEndpoint
  /** Sends requests to apps that are not a connector's, such as the revocation of a token. */
  readonly exchange: Exchange
  readonly writer: RecordWriter
  readonly passthrough: ReturnType<typeof createPassthrough>
  readonly checkCredential: ReturnType<typeof createCredentialCheck>
  /** The available apps, by name. */
  readonly connectors: ReadonlyMap<string, Connector>
  /** The sandbox app; undefined: it is not available. */
  readonly sandbox: ReturnType<typeof openSandbox> | undefined
  /** Why the process cannot read or write the database; undefined: it can. Uses only state in memory. */
  readonly findUnreadiness: () => TemporaryFailure | undefined
  /** Undefined: nothing is measured. */
  readonly metrics: Metrics | undefined
  /** Retries a step of the start while the database is temporarily unavailable. */
  readonly retry: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>
}

/** The inputs of `createRuntime` in addition to the configuration. */
export interface RuntimeOptions extends Pick<Storage, 'keys' | 'url'> {
  readonly log: Logger
  readonly shutdown: Shutdown
  /** The connectors of the apps, by name. Default: those of the registry. */
  readonly connectors?: ReadonlyMap<string, Connector>
  /** Undefined: nothing is measured. */
  readonly metrics?: Metrics | undefined
  /** Receives the text of every statement. */
  readonly onStatement?: (sql: string) => void
  /** Receives each longer step of the start. */
  readonly progress?: Progress
  /** The sandbox companies of a new database, in the order of EXAMPLE_TENANTS. Default: computed when needed. */
  readonly exampleTenants?: readonly PreparedTenant[]
}

// A request in flight occupies its slot until its process settles it, at most for this time after its deadline.
const SLOT_GRACE_MS = 5_000

const openSandbox = (
  database: Database,
  clock: Clock,
  {
    progress = silentProgress,
    exampleTenants,
  }: Pick<RuntimeOptions, 'progress' | 'exampleTenants'>,
) => {
  const app = createSandboxApp({ database, clock })
  const connector = connectors.get('sandbox')
  if (connector === undefined)
    throw new Error('The registry has no connector named sandbox. Run the code generation.')
  const openTenants = async () => {
    const tenants: Readonly<Record<string, string>>[] = []
    for (const [index, tenant] of EXAMPLE_TENANTS.entries()) {
      progress(`Creating sandbox company ${index + 1} of ${EXAMPLE_TENANTS.length}`)
      const prepared = exampleTenants?.[index]
      tenants.push({ ...(await app.openTenant(tenant, { prepared })) })
    }
    return tenants
  }
  const { handle, authorize } = app
  return { connector, oauthClient: SANDBOX_CLIENT, handle, authorize, openTenants }
}

/** Creates the runtime, step by step. @throws Error with the cause and the remedy */
export const createRuntime = async (config: Config, options: RuntimeOptions): Promise<Runtime> => {
  const { keys, url, log: logger, shutdown, connectors: offered = connectors } = options
  const { onStatement, metrics, progress = silentProgress } = options
  const outages = createOutageWatch({
    database: () => database,
    isListening: () => pgListener.isConnected,
    log: logger,
  })
  const log = outages.quiet(logger)
  const diskSpace = createDiskSpaceWatch({ database: () => database, log })
  const watched = {
    ...(onStatement && { onStatement }),
    onSqlState: diskSpace.note,
    onConnectionError: (error: Error) => log.warn({ err: error }, 'a database connection failed'),
    onPoolWait: (waiting: number) => {
      metrics?.onPoolWait()
      log.warn({ waiting }, 'statements are waiting for a database connection')
    },
  }
  const clock = createClock(log)
  const pgListener = createPgListener(url, clock, () =>
    outages.begin('the connection that receives notifications broke'),
  )
  const database = openDatabase({ url, ...watched })
  shutdown.add('database', () => database.stop())
  const requestDatabase = openRequestPool(database, watched)
  shutdown.add('request pool', () => requestDatabase.stop())
  diskSpace.start()
  shutdown.add('disk space watch', () => diskSpace.stop())
  outages.start()
  shutdown.add('outage watch', () => outages.stop())
  const retry: Runtime['retry'] = (name, work) =>
    retryTemporary(work, { log, name, signal: shutdown.signal })
  const vault = await retry('open the vault', () => openVault(database, keys, log))

  // Listeners are created before the first notifications arrive.
  const keyUses = createKeyUses({
    database,
    onFailure: (error) => log.warn({ err: error }, 'could not save the last use of API keys'),
  })
  const access = createAccess(requestDatabase, pgListener, keyUses.note)
  const signingKeys = createSigningKeys({ database, vault, pgListener, clock })
  const changeSignal = createChangeSignal(pgListener)
  const pauses = createPauses({
    database,
    pgListener,
    onFailure: (error) => log.warn({ err: error }, 'the pauses of apps could not be read'),
  })
  shutdown.add('PostgreSQL listener', () => pgListener.stop())
  await pgListener.start()
  changeSignal.start()
  shutdown.add('change signal', async () => changeSignal.stop())
  keyUses.start()
  shutdown.add('key uses', () => keyUses.stop())
  // Loaded now, so that no request waits for it and a key that cannot be decrypted fails the start.
  await retry('load the signing key', () => signingKeys.current())
  const lifetimeSeconds = config.userTokenSeconds
  const tokens = createUserTokens({ signingKeys, clock, lifetimeSeconds })

  const hashed = await retry('hash sandbox tokens', () => hashPlainSandboxTokens(database))
  if (hashed > 0)
    log.info({ tenants: hashed }, 'hashed sandbox tokens that were stored in plain text')
  const renewed = config.sandbox
    ? await retry('renew sandbox companies', () => renewTenants(database, new Date(clock.nowMs())))
    : 0
  if (renewed > 0)
    log.info({ tenants: renewed }, 'gave sandbox companies of an earlier version new records')
  const sandbox = config.sandbox ? openSandbox(database, clock, options) : undefined
  if (config.egress.proxy)
    log.info({ proxy: config.egress.proxy.host }, 'connections to apps and webhooks use a proxy')
  const requestLog = createAppRequestLog({
    database,
    onFailure: (error) => log.warn({ err: error }, 'could not log requests to apps'),
  })
  requestLog.start()
  shutdown.add('request log', () => requestLog.stop())
  const { appRequestLog } = config
  const { appClient, tokenEndpoint, exchange } = openAppClient({
    database,
    vault,
    clock,
    log,
    localApps: new Map(sandbox ? [[SANDBOX_ORIGIN, sandbox.handle]] : []),
    ...config.egress,
    onRequest: metrics?.onAppRequest,
    ...(appRequestLog !== 'off' && {
      requestLog: { requests: appRequestLog, onRequest: requestLog.note },
    }),
    budgets: {
      ledger: createRequestLedger({
        database,
        pauses,
        slotMs: EXCHANGE_LIMITS.deadlineMs + SLOT_GRACE_MS,
      }),
      log,
      onBudget: metrics?.onBudget,
      onRefusal: metrics?.onBudgetRefusal,
    },
  })
  shutdown.add('app client', () => appClient.stop())
  // Without the sandbox app, its connector has nothing to connect to.
  const available = new Map([...offered].filter(([app]) => app !== 'sandbox' || config.sandbox))
  const dependencies = {
    connectors: available,
    appClient,
    loadCredential: (id: string) => readCredential(database, vault, id),
  }
  const writer = createRecordWriter({ database, catalogue, ...dependencies })
  const passthrough = createPassthrough(dependencies)
  const checkCredential = createCredentialCheck(dependencies)
  // A probe takes no connection and does not wait.
  const findUnreadiness = () => {
    if (!pgListener.isConnected) return describeTemporary('unreachable')
    return diskSpace.isFull ? describeTemporary('disk-full') : undefined
  }
  metrics?.readAtScrape({ database, requestDatabase })
  return {
    config,
    log,
    logger,
    shutdown,
    progress,
    database,
    requestDatabase,
    pgListener,
    clock,
    diskSpace,
    vault,
    access,
    tokens,
    changeSignal,
    appClient,
    tokenEndpoint,
    exchange,
    writer,
    passthrough,
    checkCredential,
    connectors: available,
    sandbox,
    findUnreadiness,
    metrics,
    retry,
  }
}
