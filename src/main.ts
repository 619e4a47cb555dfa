/** One process of the service: starts its parts in order, and stops them in reverse order. */
import type { Logger } from 'pino'
import type { Config } from './process/config.ts'
import { createLog } from './process/log.ts'
import { type Progress, silentProgress } from './process/progress.ts'
import type { Role } from './process/role.ts'
import type { Service } from './process/service.ts'
import { createShutdown, type Shutdown } from './process/shutdown.ts'
import { prepareStorage } from './process/storage.ts'

export interface TrunklineProcess extends Service {
  /** Where health checks and metrics are served; undefined without OPERATOR_PORT. */
  readonly operatorAddress: string | undefined
  /** The file of encryption keys, if this start created it. */
  readonly newKeyFile: string | undefined
  /** @returns whether every step stopped in time; the rest ends with the process */
  stop(): Promise<boolean>
}

interface StartOptions {
  readonly log: Logger
  readonly shutdown: Shutdown
  readonly progress: Progress
}

/** Starts the server for operators, if there is a port for it. It listens first, so that a start can be probed. */
const startOperator = async (
  { operatorPort: port, operatorHost: host }: Config,
  { log, shutdown }: StartOptions,
) => {
  if (port === undefined) return undefined
  // Loaded only here, so that a process without the port starts sooner.
  const [{ createMetrics }, { startOperatorServer }] = await Promise.all([
    import('./process/metrics.ts'),
    import('./process/operator-server.ts'),
  ])
  const metrics = createMetrics()
  const server = await startOperatorServer({ port, host, metrics, log })
  shutdown.add('operator server', () => server.stop())
  log.info({ address: server.address }, 'health checks and metrics are served')
  return { metrics, address: server.address }
}

/** Starts tracing, if a collector is configured. First, so that it stops last. */
const traceFromStart = async (config: Config, role: Role, { log, shutdown }: StartOptions) => {
  if (!config.tracing) return
  const { startTracing } = await import('./process/tracing.ts')
  const stop = await startTracing(config.tracing, role, log)
  if (stop !== undefined) shutdown.add('traces', stop)
}

const start = async (
  config: Config,
  role: Role,
  options: StartOptions,
): Promise<TrunklineProcess> => {
  await traceFromStart(config, role, options)
  const operator = await startOperator(config, options)
  const spawned = Promise.withResolvers<'new' | 'existing'>()
  const preparing = prepareStorage(config, { ...options, onSpawn: spawned.resolve })
  // Most of the modules: imported while PostgreSQL starts, which is another process.
  const importing = Promise.race([spawned.promise, preparing]).then(async (cluster) => {
    const { startService, warmUp } = await import('./process/service.ts')
    return { startService, warm: await warmUp(config, role, cluster === 'new') }
  })
  const [{ newKeyFile, durable, ...storage }, { startService, warm }] = await Promise.all([
    preparing,
    importing,
  ])
  const service = await startService(config, role, {
    ...storage,
    ...options,
    ...warm,
    metrics: operator?.metrics,
  })
  await durable
  return {
    ...service,
    operatorAddress: operator?.address,
    newKeyFile,
    stop: options.shutdown.run,
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
  progress = silentProgress,
): Promise<TrunklineProcess> => {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new Error(
      `--role ${role} needs a database that several processes share. Set DATABASE_URL.`,
    )
  const log = createLog(config, role)
  const shutdown = createShutdown({ log, signal })
  if (config.databaseUrl === undefined) progress('Starting PostgreSQL')
  try {
    return await shutdown.within(start(config, role, { log, shutdown, progress }))
  } catch (error) {
    await shutdown.run()
    throw error
  }
}
