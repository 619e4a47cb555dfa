/** A database with one credential of a fake app, and a sync engine on it. */
import { randomUUID } from 'node:crypto'
import type { Pager } from '../../src/definition/connector.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createSync, type Sync, type SyncOptions } from '../../src/sync/schedule.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  defineFakeConnector,
  type FakeApp,
  type FakeSync,
  startFakeApp,
} from '../support/fake-app.ts'
import { testVault } from '../support/vault.ts'
import { createRecordingLog, quickClient } from './recording-log.ts'

export const TOPIC = 'crm/accounts'

/** A row of the change log. */
export interface Logged {
  readonly topic: string
  readonly kind: string
  readonly recordId: string | null
  readonly record: { readonly [key: string]: unknown }
  readonly changedFields: readonly string[]
}

/** A row of the records. */
export interface Stored {
  readonly remoteId: string
  readonly name: string | null
  readonly description: string | null
  readonly staff: number | null
  readonly deleted: boolean
  readonly updatedAt: Date
}

export interface Owner {
  readonly environmentId: string
  readonly userId: string
}

const addEnvironment = async ({ prisma }: Database): Promise<string> => {
  const organisation = await prisma.organisation.create({ data: { name: randomUUID() } })
  const environment = await prisma.environment.create({
    data: { organisationId: organisation.id, kind: 'development' },
  })
  return environment.id
}

/** An end user; by default of a new environment. */
export const addUser = async (
  database: Database,
  existingEnvironmentId?: string,
): Promise<Owner> => {
  const environmentId = existingEnvironmentId ?? (await addEnvironment(database))
  const user = await database.prisma.endUser.create({
    data: { environmentId, username: randomUUID() },
  })
  return { environmentId, userId: user.id }
}

/** A credential of the app; by default of a new user in a new environment. */
export const addCredential = async (
  database: Database,
  values: Record<string, string>,
  owner?: Owner,
) => {
  const credentialId = randomUUID()
  const { environmentId, userId } = owner ?? (await addUser(database))
  await database.prisma.credential.create({
    data: {
      id: credentialId,
      route: credentialId.slice(0, 8),
      environmentId,
      userId,
      app: 'fake',
      values,
      syncStates: { create: { topic: TOPIC } },
    },
  })
  return { credentialId, environmentId, userId }
}

/** Adds a run that has been due for an hour. */
export const addWaitingRun = async (database: Database): Promise<void> => {
  const { credentialId } = await addCredential(database, {})
  await database.prisma.syncState.updateMany({
    where: { credentialId },
    data: { dueAt: new Date(Date.now() - 3_600_000) },
  })
}

export interface SyncHarness {
  readonly url: string
  readonly app: FakeApp
  readonly database: Database
  readonly credentialId: string
  readonly environmentId: string
  readonly log: ReturnType<typeof createRecordingLog>
  /** The text of every statement so far. */
  readonly statements: string[]
  /** Another engine on the same database. */
  engine(
    options?: Partial<SyncOptions> & { readonly sync?: Partial<FakeSync>; readonly pager?: Pager },
  ): Sync
  records(): Promise<Stored[]>
  /** The change log from its beginning. */
  readLog(): Promise<Logged[]>
  state(): Promise<NonNullable<Awaited<ReturnType<Database['prisma']['syncState']['findFirst']>>>>
  close(): Promise<void>
}

export const openSyncHarness = async (): Promise<SyncHarness> => {
  const app = await startFakeApp()
  const { url, drop } = await createTestDatabase()
  const statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const log = createRecordingLog()
  const client = createAppClient({ ...quickClient, allowPrivateAddresses: true })
  const owner = await addCredential(database, { url: app.url, token: app.settings.token })
  const engines: Sync[] = []
  const { prisma } = database
  return {
    url,
    app,
    database,
    log,
    statements,
    ...owner,
    engine: ({ sync, pager, ...options } = {}) => {
      const engine = createSync({
        database,
        vault: testVault,
        connectors: new Map([['fake', defineFakeConnector(sync, pager)]]),
        appClient: client,
        log,
        intervalMs: 100,
        ...options,
      })
      engines.push(engine)
      return engine
    },
    records: () => prisma.$queryRaw<Stored[]>`
      SELECT remote_id AS "remoteId", account_name AS name, description,
        number_of_employees AS staff, remote_deleted AS deleted, updated_at AS "updatedAt"
      FROM crm_accounts ORDER BY remote_id::integer`,
    readLog: () => prisma.$queryRaw<Logged[]>`
      SELECT topic, kind, record_id AS "recordId", record, changed_fields AS "changedFields"
      FROM change_log.changes ORDER BY xid, sequence`,
    state: () => prisma.syncState.findFirstOrThrow({ where: { credentialId: owner.credentialId } }),
    close: async () => {
      for (const engine of engines) await engine.stop()
      await client.stop()
      await database.stop()
      await app.stop()
      await drop()
    },
  }
}
