/** The environment of the checks: the app behind a proxy, and a service on a temporary database. */
import { randomBytes } from 'node:crypto'
import { baseUrlOf, firstMethodName, methodOf } from '../../../src/definition/authenticate.ts'
import type { Connector, CredentialValues, Json } from '../../../src/definition/connector.ts'
import { catalogue } from '../../../src/generated/catalogue.ts'
import { silentLog } from '../../../src/log.ts'
import type { AppCredential } from '../../../src/outbound/compose-request.ts'
import type { LocalApp } from '../../../src/outbound/exchange.ts'
import { type AppClient, createAppClient } from '../../../src/outbound/http.ts'
import type { RecordWriter } from '../../../src/query/write-request.ts'
import { createCredential, readCredential } from '../../../src/store/accounts/credentials.ts'
import { ensureEnvironment } from '../../../src/store/accounts/environments.ts'
import { ensureUser } from '../../../src/store/accounts/users.ts'
import { createPauses } from '../../../src/store/budgets/pauses.ts'
import { createRequestLedger } from '../../../src/store/budgets/request-ledger.ts'
import { type Database, openDatabase } from '../../../src/store/database/database.ts'
import { createPgListener } from '../../../src/store/database/pg-listener.ts'
import { parseEncryptionKeys } from '../../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { createSync, type Sync } from '../../../src/sync/schedule.ts'
import { readContext } from '../../../src/write/account-context.ts'
import { createRecordWriter } from '../../../src/write/record-writer.ts'
import { createFaultProxy, type FaultProxy } from './fault-proxy.ts'
import { syncToEnd } from './sync-to-end.ts'
import { type CheckClock, machineClock, retryWithinLimits, type WaitOptions } from './waits.ts'

/** A running app and a credential of it. */
export interface CheckedApp {
  readonly connector: Connector
  /** The name of the method of the credential. Default: the first one. */
  readonly method?: string
  readonly values: CredentialValues
  /** The app, if it runs in this process. Default: requests are sent over the network. */
  readonly upstream?: LocalApp
  /** How long the app may take to respond. Default: 5 s. */
  readonly deadlineMs?: number
  /** The time in which the app counts its limits, if it is not that of this machine, such as a simulator's. */
  readonly clock?: CheckClock
  /** Receives each wait that the app requires. */
  readonly onWait?: WaitOptions['onWait']
}

/** A stored credential of the app. */
export interface Connection {
  readonly credentialId: string
  readonly environmentId: string
}

export interface Workbench {
  readonly app: CheckedApp
  readonly connector: Connector
  /** The credential as requests use it. */
  readonly credential: AppCredential
  readonly proxy: FaultProxy
  /** Sends requests through the proxy, and waits until the limits of the app allow them. */
  readonly appClient: AppClient
  readonly waits: WaitOptions
  readonly database: Database
  readonly engine: Sync
  readonly writer: RecordWriter
  /** The context of the account; undefined if the connector declares none. It is read once. @throws AppError */
  context(): Promise<Json | undefined>
  /** Stores the credential once more, without records. */
  connect(): Promise<Connection>
  /** Syncs a credential, and waits for the app until everything is stored. @throws AggregateError of the failed runs */
  sync(connection: Connection): Promise<void>
  stop(): Promise<void>
}

/**
 * Opens a workbench on an empty, migrated database.
 * @throws TypeError if the app issues tokens: only credentials with entered values can be checked
 */
export const openWorkbench = async (url: string, app: CheckedApp): Promise<Workbench> => {
  const { connector, values, deadlineMs = 5_000 } = app
  const methodName = app.method ?? firstMethodName(connector.auth)
  const method = methodOf(connector.auth, methodName)
  if (method?.type !== 'apiKey')
    throw new TypeError(
      `${connector.name} has no method ${methodName} of the type apiKey; other types cannot be checked.`,
    )
  const { clock = machineClock, onWait = () => {} } = app
  const waits = { clock, onWait }
  const proxy = createFaultProxy(clock, app.upstream)
  const database = openDatabase({ url, maxConnections: 6 })
  const pgListener = createPgListener(url)
  // Pauses that cannot be read are held in memory only, which is enough for one process.
  const { nowMs, wait } = clock
  const pauses = createPauses({ database, pgListener, nowMs, onFailure: () => {} })
  await pgListener.start()
  const appClient = createAppClient({
    // Without a budget, a pause that one run has received would not hold back the others.
    budgets: { ledger: createRequestLedger({ database, pauses, nowMs, slotMs: deadlineMs }), wait },
    allowPrivateAddresses: true,
    localApps: new Map([[new URL(baseUrlOf(method, values)).origin, proxy.handle]]),
    deadlineMs,
    firstPauseMs: 1,
    maxPauseMs: 5,
    breakAfter: Number.MAX_SAFE_INTEGER,
  })
  const vault = createVault(parseEncryptionKeys(`check:${randomBytes(32).toString('base64')}`))
  const connectors = new Map([[connector.app, connector]])
  const engine = createSync({ database, vault, connectors, appClient, log: silentLog })
  const loadCredential = (id: string) => readCredential(database, vault, id)
  const environmentId = await ensureEnvironment(database, 'Check', 'development')
  const userId = await ensureUser(database, environmentId, 'check', 'Check')
  const credential = { method: methodName, values }
  const connect = async (): Promise<Connection> => {
    const owner = { environmentId, userId, connector, method: methodName, values }
    return { credentialId: await createCredential(database, vault, owner), environmentId }
  }
  const budgeted = appClient.spending({ ...(await connect()), purpose: 'changes' })
  const waiting: AppClient = {
    ...budgeted,
    check: (...request) => retryWithinLimits(waits, () => budgeted.check(...request)),
    send: (...request) => retryWithinLimits(waits, () => budgeted.send(...request)),
  }
  const { context: definition } = connector
  let context: Promise<Json> | undefined
  return {
    app,
    connector,
    credential,
    proxy,
    appClient: waiting,
    waits,
    database,
    engine,
    connect,
    context: async () => {
      if (!definition) return
      context ??= readContext({ appClient: waiting, connector, credential }, definition)
      return context
    },
    sync: ({ credentialId }) => syncToEnd({ engine, database, waits }, credentialId),
    writer: createRecordWriter({ database, catalogue, connectors, appClient, loadCredential }),
    stop: async () => {
      await engine.stop()
      await appClient.stop()
      await pgListener.stop()
      await database.stop()
    },
  }
}
