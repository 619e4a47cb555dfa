/**
 * A process with an embedded database, for tests to interrupt and kill: `node database-host.ts <dataDir>`.
 * Sends `{ url }` or `{ error }` to its parent; with `write` as second argument it adds rows and reports
 * each committed one. On SIGINT it runs a query, as a server that drains its work
 * does, and stops the database last.
 */

import { Client } from 'pg'
import { type Log, silentLog } from '../../src/log.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import type { HostMessage } from './hosts.ts'

const [dataDir = '', mode] = process.argv.slice(2)
const report = (message: HostMessage) => process.send?.(message)
process.once('disconnect', () => process.exit())

try {
  const log: Log = { ...silentLog, warn: (_fields, text) => void report({ warning: text }) }
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log })
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // a test kills PostgreSQL alone
  await client.connect()
  process.once('SIGINT', async () => {
    await client.query('SELECT 1')
    await client.end()
    report({ drained: true })
    await stop()
    process.disconnect()
  })
  report({ url })
  if (mode === 'write') {
    await client.query('CREATE TABLE written (id int)')
    for (let id = 1; ; id++) {
      await client.query('INSERT INTO written VALUES ($1)', [id])
      report({ written: id })
    }
  }
} catch (error) {
  report({ error: { ...(error as object), message: String(error) } })
  process.disconnect()
}
