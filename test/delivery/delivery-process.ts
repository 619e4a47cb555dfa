/** A delivery process for tests to kill: `node delivery-process.ts <database url> <options>`. */
import { createWebhookDelivery } from '../../src/delivery/webhooks.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import { createClock } from '../../src/store/database/clock.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { testVault } from '../support/vault.ts'
import { createRecordingLog } from '../sync/recording-log.ts'

const [url = '', options = '{}'] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 4 })
const log = createRecordingLog()
const clock = createClock(log)
const pgListener = createPgListener(url, clock)
const changeSignal = createChangeSignal(pgListener)
await pgListener.start()
changeSignal.start()
const delivery = createWebhookDelivery({
  database,
  clock,
  vault: testVault,
  changeSignal,
  log,
  allowPrivateAddresses: true,
  ...JSON.parse(options),
})
process.once('disconnect', () => process.exit())
await delivery.start()
process.send?.('started')
