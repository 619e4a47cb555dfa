/** A process that delivers, to be killed: `node delivery-process.ts <database url> <options>`. */
import { createWebhookDelivery } from '../../src/delivery/webhooks.ts'
import { createChangeFeed } from '../../src/store/change-feed.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createNotices } from '../../src/store/notices.ts'
import { testVault } from '../support/vault.ts'
import { keepingLog } from '../sync/workshop-log.ts'

const [url = '', options = '{}'] = process.argv.slice(2)
const database = openDatabase({ url, maxConnections: 4 })
const notices = createNotices(url)
const feed = createChangeFeed(notices)
await notices.start()
feed.start()
const delivery = createWebhookDelivery({
  ...{ database, vault: testVault, feed, log: keepingLog(), allowPrivateAddresses: true },
  ...JSON.parse(options),
})
process.once('disconnect', () => process.exit())
await delivery.start()
process.send?.('started')
