/** The embedded PostgreSQL: started on a data directory, or joined if it already runs there. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../../log.ts'
import { DATABASE_NAME, flushCluster, openCluster } from './cluster.ts'
import { DataDirectoryInUseError, lockDataDirectory } from './data-directory-lock.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { stopOrphan } from './orphan.ts'
import { findPlatformPackage, findPrograms } from './programs.ts'
import { findRunningServer } from './running.ts'
import { startServer } from './server.ts'
import { chooseDatabaseUser } from './user.ts'

/** Options of the embedded database: its data directory and its logger. */
export interface EmbeddedDatabaseOptions {
  readonly dataDir: string
  readonly log: Log
  /** Called when a program of PostgreSQL runs: first one that creates the cluster, if it does not exist. */
  readonly onSpawn?: (cluster: 'new' | 'existing') => void
}

/** A running embedded PostgreSQL. `url` is valid until `stop()`; close every pool before calling it. */
export interface EmbeddedDatabase {
  readonly url: string
  /** Resolves once the files of a new cluster are on disk. Await it before anything is acknowledged. */
  readonly durable: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`. It accepts password connections on a loopback port only; a new
 * cluster has an empty database `trunkline`. If a process dies without `stop()`, no committed row is lost:
 * the next start stops the orphaned PostgreSQL and starts a new one.
 *
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE if another process uses the directory
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED
 */
export const startEmbeddedDatabase = async (
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> => {
  const { dataDir, log, onSpawn = () => {} } = options
  // First, so that a start without the package creates no user.
  const platformPackage = findPlatformPackage()
  const lock = await lockDataDirectory(dataDir)
  try {
    const clusterFolder = join(dataDir, 'postgres')
    const user = await chooseDatabaseUser(clusterFolder, log)
    const programs = await findPrograms(platformPackage, user, log)
    await stopOrphan(clusterFolder, log)
    const { cluster, password, isNew } = await openCluster({
      dataDir,
      programs,
      user,
      onSpawn: () => onSpawn('new'),
    })
    const server = await startServer({
      programs,
      cluster,
      log,
      onSpawn: () => onSpawn('existing'),
    })
    const durable = isNew ? flushCluster(cluster, programs) : Promise.resolve()
    durable.catch(() => {}) // rejects for those who await it
    return {
      url: urlOf(password, server.port),
      durable,
      async stop() {
        await Promise.allSettled([durable, server.stop()])
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Starts the embedded database of a data directory that has one.
 *
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED if no database exists yet
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE if another process uses the directory
 */
export const startExistingDatabase = async (
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> => {
  if (!existsSync(join(options.dataDir, 'postgres')))
    throw new EmbeddedDatabaseError(
      `There is no database in ${options.dataDir}: start the service once, or set DATA_DIR or DATABASE_URL.`,
    )
  return startEmbeddedDatabase(options)
}

/**
 * Connects a CLI command to the embedded database: to the running server, or to one that is started for the
 * duration of the command.
 *
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED, also if no database exists yet
 */
export const joinEmbeddedDatabase = async (
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> => {
  try {
    return await startExistingDatabase(options)
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    const { password, port } = await findRunningServer(options.dataDir)
    return { url: urlOf(password, port), durable: Promise.resolve(), stop: async () => {} }
  }
}

const urlOf = (password: string, port: number | string): string => {
  return `postgresql://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`
}
