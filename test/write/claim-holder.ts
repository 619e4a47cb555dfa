/** A process that writes a record and never comes to the end: `node claim-holder.ts <database url> <record> <ms>`. */
import { openDatabase } from '../../src/store/database.ts'
import { asOnlyWriter } from '../../src/sync/one-writer.ts'

const [url = '', record = '{}', claimMs] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 1 })

process.once('disconnect', () => process.exit())
const never = new Promise<void>(() => {})
const hold = (): Promise<void> => {
  process.send?.('held')
  return never
}
await asOnlyWriter(database, JSON.parse(record), hold, {
  claimMs: Number(claimMs),
  patienceMs: 0,
})
