/**
 * A process that reads the change log as it grows: `node reader-process.ts <database url> <cursor>`. It
 * sends each change to its parent in read order; on the end message it reads to the end and sends `done`.
 */
import { decodeChangeCursor } from '../../src/query/change-cursor.ts'
import { readChanges } from '../../src/store/changes/changes.ts'
import { openDatabase } from '../../src/store/database/database.ts'

const [url = '', cursor = ''] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 1 })
process.once('disconnect', () => process.exit())

let isEnding = false
process.once('message', () => {
  isEnding = true
})

process.send?.('started')
for (let after = decodeChangeCursor(cursor, 'after'); ; ) {
  const isLast = isEnding
  // A small page, so that most pages end in the middle of concurrent writes.
  const { changes, next } = await readChanges(database, { after, limit: 7 })
  after = next
  for (const { recordId, record } of changes)
    process.send?.({ recordId, website: JSON.parse(record ?? '{}').website })
  if (isLast && changes.length === 0) break
}
process.send?.('done', () => process.disconnect())
await database.stop()
