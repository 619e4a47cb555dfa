/**
 * A sync process for tests to kill: `node sync-process.ts <database url> <options> [credential]`.
 * With a credential it runs that one to the end and reports it; without, it runs what is due.
 */
import { createAppClient } from '../../src/outbound/http.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createSync } from '../../src/sync/schedule.ts'
import { defineFakeConnector } from '../support/fake-app.ts'
import { testVault } from '../support/vault.ts'
import { createRecordingLog, quickClient } from './recording-log.ts'
import { windows } from './windowed.ts'

const [url = '', options = '{}', credentialId] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 4 })
const appClient = createAppClient({ ...quickClient, allowPrivateAddresses: true })
const { isWindowed, ...syncOptions } = JSON.parse(options)
const connectors = new Map([['fake', defineFakeConnector({}, isWindowed ? windows : undefined)]])
const log = createRecordingLog()
const sync = createSync({
  database,
  vault: testVault,
  connectors,
  appClient,
  log,
  ...syncOptions,
})

process.once('disconnect', () => process.exit())
process.once('SIGTERM', async () => {
  await sync.stop()
  await appClient.stop()
  await database.stop()
  process.disconnect?.()
})

if (credentialId) {
  await sync.syncNow(credentialId)
  process.send?.('done')
} else {
  await sync.start()
  process.send?.('started')
}
