/** One process of the service: what it starts, in order, and stops in the reverse order. */
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { FirstStart } from './first-start.ts'
import { startApi } from './process/api.ts'
import { layFoundation } from './process/foundation.ts'
import { createLog } from './process/log.ts'
import { createShutdown, type Shutdown } from './process/shutdown.ts'
import { startWorkers } from './process/workers.ts'
import { generateFirstKey } from './store/keys.ts'

/** `api`: answers requests · `worker`: syncs, delivers, runs workflows · `all`: both. */
export const roles = ['all', 'api', 'worker'] as const
export type Role = (typeof roles)[number]

export interface Trunkline {
  /** `http://127.0.0.1:4000`; undefined for a worker, which listens nowhere. */
  readonly address: string | undefined
  readonly firstStart: FirstStart
  /** The first development key: made last, so a start that fails has not used up the one time it is told. */
  readonly newKey: string | undefined
  /** The file of encryption keys that this start made. */
  readonly newKeyFile: string | undefined
  /** @returns whether all of it has stopped; what has not ends with the process */
  stop(): Promise<boolean>
}

const start = async (
  config: Config,
  role: Role,
  log: Logger,
  shutdown: Shutdown,
): Promise<Trunkline> => {
  const foundation = await layFoundation(config, log, shutdown)
  if (role !== 'api') await startWorkers(foundation)
  const address = role === 'worker' ? undefined : await startApi(foundation)
  const { database, firstStart, newKeyFile } = foundation
  const [development] = firstStart.environmentIds
  const made = address === undefined ? undefined : await generateFirstKey(database, development)
  return { address, firstStart, newKey: made?.key, newKeyFile, stop: shutdown.run }
}

/**
 * Starts the service and resolves once it answers. `asked`: aborted when it is to stop, even before that.
 * @throws Error that says what is in the way, or the signal's reason; everything that had started is
 *   stopped then
 */
export const startTrunkline = async (
  config: Config,
  role: Role = 'all',
  asked?: AbortSignal,
): Promise<Trunkline> => {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new Error(
      `--role ${role} is one of several processes: they meet in the PostgreSQL of DATABASE_URL, which is not set.`,
    )
  const log = createLog(config)
  const shutdown = createShutdown({ log, asked })
  try {
    return await shutdown.within(start(config, role, log, shutdown))
  } catch (error) {
    await shutdown.run()
    throw error
  }
}
