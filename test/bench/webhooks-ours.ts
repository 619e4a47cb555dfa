/** Trunkline's webhook delivery as the service runs it, started by a message. Env: DATABASE_URL, ENCRYPTION_KEYS, DEADLINE_MS. */

// A running service has loaded its HTTP client, as the bare loop has before it starts.
import 'undici'
import { createWebhookDelivery } from '../../src/delivery/webhooks.ts'
import { silentLog } from '../../src/log.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import { createClock } from '../../src/store/database/clock.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { parseEncryptionKeys } from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'

const { DATABASE_URL: url = '', ENCRYPTION_KEYS: keys = '', DEADLINE_MS: deadline } = process.env
const database = openDatabase({ url })
const clock = createClock()
const pgListener = createPgListener(url, clock)
const changeSignal = createChangeSignal(pgListener)
await pgListener.start()
changeSignal.start()
const delivery = createWebhookDelivery({
  database,
  clock,
  changeSignal,
  vault: createVault(parseEncryptionKeys(keys)),
  log: { ...silentLog, warn: console.warn, error: console.error },
  allowPrivateAddresses: true,
  ...(deadline !== undefined && { deadlineMs: Number(deadline) }),
})

// A running service is already connected to its database, so connecting is not measured.
await database.prisma.$queryRaw`SELECT 1`

process.once('message', () => delivery.start())
process.once('SIGTERM', async () => {
  await delivery.stop()
  process.exit()
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
