/** A service with the sandbox connected: the connector and the app run in this process. */
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { createSyncOf } from '../../src/process/workers.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import type { Transport } from './operations.ts'
import { createRecordCalls, type RecordCalls } from './record-calls.ts'
import { startService, type Tenant, type TestService } from './service.ts'
import { testVault } from './vault.ts'

/** A record in the sandbox's own form. */
export interface AppRecord {
  readonly id: string
  readonly version: number
  readonly [field: string]: unknown
}

/** A change of one record. */
export interface LoggedChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly topic: string
  readonly remoteId: string
  /** The fields that changed; empty for a new record. */
  readonly fields: readonly string[]
}

export interface ConnectedSandbox {
  readonly service: TestService
  readonly tenant: Tenant
  readonly credentialId: string
  /** Lists every resource of the app, as a sync run does. Default: with the connected credential. */
  sync(credentialId?: string): Promise<void>
  /** The record changes since the last call, oldest first. */
  takeChanges(): Promise<readonly LoggedChange[]>
  over(transport: Transport): RecordCalls
  /** The record in the app: `people`, `per_0001`. @throws Error if the app has no such record */
  readInApp(kind: string, id: string): Promise<AppRecord>
  /** A change that a user of the app makes. */
  changeInApp(kind: string, id: string, fields: object): Promise<AppRecord>
  deleteInApp(kind: string, id: string): Promise<void>
  stop(): Promise<void>
}

const sandbox = connectors.get('sandbox')
if (!sandbox) throw new Error('The registry has no sandbox.')

/** Starts the service and lists everything that the app has. */
export const connectSandbox = async (): Promise<ConnectedSandbox> => {
  const service = await startService()
  const { database } = service
  const app = createSandboxApp(service)
  const { tenant: name, token } = await app.openTenant('acme')
  const tenant = await service.createTenant('development', [])
  const credentialId = await createCredential(database, testVault, {
    environmentId: tenant.environmentId,
    userId: tenant.userId,
    connector: sandbox,
    values: { tenant: name, token },
  })
  const engine = createSyncOf(service.runtime)
  await engine.syncNow(credentialId)

  const send = async (method: string, path: string, version?: number, body?: object) => {
    const response = await app.handle(
      new Request(`${SANDBOX_ORIGIN}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'sandbox-tenant': name,
          ...(version !== undefined && { 'if-match': `"${version}"` }),
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const readInApp = async (kind: string, id: string): Promise<AppRecord> =>
    (await send('GET', `/${kind}/${id}`)).json()

  let lastSequence = 0n
  const connected: ConnectedSandbox = {
    service,
    tenant,
    credentialId,
    readInApp,
    sync: (id = credentialId) => engine.syncNow(id),
    takeChanges: async () => {
      const topics = catalogue.resources.map(({ topic }) => topic)
      const rows = await database.prisma.$queryRaw<(LoggedChange & { sequence: bigint })[]>`
        SELECT sequence, kind, topic, record->>'remoteId' AS "remoteId", changed_fields AS fields
        FROM change_log.changes
        WHERE sequence > ${lastSequence} AND topic = ANY(${topics}) ORDER BY sequence`
      lastSequence = rows.at(-1)?.sequence ?? lastSequence
      return rows
    },
    over: (transport) => createRecordCalls(transport, { service, tenant, credentialId }),
    changeInApp: async (kind, id, fields) => {
      const { version } = await readInApp(kind, id)
      return (await send('PUT', `/${kind}/${id}`, version, fields)).json()
    },
    deleteInApp: async (kind, id) => {
      await send('DELETE', `/${kind}/${id}`)
    },
    stop: () => service.stop(),
  }
  await connected.takeChanges()
  return connected
}
