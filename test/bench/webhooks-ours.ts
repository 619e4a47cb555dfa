/** Our delivery, as the service runs it, from a message on. Env: DATABASE_URL, ENCRYPTION_KEYS, DEADLINE_MS. */
import { createWebhookDelivery } from '../../src/delivery/webhooks.ts'
import { parseEncryptionKeys } from '../../src/encryption-key.ts'
import { createChangeFeed } from '../../src/store/change-feed.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createNotices } from '../../src/store/notices.ts'
import { createVault } from '../../src/store/vault.ts'

const { DATABASE_URL: url = '', ENCRYPTION_KEYS: keys = '', DEADLINE_MS: deadline } = process.env
const database = openDatabase({ url })
const notices = createNotices(url)
const feed = createChangeFeed(notices)
await notices.start()
feed.start()
const delivery = createWebhookDelivery({
  ...{ database, feed, vault: createVault(parseEncryptionKeys(keys)) },
  log: { debug: () => {}, warn: console.warn, error: console.error },
  allowPrivateAddresses: true,
  ...(deadline !== undefined && { deadlineMs: Number(deadline) }),
})

// A service has connected to its database long before it sends; that is its start, and not measured.
await database.prisma.$queryRaw`SELECT 1`

process.once('message', () => delivery.start())
process.once('SIGTERM', async () => {
  await delivery.stop()
  process.exit()
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
