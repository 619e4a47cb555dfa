/** A PostgreSQL that ends without a word and is started again, on the same port. */
import { startEmbeddedDatabase } from '../../src/store/embedded.ts'
import { missingPrograms, startCluster } from '../support/cluster.ts'
import { endHosts, newDataDir, postmasterPid, silentLog } from './hosts.ts'

export interface CrashableDatabase {
  readonly url: string
  /** Resolves when the next server process is there; it may not take connections yet. */
  crash(): Promise<void>
  close(): Promise<void>
}

const openEmbedded = async (): Promise<CrashableDatabase> => {
  const dataDir = await newDataDir()
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log: silentLog })
  return {
    url,
    crash: async () => {
      // Immediate shutdown: as after a crash, the next start recovers. That one is Trunkline's own.
      process.kill(await postmasterPid(dataDir), 'SIGQUIT')
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

/** The embedded one; where the tests run on another PostgreSQL, one of Debian's. */
export const openCrashableDatabase = (): Promise<CrashableDatabase> =>
  process.env.DATABASE_URL === undefined || missingPrograms ? openEmbedded() : openCluster()
