/** A process that polls idle sandbox companies; each message makes every resource of each credential due once. */
import { setTimeout as wait } from 'node:timers/promises'
import { connectors } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { createSync } from '../../src/sync/schedule.ts'

const CREDENTIALS_PER_COMPANY = 5

const { DATABASE_URL: url = '' } = process.env
const connector = connectors.get('sandbox')
if (!connector) throw new Error('The registry has no sandbox.')
const database = openDatabase({ url })
const vault = createVault(parseEncryptionKeys(generateEncryptionKey()))
const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }
const app = createSandboxApp({ database, clock: { nowMs: Date.now } })
let runs = 0
const sync = createSync({
  database,
  vault,
  connectors: new Map([['sandbox', connector]]),
  appClient: createAppClient({
    allowPrivateAddresses: false,
    localApps: new Map([[SANDBOX_ORIGIN, app.handle]]),
  }),
  log,
  intervalMs: 3_600_000,
  onRun: () => runs++,
})

const environmentId = await ensureEnvironment(database, 'Bench', 'development')
const userId = await ensureUser(database, environmentId, 'bench', 'Bench')
for (const tenant of ['first', 'second']) {
  const { token } = await app.openTenant(tenant)
  const values = { tenant, token }
  const options = { environmentId, userId, connector, values, label: tenant }
  for (let credential = 0; credential < CREDENTIALS_PER_COMPANY; credential++)
    await sync.syncNow(await createCredential(database, vault, options))
}
// The overlap has passed, so the records of the first listing are not listed again.
await database.prisma.$executeRaw`UPDATE sync_states SET since = clock_timestamp()`
await sync.start()

process.on('message', async () => {
  runs = 0
  const due = await database.prisma.$executeRaw`UPDATE sync_states SET due_at = clock_timestamp()`
  while (runs < due) await wait(10)
  process.send?.(due)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
