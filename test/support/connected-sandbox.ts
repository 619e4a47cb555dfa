/** A service with the sandbox connected: the connector against the app itself, both in this process. */
import pino from 'pino'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import type { LocalApp } from '../../src/outbound/exchange.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { createCredential } from '../../src/store/credentials.ts'
import { createSync } from '../../src/sync/schedule.ts'
import type { Face } from './operations.ts'
import { type RecordCalls, recordsOver } from './record-calls.ts'
import { startService, type Tenant, type TestService } from './service.ts'
import { testVault } from './vault.ts'

/** A record as the sandbox itself shows it. */
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
  /** The fields that changed; none of a record that is new. */
  readonly fields: readonly string[]
}

export interface ConnectedSandbox {
  readonly service: TestService
  readonly tenant: Tenant
  readonly credentialId: string
  /** Lists every resource of the app, as a run does. */
  sync(): Promise<void>
  /** The changes of records since the last call, oldest first. */
  takeChanges(): Promise<readonly LoggedChange[]>
  over(face: Face): RecordCalls
  /** What the app itself has: `people`, `per_0001`. @throws Error if it has no such record */
  readInApp(kind: string, id: string): Promise<AppRecord>
  /** A change that the app's own user makes. */
  changeInApp(kind: string, id: string, fields: object): Promise<AppRecord>
  deleteInApp(kind: string, id: string): Promise<void>
  stop(): Promise<void>
}

const sandbox = connectors.get('sandbox')
if (!sandbox) throw new Error('The registry has no sandbox.')

/** Starts it and lists all that the app has. */
export const connectSandbox = async (): Promise<ConnectedSandbox> => {
  const localApps = new Map<string, LocalApp>()
  const service = await startService({ localApps })
  const { database } = service
  const app = createSandboxApp({ database })
  localApps.set(SANDBOX_ORIGIN, app.handle)
  const { tenant: name, token } = await app.createTenant('acme')
  const tenant = await service.createTenant('development', [])
  const credentialId = await createCredential(database, testVault, {
    ...{ environmentId: tenant.environmentId, userId: tenant.userId, connector: sandbox },
    values: { tenant: name, token },
  })
  const appClient = createAppClient({ allowPrivateAddresses: true, localApps })
  const engine = createSync({
    ...{ database, vault: testVault, connectors, appClient },
    log: pino({ level: 'silent' }),
  })
  await engine.syncNow(credentialId)

  const ask = async (method: string, path: string, version?: number, body?: object) => {
    const answer = await app.handle(
      new Request(`${SANDBOX_ORIGIN}/v1${path}`, {
        method,
        headers: {
          ...{ authorization: `Bearer ${token}`, 'sandbox-tenant': name },
          ...(version !== undefined && { 'if-match': `"${version}"` }),
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const readInApp = async (kind: string, id: string): Promise<AppRecord> =>
    (await ask('GET', `/${kind}/${id}`)).json()

  let lastSequence = 0n
  const connected: ConnectedSandbox = {
    ...{ service, tenant, credentialId, readInApp },
    sync: () => engine.syncNow(credentialId),
    takeChanges: async () => {
      const topics = catalogue.resources.map(({ topic }) => topic)
      const rows = await database.prisma.$queryRaw<(LoggedChange & { sequence: bigint })[]>`
        SELECT sequence, kind, topic, record->>'remoteId' AS "remoteId", changed_fields AS fields
        FROM change_log.changes
        WHERE sequence > ${lastSequence} AND topic = ANY(${topics}) ORDER BY sequence`
      lastSequence = rows.at(-1)?.sequence ?? lastSequence
      return rows
    },
    over: (face) => recordsOver(face, { service, tenant, credentialId }),
    changeInApp: async (kind, id, fields) => {
      const { version } = await readInApp(kind, id)
      return (await ask('PUT', `/${kind}/${id}`, version, fields)).json()
    },
    deleteInApp: async (kind, id) => {
      await ask('DELETE', `/${kind}/${id}`)
    },
    stop: async () => {
      await engine.stop()
      await appClient.stop()
      await service.stop()
    },
  }
  await connected.takeChanges()
  return connected
}
