/** A PostgreSQL that can be crashed and restarts on the same port. */
import { silentLog } from '../../src/log.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import { missingPrograms, startCluster } from '../support/cluster.ts'
import { createDataDir, endHosts, readPostmasterPid } from './hosts.ts'

export interface CrashableDatabase {
  readonly url: string
  /** Resolves when the next server process exists; it may not accept connections yet. */
  crash(): Promise<void>
  close(): Promise<void>
}

const openEmbedded = async (): Promise<CrashableDatabase> => {
  const dataDir = await createDataDir()
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log: silentLog })
  return {
    url,
    crash: async () => {
      // Immediate shutdown: the next start recovers as after a crash. Trunkline itself restarts it.
      process.kill(await readPostmasterPid(dataDir), 'SIGQUIT')
    },
    close: async () => {
      await stop()
      await endHosts()
    },
  }
}

const openCluster = async (): Promise<CrashableDatabase> => {
  const { url, crash, remove } = await startCluster()
  return { url, crash, close: remove }
}

/** The embedded PostgreSQL; one from Debian packages if the tests use another PostgreSQL. */
export const openCrashableDatabase = (): Promise<CrashableDatabase> =>
  process.env.DATABASE_URL === undefined || missingPrograms ? openEmbedded() : openCluster()
