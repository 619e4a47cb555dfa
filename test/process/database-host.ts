/**
 * A process with an embedded database, to be interrupted and killed: `node database-host.ts <dataDir>`.
 * Tells its parent `{ url }` or `{ error }`; with `write` as second argument it adds rows and tells of
 * each that was committed. On SIGINT it asks the database something, as a server draining its work
 * does, and stops the database last.
 */
import { Client } from 'pg'
import { startEmbeddedDatabase } from '../../src/store/embedded.ts'
import type { HostMessage } from './hosts.ts'

const [dataDir = '', mode] = process.argv.slice(2)
const tell = (message: HostMessage) => process.send?.(message)
process.once('disconnect', () => process.exit())

try {
  const log = { debug() {}, info() {}, warn: (text: string) => tell({ warning: text }) }
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log })
  const client = new Client({ connectionString: url })
  await client.connect()
  process.once('SIGINT', async () => {
    await client.query('SELECT 1')
    await client.end()
    tell({ drained: true })
    await stop()
    process.disconnect()
  })
  tell({ url })
  if (mode === 'write') {
    await client.query('CREATE TABLE written (id int)')
    for (let id = 1; ; id++) {
      await client.query('INSERT INTO written VALUES ($1)', [id])
      tell({ written: id })
    }
  }
} catch (error) {
  tell({ error: { ...(error as object), message: String(error) } })
  process.disconnect()
}
