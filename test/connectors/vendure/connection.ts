/** A connected real Vendure: a credential, the sync engine and the API. */
import pino from 'pino'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import type { RecordOf, Resource } from '../../../src/definition/resource.ts'
import { catalogue, connectors } from '../../../src/generated/registry.ts'
import { createAppClient } from '../../../src/outbound/http.ts'
import { createCredential } from '../../../src/store/accounts/credentials.ts'
import { createSync } from '../../../src/sync/schedule.ts'
import { startVendure, type Vendure } from '../../apps/vendure/start.ts'
import { selectAllFields } from '../../support/selection.ts'
import { startService, type Tenant, type TestService } from '../../support/service.ts'
import { testVault } from '../../support/vault.ts'
import { createKey, READING } from './key.ts'

/** A record as the API shows it. */
export type Shown = RecordOf<Resource> & Readonly<Record<string, unknown>>

/** A row of the change log. */
export interface Logged {
  readonly topic: string
  readonly kind: string
  readonly remoteId: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Connection {
  readonly vendure: Vendure
  readonly service: TestService
  readonly tenant: Tenant
  readonly credentialId: string
  /** The key of the credential. */
  readonly keyId: string
  /** One run of every resource, usually a listing of changes. */
  sync(): Promise<void>
  /** One run of every resource as a full listing, which the service does once an hour. */
  syncEverything(): Promise<void>
  /** Waits until the overlap of a listing has passed, so that nothing is listed only because it is recent. */
  passOverlap(): Promise<void>
  /** The change log since the last call. */
  takeLog(): Promise<readonly Logged[]>
  /** All records over REST; GraphQL must return the same. */
  list(topic: string, query?: string): Promise<readonly Shown[]>
  /** One record over REST; GraphQL must return the same. */
  get(topic: string, remoteId: string): Promise<Shown>
  close(): Promise<void>
}

const resourceOf = (topic: string): Resource => {
  const found = catalogue.resources.find((resource) => resource.topic === topic)
  if (!found) throw new Error(`no resource ${topic}`)
  return found
}

/** Queries REST and GraphQL, and throws if they differ. */
const createReader = (service: TestService, { key }: Tenant, credentialId: string) => {
  const assertSame = (rest: unknown, graph: unknown): void => {
    if (JSON.stringify(rest, sortKeys) !== JSON.stringify(graph, sortKeys))
      throw new Error(`REST: ${JSON.stringify(rest)}\nGraphQL: ${JSON.stringify(graph)}`)
  }
  const sortKeys = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value

  return {
    list: async (topic: string, query = ''): Promise<readonly Shown[]> => {
      const resource = resourceOf(topic)
      const path = `${resource.restPath}?credentialId=${credentialId}&pageSize=100${query}`
      const response = await service.rest(key, path)
      if (response.statusCode !== 200) throw new Error(response.body)
      const records: readonly Shown[] = response.json()[resource.plural]
      if (query !== '') return records
      const { data, errors } = await service.graphql(
        key,
        `{ list: ${resource.listField}(credentialId: "${credentialId}", first: 100) {
          totalCount nodes { ${selectAllFields(resource)} } } }`,
      )
      if (errors.length > 0) throw new Error(errors[0]?.message)
      assertSame(records, data.list.nodes)
      if (data.list.totalCount !== records.length)
        throw new Error('the page does not hold all records')
      return records
    },
    get: async (topic: string, remoteId: string): Promise<Shown> => {
      const resource = resourceOf(topic)
      const path = `${resource.restPath}/${remoteId}?credentialId=${credentialId}`
      const response = await service.rest(key, path)
      if (response.statusCode !== 200) throw new Error(response.body)
      const record = response.json()[resource.name]
      const { data, errors } = await service.graphql(
        key,
        `{ one: ${resource.getField}(credentialId: "${credentialId}", id: "${remoteId}") {
          ${selectAllFields(resource)} } }`,
      )
      if (errors.length > 0) throw new Error(errors[0]?.message)
      assertSame(record, data.one)
      return record
    },
  }
}

/** The values of a credential of the shop, and the id of its key. */
interface Access {
  readonly apiKey: string
  readonly entityId: string
  readonly channelToken?: string
  /** Default: the shop's own key. */
  readonly url?: string
}

/** Starts everything with this access, without a sync. */
export const connectVendure = async (
  accessTo = (vendure: Vendure): Promise<Access> => createKey(vendure, READING),
): Promise<Connection> => {
  const vendure = await startVendure()
  const service = await startService({ allowPrivateAddresses: true })
  const { database } = service
  const { prisma } = database
  const tenant = await service.createTenant('development', [])
  const access = await accessTo(vendure)
  const { apiKey, entityId, channelToken = '', url = vendure.url } = access
  const credentialId = await createCredential(database, testVault, {
    environmentId: tenant.environmentId,
    userId: tenant.userId,
    connector,
    values: { url, apiKey, channelToken },
  })
  const appClient = createAppClient({ allowPrivateAddresses: true, firstPauseMs: 1, maxPauseMs: 5 })
  const parts = {
    database,
    vault: testVault,
    connectors,
    appClient,
    log: pino({ level: 'silent' }),
  }
  const engine = createSync(parts)
  const resources = Object.entries(connector.resources).map(
    ([topic, resource]) =>
      [topic, { ...resource, sync: { ...resource.sync, fullListingEveryMs: 0 } }] as const,
  )
  const listingAll = { ...connector, resources: Object.fromEntries(resources) }
  const fullSync = createSync({ ...parts, connectors: new Map([[connector.app, listingAll]]) })
  let lastSequence = 0n

  return {
    vendure,
    service,
    tenant,
    credentialId,
    keyId: entityId,
    ...createReader(service, tenant, credentialId),
    sync: () => engine.syncNow(credentialId),
    syncEverything: () => fullSync.syncNow(credentialId),
    passOverlap: async () => {
      // Vendure on SQLite keeps whole seconds: later changes must have a later second.
      await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 5))
      const since = new Date(Date.now() - (Date.now() % 1000) - 1)
      await prisma.syncState.updateMany({ where: { credentialId }, data: { since } })
    },
    takeLog: async () => {
      const rows = await prisma.$queryRaw<(Logged & { sequence: bigint })[]>`
        SELECT sequence, topic, kind, record->>'remoteId' AS "remoteId", record AS facts
        FROM change_log.changes
        WHERE credential_id = ${credentialId}::uuid AND sequence > ${lastSequence}
        ORDER BY sequence`
      lastSequence = rows.at(-1)?.sequence ?? lastSequence
      return rows
    },
    close: async () => {
      await engine.stop()
      await fullSync.stop()
      await appClient.stop()
      await service.stop()
      await vendure.stop()
    },
  }
}
