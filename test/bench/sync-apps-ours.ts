/**
 * Trunkline's first sync of one or more accounts, each of an end user of its own, as the service runs it: the
 * scheduler with its slots and leases, comparison and change log; without budgets, because the simulators have no
 * limits. It waits for a message, so that its start is not measured, and sends one when every resource was listed.
 * Env: DATABASE_URL, ACCOUNTS (JSON of SimulatorAccount[]).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Connector } from '../../src/definition/connector.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { listStates } from '../../src/store/sync/state-rows.ts'
import { createSync } from '../../src/sync/schedule.ts'
import { connectorAt } from '../support/at-simulator.ts'
import type { SimulatorAccount } from './sync-simulator.ts'

const POLL_MS = 50
/** A resource that was listed is not due again before the benchmark ends. */
const INTERVAL_MS = 3_600_000

const connectorOf = ({ app, origin }: SimulatorAccount): Connector => {
  const connector = connectors.get(app)
  if (!connector) throw new Error(`There is no connector ${app}.`)
  return connectorAt(connector, origin)
}

const { DATABASE_URL: url = '', ACCOUNTS = '[]' } = process.env
const accounts = (JSON.parse(ACCOUNTS) as readonly SimulatorAccount[]).map((account) => ({
  connector: connectorOf(account),
  values: account.values,
}))
const database = openDatabase({ url })
const vault = createVault(parseEncryptionKeys(generateEncryptionKey()))
const environmentId = await ensureEnvironment(database, 'Bench', 'development')
const credentialIds: string[] = []
for (const { connector, values } of accounts) {
  const userId = await ensureUser(database, environmentId, connector.app, connector.name)
  const credential = { environmentId, userId, connector, values }
  credentialIds.push(await createCredential(database, vault, credential))
}
const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }
const sync = createSync({
  ...{ database, vault, log },
  connectors: new Map(accounts.map(({ connector }) => [connector.app, connector])),
  appClient: createAppClient({ allowPrivateAddresses: true }),
  intervalMs: INTERVAL_MS,
  onRun: (app, outcome) => {
    if (outcome === 'completed') return
    console.error(`A run of ${app} failed: ${outcome}`)
    process.exit(1)
  },
})

const isListed = async (credentialId: string): Promise<boolean> =>
  (await listStates(database, credentialId)).every(({ completedAt }) => completedAt !== null)

process.once('message', async () => {
  await sync.start()
  for (const credentialId of credentialIds)
    while (!(await isListed(credentialId))) await wait(POLL_MS)
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
