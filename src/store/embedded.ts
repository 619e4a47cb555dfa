import { join } from 'node:path'
import { lockDataDirectory } from './data-directory-lock.ts'
import { DATABASE_NAME, openCluster } from './embedded/cluster.ts'
import type { DatabaseLog } from './embedded/error.ts'
import { stopOrphan } from './embedded/orphan.ts'
import { findPrograms } from './embedded/programs.ts'
import { startServer } from './embedded/server.ts'
import { chooseDatabaseUser } from './embedded/user.ts'

export { type DatabaseLog, EmbeddedDatabaseError } from './embedded/error.ts'

/** What the embedded database needs: a directory that is its own to fill, and a place for its log. */
export type EmbeddedDatabaseOptions = { readonly dataDir: string; readonly log: DatabaseLog }

/**
 * A PostgreSQL of our own. `url` is good until `stop()`, which is to be called last, after every pool
 * on it is closed.
 */
export type EmbeddedDatabase = { readonly url: string; stop(): Promise<void> }

/**
 * Starts a PostgreSQL on `<dataDir>/postgres`, reachable by password on a loopback port alone, with an
 * empty database `trunkline` when it is new. A process that dies without `stop()` loses no committed
 * row: the next start stops the PostgreSQL it left behind and begins anew.
 *
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE while another process is on the directory
 * @throws EmbeddedDatabaseError EMBEDDED_DATABASE_FAILED
 */
export async function startEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const { dataDir, log } = options
  const lock = await lockDataDirectory(dataDir)
  try {
    const clusterFolder = join(dataDir, 'postgres')
    const user = await chooseDatabaseUser(clusterFolder, log)
    const programs = await findPrograms(user, log)
    await stopOrphan(clusterFolder, log)
    const { cluster, password } = await openCluster({ dataDir, programs, user })
    const server = await startServer({ programs, cluster, log })
    const authority = `${DATABASE_NAME}:${password}@127.0.0.1:${server.port}`
    return {
      url: `postgresql://${authority}/${DATABASE_NAME}`,
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
