/** The PostgreSQL that Trunkline brings: started on a data directory, or joined where it runs already. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryInUseError, lockDataDirectory } from './data-directory-lock.ts'
import { DATABASE_NAME, openCluster } from './embedded/cluster.ts'
import { type DatabaseLog, EmbeddedDatabaseError } from './embedded/error.ts'
import { stopOrphan } from './embedded/orphan.ts'
import { findPrograms } from './embedded/programs.ts'
import { findRunningServer } from './embedded/running.ts'
import { startServer } from './embedded/server.ts'
import { chooseDatabaseUser } from './embedded/user.ts'

/** What the embedded database needs: a directory that is its own to fill, and a place for its log. */
export interface EmbeddedDatabaseOptions {
  readonly dataDir: string
  readonly log: DatabaseLog
}

/**
 * A PostgreSQL of our own. `url` is good until `stop()`, which is to be called last, after every pool
 * on it is closed.
 */
export interface EmbeddedDatabase {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL on `<dataDir>/postgres`, reachable by password on a loopback port alone, with an
 * empty database `trunkline` when it is new. A process that dies without `stop()` loses no committed
 * row: the next start stops the PostgreSQL it left behind and begins anew.
 *
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE while another process is on the directory
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED
 */
export const startEmbeddedDatabase = async (
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> => {
  const { dataDir, log } = options
  const lock = await lockDataDirectory(dataDir)
  try {
    const clusterFolder = join(dataDir, 'postgres')
    const user = await chooseDatabaseUser(clusterFolder, log)
    const programs = await findPrograms(user, log)
    await stopOrphan(clusterFolder, log)
    const { cluster, password } = await openCluster({ dataDir, programs, user })
    const server = await startServer({ programs, cluster, log })
    return {
      url: urlOf(password, server.port),
      async stop() {
        await server.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * The same database for a command that is run beside the service: the one that runs, or one that is
 * started for as long as the command takes.
 *
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED, also where there is no database yet
 */
export const joinEmbeddedDatabase = async (
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> => {
  const clusterFolder = join(options.dataDir, 'postgres')
  if (!existsSync(clusterFolder))
    throw new EmbeddedDatabaseError(
      `There is no database in ${options.dataDir}: start the service there once, or set DATA_DIR or DATABASE_URL.`,
    )
  try {
    return await startEmbeddedDatabase(options)
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    const { password, port } = await findRunningServer(options.dataDir)
    return { url: urlOf(password, port), stop: async () => {} }
  }
}

const urlOf = (password: string, port: number | string): string => {
  return `postgresql://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`
}
