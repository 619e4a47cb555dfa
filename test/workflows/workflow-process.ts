/**
 * A process that runs workflows, to be killed: `node workflow-process.ts <database url> <options>`. It
 * tells its parent of each write before it is made; with `hang` it then makes none.
 */
import { signPost } from '../../src/delivery/signature.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { createChangeFeed } from '../../src/store/change-feed.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createNotices } from '../../src/store/notices.ts'
import { createWorkflowEngine } from '../../src/workflows/engine.ts'
import { testVault } from '../support/vault.ts'
import { apps } from './apps.ts'
import { createRecordingWriter } from './recording-writer.ts'

const [url = '', options = '{}'] = process.argv.slice(2)
const { hang, ...engineOptions } = JSON.parse(options)
process.once('disconnect', () => process.exit())

const database = openDatabase({ url, maxConnections: 4 })
const notices = createNotices(url)
const feed = createChangeFeed(notices)
await notices.start()
feed.start()
const tell = async ({ noteTitle }: { readonly noteTitle?: unknown }): Promise<void> => {
  process.send?.(String(noteTitle))
  if (hang) await new Promise(() => {})
}
const engine = createWorkflowEngine({
  ...{ database, catalogue, feed, connectors: apps },
  writer: createRecordingWriter(database, { before: tell, after: tell }),
  ...{ vault: testVault, sign: signPost },
  log: { debug() {}, warn() {}, error() {} },
  allowPrivateAddresses: true,
  firstPauseMs: 20,
  ...engineOptions,
})
await engine.start()
