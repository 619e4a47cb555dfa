/**
 * A process that sends requests with one credential until it receives the message to stop:
 * `node token-process.ts <database url> <server url> <credential> <lease, ms>`. Reports each failure.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { silentLog } from '../../src/log.ts'
import { openAppClient } from '../../src/process/app-client.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { defineTokenConnector } from '../support/token-app.ts'
import { testVault } from '../support/vault.ts'

const [databaseUrl = '', serverUrl = '', id = '', leaseMs = '3000'] = process.argv.slice(2)
const database = openDatabase({ url: databaseUrl, maxConnections: 2 })
const connector = defineTokenConnector({ url: serverUrl })
const { appClient } = openAppClient({
  database,
  vault: testVault,
  log: silentLog,
  clock: { nowMs: Date.now },
  allowPrivateAddresses: true,
  renewalTimes: { betweenRejectionsMs: 0, marginMs: 50, leaseMs: Number(leaseMs), waitMs: 20_000 },
})
process.once('disconnect', () => process.exit())

const credential = await readCredential(database, testVault, id)
if (!credential) throw new Error('The credential does not exist.')
process.send?.({ kind: 'started' })
for (;;) {
  try {
    await appClient.send(connector, credential, { method: 'GET', path: '/stages', read: true })
  } catch (error) {
    const { code = 'INTERNAL', reason = String(error) } = Object(error)
    process.send?.({ kind: 'failure', code, reason })
    await wait(100)
  }
  await wait(5)
}
