/** One process of the service: starts its parts in order, and stops them in reverse order. */
import type { Logger } from 'pino'
import type { Config } from './process/config.ts'
import { createLog } from './process/log.ts'
import { type Progress, silentProgress } from './process/progress.ts'
import type { Role } from './process/role.ts'
import type { Service } from './process/service.ts'
import { createShutdown, type Shutdown } from './process/shutdown.ts'
import { prepareStorage } from './process/storage.ts'

export interface Trunkline extends Service {
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

const start = async (config: Config, role: Role, options: StartOptions): Promise<Trunkline> => {
  const spawned = Promise.withResolvers<void>()
  const preparing = prepareStorage(config, { ...options, onSpawn: spawned.resolve })
  // Most of the modules: imported while PostgreSQL starts, which is another process.
  const importing = Promise.race([spawned.promise, preparing]).then(
    () => import('./process/service.ts'),
  )
  const [{ newKeyFile, durable, ...storage }, { startService }] = await Promise.all([
    preparing,
    importing,
  ])
  const service = await startService(config, role, { ...storage, ...options })
  await durable
  return { ...service, newKeyFile, stop: options.shutdown.run }
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
): Promise<Trunkline> => {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new Error(
      `--role ${role} needs a database that several processes share. Set DATABASE_URL.`,
    )
  const log = createLog(config)
  const shutdown = createShutdown({ log, signal })
  if (config.databaseUrl === undefined) progress('Starting PostgreSQL')
  try {
    return await shutdown.within(start(config, role, { log, shutdown, progress }))
  } catch (error) {
    await shutdown.run()
    throw error
  }
}
