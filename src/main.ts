/** One process of the service: starts its parts in order, and stops them in reverse order. */
import type { Logger } from 'pino'
import { startApi } from './process/api.ts'
import type { Config } from './process/config.ts'
import { type FirstStart, prepareFirstStart } from './process/first-start.ts'
import { createLog } from './process/log.ts'
import { startOperatorServer } from './process/operator-server.ts'
import { createRuntime } from './process/runtime.ts'
import { createShutdown, type Shutdown } from './process/shutdown.ts'
import { prepareStorage } from './process/storage.ts'
import { startWorkers } from './process/workers.ts'
import { generateFirstKey } from './store/accounts/keys.ts'

/** The roles of a process: `api` serves requests; `worker` syncs, delivers and runs workflows; `all` does both. */
export const roles = ['all', 'api', 'worker'] as const
export type Role = (typeof roles)[number]

export interface Trunkline {
  /** `http://127.0.0.1:4000`; undefined for a worker, which does not listen. */
  readonly address: string | undefined
  /** Where health checks and metrics are served; undefined without OPERATOR_PORT. */
  readonly operatorAddress: string | undefined
  readonly firstStart: FirstStart
  /** The first development key, which is shown once. Created last, so that a failed start does not lose it. */
  readonly newKey: string | undefined
  /** The file of encryption keys, if this start created it. */
  readonly newKeyFile: string | undefined
  /** @returns whether every step stopped in time; the rest ends with the process */
  stop(): Promise<boolean>
}

/** Starts the server for operators, if there is a port for it. It listens first, so that a start can be probed. */
const startOperator = async (
  { operatorPort: port, operatorHost: host }: Config,
  log: Logger,
  shutdown: Shutdown,
) => {
  if (port === undefined) return undefined
  // Loaded only here, so that a process without the port starts sooner.
  const { createMetrics } = await import('./process/metrics.ts')
  const metrics = createMetrics()
  const server = await startOperatorServer({ port, host, metrics, log })
  shutdown.add('operator server', () => server.stop())
  log.info({ address: server.address }, 'health checks and metrics are served')
  return { metrics, address: server.address }
}

const start = async (
  config: Config,
  role: Role,
  log: Logger,
  shutdown: Shutdown,
): Promise<Trunkline> => {
  const operator = await startOperator(config, log, shutdown)
  const { newKeyFile, ...storage } = await prepareStorage(config, log, shutdown)
  const runtime = await createRuntime(config, {
    ...storage,
    log,
    shutdown,
    metrics: operator?.metrics,
  })
  const { database, retry } = runtime
  const { developmentKey } = config
  const firstStart = await retry('prepare the first start', () =>
    prepareFirstStart({ ...runtime, developmentKey }),
  )
  if (role !== 'api') await startWorkers(runtime, firstStart)
  const address = role === 'worker' ? undefined : await startApi(runtime, firstStart)
  const [development] = firstStart.environmentIds
  const generate = () => retry('generate the key', () => generateFirstKey(database, development))
  const generated = address === undefined ? undefined : await generate()
  operator?.metrics.readAtScrape({ findUnreadiness: runtime.findUnreadiness })
  return {
    address,
    operatorAddress: operator?.address,
    firstStart,
    newKey: generated?.key,
    newKeyFile,
    stop: shutdown.run,
  }
}

/**
 * Starts the service and resolves once it serves requests.
 * @param signal aborted to stop the start; its parts that already run are stopped
 * @throws Error with the cause and the remedy, or the signal's reason, after everything is stopped
 */
export const startTrunkline = async (
  config: Config,
  role: Role = 'all',
  signal?: AbortSignal,
): Promise<Trunkline> => {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new Error(
      `--role ${role} needs a database that several processes share. Set DATABASE_URL.`,
    )
  const log = createLog(config, role)
  const shutdown = createShutdown({ log, signal })
  try {
    return await shutdown.within(start(config, role, log, shutdown))
  } catch (error) {
    await shutdown.run()
    throw error
  }
}
