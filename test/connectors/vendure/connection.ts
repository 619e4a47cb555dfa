/** The real Vendure, connected: a credential of it, the engine that keeps it, and the API in front. */
import pino from 'pino'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import type { RecordOf, Resource } from '../../../src/definition/resource.ts'
import { catalogue, connectors } from '../../../src/generated/registry.ts'
import { createAppClient } from '../../../src/outbound/http.ts'
import { createCredential } from '../../../src/store/credentials.ts'
import { createSync } from '../../../src/sync/schedule.ts'
import { startVendure, type Vendure } from '../../apps/vendure/start.ts'
import { fullSelection } from '../../support/selection.ts'
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
  /** The key that the credential holds. */
  readonly keyId: string
  /** One run of every resource: what changed, as a rule. */
  sync(): Promise<void>
  /** One run of every resource: everything, as once an hour. */
  syncEverything(): Promise<void>
  /** Lets the time pass that a listing looks back: what was seen so far is not listed for its own time. */
  passOverlap(): Promise<void>
  /** The change log since the last call. */
  takeLog(): Promise<readonly Logged[]>
  /** All records over REST, which GraphQL must show alike. */
  list(topic: string, query?: string): Promise<readonly Shown[]>
  /** One record over REST, which GraphQL must show alike. */
  get(topic: string, remoteId: string): Promise<Shown>
  close(): Promise<void>
}

const resourceOf = (topic: string): Resource => {
  const found = catalogue.resources.find((resource) => resource.topic === topic)
  if (!found) throw new Error(`no resource ${topic}`)
  return found
}

/** Asks REST and GraphQL, and throws where they differ. */
const createReader = (service: TestService, { key }: Tenant, credentialId: string) => {
  const same = (rest: unknown, graph: unknown): void => {
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
      const answer = await service.rest(key, path)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      const records: readonly Shown[] = answer.json()[resource.plural]
      if (query !== '') return records
      const { data, errors } = await service.graphql(
        key,
        `{ list: ${resource.listField}(credentialId: "${credentialId}", first: 100) {
          totalCount nodes { ${fullSelection(resource)} } } }`,
      )
      if (errors.length > 0) throw new Error(errors[0]?.message)
      same(records, data.list.nodes)
      if (data.list.totalCount !== records.length) throw new Error('not all are on the page')
      return records
    },
    get: async (topic: string, remoteId: string): Promise<Shown> => {
      const resource = resourceOf(topic)
      const path = `${resource.restPath}/${remoteId}?credentialId=${credentialId}`
      const answer = await service.rest(key, path)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      const record = answer.json()[resource.name]
      const { data, errors } = await service.graphql(
        key,
        `{ one: ${resource.getField}(credentialId: "${credentialId}", id: "${remoteId}") {
          ${fullSelection(resource)} } }`,
      )
      if (errors.length > 0) throw new Error(errors[0]?.message)
      same(record, data.one)
      return record
    },
  }
}

/** What a credential of the shop holds, and the id of its key. */
interface Access {
  readonly apiKey: string
  readonly entityId: string
  readonly channelToken?: string
  /** Unless it is the shop's own. */
  readonly url?: string
}

/** Starts all of it, with this access; nothing is synchronised yet. */
export const connectVendure = async (
  accessTo = (vendure: Vendure): Promise<Access> => createKey(vendure, READING),
): Promise<Connection> => {
  const vendure = await startVendure()
  const service = await startService()
  const { database } = service
  const { prisma } = database
  const tenant = await service.createTenant('development', [])
  const access = await accessTo(vendure)
  const { apiKey, entityId, channelToken = '', url = vendure.url } = access
  const credentialId = await createCredential(database, testVault, {
    ...{ environmentId: tenant.environmentId, userId: tenant.userId, connector },
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
  const thorough = createSync({ ...parts, fullListingIntervalMs: 0 })
  let lastSequence = 0n

  return {
    ...{ vendure, service, tenant, credentialId, keyId: entityId },
    ...createReader(service, tenant, credentialId),
    sync: () => engine.syncNow(credentialId),
    syncEverything: () => thorough.syncNow(credentialId),
    passOverlap: async () => {
      // Vendure on SQLite keeps whole seconds: what follows must be of a later one than what was.
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
      await thorough.stop()
      await appClient.stop()
      await service.stop()
      await vendure.stop()
    },
  }
}
