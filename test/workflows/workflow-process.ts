/**
 * A workflow process for tests to kill: `node workflow-process.ts <database url> <options>`. It reports
 * each write to its parent before performing it; with `hang` it reports and never writes.
 */

import { signWithSecrets } from '../../src/delivery/signature.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { silentLog } from '../../src/log.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import { createClock } from '../../src/store/database/clock.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { createWorkflowEngine } from '../../src/workflows/engine.ts'
import { testVault } from '../support/vault.ts'
import { apps } from './apps.ts'
import { createRecordingWriter } from './recording-writer.ts'

const [url = '', options = '{}'] = process.argv.slice(2)
const { hang, ...engineOptions } = JSON.parse(options)
process.once('disconnect', () => process.exit())

const database = openDatabase({ url, maxConnections: 4 })
const clock = createClock()
const pgListener = createPgListener(url, clock)
const changeSignal = createChangeSignal(pgListener)
await pgListener.start()
changeSignal.start()
const report = async ({ noteTitle }: { readonly noteTitle?: unknown }): Promise<void> => {
  process.send?.(String(noteTitle))
  if (hang) await new Promise(() => {})
}
const engine = createWorkflowEngine({
  database,
  clock,
  catalogue,
  changeSignal,
  connectors: apps,
  writer: createRecordingWriter(database, { before: report, after: report }),
  vault: testVault,
  sign: signWithSecrets,
  log: silentLog,
  allowPrivateAddresses: true,
  firstPauseMs: 20,
  ...engineOptions,
})
await engine.start()
