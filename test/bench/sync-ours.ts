/**
 * Trunkline's initial sync of the app in `sync-app.ts`, as the service runs it: the engine with its leases,
 * retries, comparison and change log. It waits for a message, so that its start is not measured, and sends
 * one when everything is stored. Env: DATABASE_URL, APP_ORIGIN.
 */
import { defineConnector, type ListPage } from '../../src/definition/connector.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { account } from '../../src/resources/crm/account.ts'
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
import type { AppAccount, AppPage } from './sync-app.ts'

const mapping = defineMapping<typeof account, AppAccount>(account, {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'updated',
  remoteDeleted: null,
  accountName: 'name',
  accountOwner: 'owner',
  description: 'about',
  industry: 'industry',
  website: 'website',
  numberOfEmployees: 'employees',
  lastActivityAt: 'lastActivity',
  addresses: ({ address: { street, zip, ...place } }) => [
    { addressType: 'Billing', street1: street, ...place, postalCode: zip },
  ],
  phoneNumbers: ({ phone }) => [{ phoneNumberType: 'Primary', phoneNumber: phone }],
  remoteFields: ({ lifecycleStage, score, tags }) => ({ lifecycleStage, score, tags }),
})

const readList = (body: unknown): ListPage => {
  // The benchmark's own app has this page format.
  const { records, nextPage } = body as AppPage
  return { records, next: nextPage ?? undefined }
}

const connector = defineConnector({
  app: 'bench',
  name: 'Bench',
  doc: 'The app of the benchmark.',
  auth: {
    origin: {
      type: 'apiKey',
      fields: { origin: { doc: 'Its address.', secret: false } },
      baseUrl: '{origin}',
      request: {},
    },
  },
  readFailure: ({ status }) =>
    status === 200 ? undefined : { kind: 'refused', reason: String(status) },
  check: { method: 'GET', path: '/' },
  resources: {
    'crm/accounts': {
      mapping,
      listRequest: ({ cursor = 1 }) => ({ method: 'GET', path: `/accounts?page=${cursor}` }),
      readList: ({ body }) => readList(body),
      sync: { incremental: true, deletions: 'reported', overlapMs: 1000 },
    },
  },
})

const { DATABASE_URL: url = '', APP_ORIGIN: origin = '' } = process.env
const database = openDatabase({ url })
const vault = createVault(parseEncryptionKeys(generateEncryptionKey()))
const environmentId = await ensureEnvironment(database, 'Bench', 'development')
const userId = await ensureUser(database, environmentId, 'bench', 'Bench')
const credential = { environmentId, userId, connector, values: { origin } }
const credentialId = await createCredential(database, vault, credential)
const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }
const sync = createSync({
  database,
  vault,
  connectors: new Map([['bench', connector]]),
  appClient: createAppClient({ allowPrivateAddresses: true }),
  log,
})

process.once('message', async () => {
  await sync.syncNow(credentialId)
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
