/** One process of the service: what it starts, in order, and stops in the reverse order. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import pino, { type Logger } from 'pino'
import { createServer } from './api/server.ts'
import type { Config } from './config.ts'
import { type FirstStart, prepareFirstStart } from './first-start.ts'
import { catalogue, connectors } from './generated/registry.ts'
import { createAppClient } from './outbound/http.ts'
import { describePortOwner } from './port-owner.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from './sandbox/app.ts'
import { createSandboxLife } from './sandbox/life.ts'
import { createAccess } from './store/access.ts'
import { type Database, openDatabase } from './store/database.ts'
import { startEmbeddedDatabase } from './store/embedded.ts'
import { applyMigrations } from './store/migrate.ts'
import { createNotices } from './store/notices.ts'
import { createSync } from './sync/schedule.ts'

export interface Trunkline {
  /** `http://127.0.0.1:4000` */
  readonly address: string
  readonly firstStart: FirstStart
  stop(): Promise<void>
}

// What may never be written, wherever it turns up in what is logged.
const SECRETS = ['authorization', '*.authorization', 'headers.authorization', 'values', '*.values']

const LOG_DELAY_MS = 500

/** What the log says of an error: not all that hangs on it, such as the connection that it came over. */
const describeError = (error: unknown): object =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message,
        stack: error.stack,
        ...('code' in error && { code: error.code }),
        ...(error.cause !== undefined && { cause: describeError(error.cause) }),
      }
    : { message: String(error) }

const createLog = ({ logFile, logLevel }: Config): Logger => {
  if (logFile !== undefined) mkdirSync(dirname(logFile), { recursive: true })
  const log = pino(
    {
      level: logLevel,
      redact: SECRETS,
      serializers: { err: describeError },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Lines are gathered and written apart from the requests that they are of.
    pino.destination({ dest: logFile ?? 1, sync: false, minLength: 4096 }),
  )
  setInterval(() => log.flush(), LOG_DELAY_MS).unref()
  return log
}

/** Steps to stop, newest first: each is run even if another fails. */
const createShutdown = (log: Logger) => {
  const steps: { readonly name: string; readonly stop: () => Promise<void> }[] = []
  return {
    add: (name: string, stop: () => Promise<void>): void => void steps.unshift({ name, stop }),
    run: async (): Promise<void> => {
      for (const { name, stop } of steps.splice(0))
        try {
          await stop()
        } catch (error) {
          log.error({ err: error, step: name }, 'failed to stop')
        }
      log.info('stopped')
      await new Promise((resolve) => log.flush(resolve))
    },
  }
}

const isAnswering = async ({ prisma }: Database): Promise<boolean> => {
  try {
    await prisma.$queryRaw`SELECT 1`
    return true
  } catch {
    // Whatever the reason, the answer to "ready?" is no.
    return false
  }
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

const portTaken = async ({ port, host }: Config): Promise<Error> => {
  const owner = await describePortOwner(port, host)
  return new Error(
    `Port ${port} on ${host} is taken${owner === undefined ? '' : ` by ${owner}`}. Stop it, or set PORT.`,
  )
}

/**
 * Starts the service and resolves once it answers.
 * @throws Error that says what is in the way; everything that had started is stopped then
 */
export const startTrunkline = async (config: Config): Promise<Trunkline> => {
  const log = createLog(config)
  const shutdown = createShutdown(log)
  try {
    return await start(config, log, shutdown)
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

/** Companies that the example user's two credentials belong to. */
const SANDBOX_TENANTS = ['acme', 'acme-outlet']

const startSandbox = async (
  database: Database,
  log: Logger,
  shutdown: ReturnType<typeof createShutdown>,
) => {
  const app = createSandboxApp({ database })
  const life = createSandboxLife({ database, log })
  const tenants = await Promise.all(SANDBOX_TENANTS.map((tenant) => app.createTenant(tenant)))
  life.start()
  shutdown.add('sandbox', () => life.stop())
  const connector = connectors.get('sandbox')
  if (connector === undefined) throw new Error('The sandbox has no connector.')
  return { connector, handle: app.handle, tenants: tenants.map((access) => ({ ...access })) }
}

const start = async (
  config: Config,
  log: Logger,
  shutdown: ReturnType<typeof createShutdown>,
): Promise<Trunkline> => {
  let url = config.databaseUrl
  if (url === undefined) {
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log })
    shutdown.add('embedded database', () => embedded.stop())
    url = embedded.url
  }
  const { applied } = await applyMigrations(url)
  if (applied.length > 0) log.info({ applied }, 'migrations applied')

  const database = openDatabase({
    url,
    onConnectionError: (error) => log.warn({ err: error }, 'a database connection broke'),
  })
  shutdown.add('database', () => database.stop())
  const notices = createNotices(url)
  const access = createAccess(database, notices)
  await notices.start()
  shutdown.add('notices', () => notices.stop())

  const sandbox = config.sandbox ? await startSandbox(database, log, shutdown) : undefined
  const firstStart = await prepareFirstStart({
    database,
    developmentKey: config.developmentKey,
    sandbox,
  })

  const appClient = createAppClient({
    localApps: new Map(sandbox ? [[SANDBOX_ORIGIN, sandbox.handle]] : []),
    allowPrivateAddresses: config.allowPrivateAddresses,
  })
  shutdown.add('app client', () => appClient.stop())
  const sync = createSync({
    database,
    connectors,
    appClient,
    log,
    intervalMs: config.syncIntervalMs,
  })
  shutdown.add('sync', () => sync.stop())
  // The example's records are there before the addresses are told.
  if (firstStart.isNew) await Promise.all(firstStart.credentialIds.map((id) => sync.syncNow(id)))
  await sync.start()

  const server = createServer({
    context: { database, access, catalogue },
    log,
    graphiql: config.graphiql,
    isReady: () => isAnswering(database),
  })
  shutdown.add('server', () => server.close())
  try {
    const address = await server.listen({ port: config.port, host: config.host })
    return { address, firstStart, stop: () => shutdown.run() }
  } catch (error) {
    throw isPortTaken(error) ? await portTaken(config) : error
  }
}
