/** A process that starts a write of a record and never finishes: `node claim-holder.ts <database url> <record> <ms>`. */
import { openDatabase } from '../../src/store/database/database.ts'
import { withExclusiveWriter } from '../../src/write/exclusive-writer.ts'

const [url = '', record = '{}', claimMs] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 1 })

process.once('disconnect', () => process.exit())
const never = new Promise<void>(() => {})
const hold = (): Promise<void> => {
  process.send?.('held')
  return never
}
await withExclusiveWriter(database, JSON.parse(record), hold, {
  claimMs: Number(claimMs),
  timeoutMs: 0,
})
