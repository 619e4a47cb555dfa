/** One process of the service: what it starts, in order, and stops in the reverse order. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import pino, { type Logger } from 'pino'
import { createServer } from './api/server.ts'
import type { Config } from './config.ts'
import { type FirstStart, prepareFirstStart } from './first-start.ts'
import { catalogue } from './generated/registry.ts'
import { describePortOwner } from './port-owner.ts'
import { createAccess } from './store/access.ts'
import { type Database, openDatabase } from './store/database.ts'
import { startEmbeddedDatabase } from './store/embedded.ts'
import { applyMigrations } from './store/migrate.ts'
import { createNotices } from './store/notices.ts'

export interface Trunkline {
  /** `http://127.0.0.1:4000` */
  readonly address: string
  readonly firstStart: FirstStart
  stop(): Promise<void>
}

// What may never be written, wherever it turns up in what is logged.
const SECRETS = ['authorization', '*.authorization', 'headers.authorization', 'values', '*.values']

const createLog = ({ logFile, logLevel }: Config): Logger => {
  if (logFile !== undefined) mkdirSync(dirname(logFile), { recursive: true })
  return pino(
    { level: logLevel, redact: SECRETS, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    // Lines are gathered and written apart from the requests that they are of.
    pino.destination({ dest: logFile ?? 1, sync: false, minLength: 4096 }),
  )
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
      log.flush()
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

  const firstStart = await prepareFirstStart({
    database,
    developmentKey: config.developmentKey,
    sandbox: undefined,
  })

  const server = createServer({
    context: { database, access, catalogue },
    log,
    graphiql: config.graphiql,
    isReady: () => isAnswering(database),
  })
  shutdown.add('server', () => server.close())
  try {
    const address = await server.listen({ port: config.port, host: config.host })
    log.info({ address }, 'listening')
    return { address, firstStart, stop: () => shutdown.run() }
  } catch (error) {
    throw isPortTaken(error) ? await portTaken(config) : error
  }
}
