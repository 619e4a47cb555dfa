/** The whole service on a database of the tests, with every line of its log in a file. */
import { join } from 'node:path'
import { startTrunkline } from '../../src/main.ts'
import { readConfig } from '../../src/process/config.ts'
import { TEST_KEYS } from '../support/vault.ts'

/** Starts the service at the log level `trace`. @returns the service, and the path of its log */
export const startTraced = async (databaseUrl: string, dataDir: string) => {
  const logFile = join(dataDir, 'trunkline.log')
  const trunkline = await startTrunkline(
    readConfig({
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      LOG_FILE: logFile,
      LOG_LEVEL: 'trace',
      TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
      PORT: '0',
      SANDBOX: 'false',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    }),
  )
  return { trunkline, logFile }
}
