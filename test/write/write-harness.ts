/** A service with one credential of the rolodex (a test app), for the tests of writes. */
import { createAppClient } from '../../src/outbound/http.ts'
import { createSync } from '../../src/sync/schedule.ts'
import { type Rolodex, startRolodex } from '../support/rolodex.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

export const CREDENTIAL = 'bbbbbbbb-0000-4000-8000-000000000001'
const TOPICS = ['crm/accounts', 'crm/contacts']

export interface WriteHarness {
  readonly rolodex: Rolodex
  readonly service: TestService
  readonly tenant: Tenant
  /** A writing request on the credential; `path` is below `/crm`. */
  write(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<TestService['send']>
  read(path: string): ReturnType<TestService['rest']>
  /** The change log of the credential, oldest first: `created crm/contacts`. */
  changes(): Promise<readonly string[]>
  /** Syncs what has changed in the rolodex. */
  sync(): Promise<void>
  stop(): Promise<void>
}

export const openWriteHarness = async (
  connectorOf = defineRolodexConnector,
): Promise<WriteHarness> => {
  const rolodex = await startRolodex()
  const connectors = new Map([['test', connectorOf(rolodex.url)]])
  const service = await startService({ connectors, allowPrivateAddresses: true })
  const tenant = await service.createTenant('development', [CREDENTIAL])
  const { database } = service
  const appClient = createAppClient({ allowPrivateAddresses: true })
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const engine = createSync({ database, vault: testVault, connectors, appClient, log: quiet })
  const query = `credentialId=${CREDENTIAL}`
  return {
    rolodex,
    service,
    tenant,
    write: (method, path, body, headers) =>
      service.send(tenant.key, method, `/2024-03/one/crm${path}?${query}`, body, headers),
    read: (path) => service.rest(tenant.key, `/crm${path}?${query}`),
    changes: async () => {
      const rows = await database.prisma.$queryRaw<{ line: string }[]>`
        SELECT kind || ' ' || topic AS line FROM change_log.changes ORDER BY xid, sequence`
      return rows.map(({ line }) => line)
    },
    sync: async () => {
      await database.prisma.syncState.createMany({
        data: TOPICS.map((topic) => ({ credentialId: CREDENTIAL, topic })),
        skipDuplicates: true,
      })
      await engine.syncNow(CREDENTIAL)
    },
    stop: async () => {
      await engine.stop()
      await appClient.stop()
      await service.stop()
      await rolodex.stop()
    },
  }
}
