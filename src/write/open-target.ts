/** A write target: one resource of one credential, with its records in the app and in the store. */
import type {
  AppRequest,
  AppResponse,
  Connector,
  ResourceConnector,
  ResourceWriter,
  Steps,
  WriteGuard,
} from '../definition/connector.ts'
import type { CustomField } from '../definition/custom-field.ts'
import { feedKeyOf } from '../definition/feed.ts'
import type { Json } from '../definition/json.ts'
import { createMapper, type MappedRecord } from '../definition/mapping.ts'
import { readByIds } from '../definition/paging/compose.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError, recordNotFound } from '../errors.ts'
import type { AppClient } from '../outbound/http.ts'
import type { ParentRecord, WriteRequest } from '../query/write-request.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import { lockCredential, type OpenCredential } from '../store/accounts/credentials.ts'
import type { Database, Queryable, Transaction } from '../store/database/database.ts'
import {
  applyChanges,
  lockRecords,
  markRecordsDeleted,
  type RecordOwner,
} from '../store/records/apply-changes.ts'
import { createLineWriter } from '../store/records/record-lines.ts'
import { type ReadRecord, type RecordKey, readRecord } from '../store/records/records.ts'
import { endIdleness } from '../store/sync/idle-runs.ts'
import { withContext } from './account-context.ts'
import { refusedCustomField } from './custom-fields.ts'
import { withExclusiveWriter } from './exclusive-writer.ts'
import { refusedField } from './refused-field.ts'
import { runSteps, type StepsOutcome } from './run-steps.ts'
import { writeFailure } from './write-failure.ts'

/** The dependencies of a write target. */
export interface TargetOptions {
  readonly database: Database
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
}

/** The values of a stored record, with those that every write needs. */
export type StoredValues = Readonly<Record<string, unknown>> & {
  readonly remoteId: string
  readonly updatedAt: string
  readonly remoteDeleted: boolean
}

/** A record as it is stored. */
export interface StoredVersion extends ReadRecord {
  readonly values: StoredValues
}

/** Facts about a response of the app that is stored. */
export interface ResponseFacts {
  /** When the request was sent, by the database's clock, or a little earlier. */
  readonly requestedAt: Date
  /** `written` for the response to a write. Default: `all`. */
  readonly accept?: 'all' | 'written'
  /** The workflow run that caused the write. */
  readonly cause?: string | undefined
}

/** A resource of a credential, opened for writing. */
export interface WriteTarget {
  readonly owner: RecordOwner
  readonly resource: Resource
  readonly connector: Connector
  readonly credential: OpenCredential
  readonly resourceConnector: ResourceConnector
  readonly writer: ResourceWriter
  /** The custom fields of the resource. */
  readonly customFields: readonly CustomField[]
  /** The context of the account; undefined if the connector declares none. */
  readonly context: Json | undefined
  /**
   * Runs `work` on a record, for one writer at a time if the app does not reject stale writes itself. `work`
   * checks the signal before it writes.
   * @throws WRITE_IN_FLIGHT
   */
  exclusively<Result>(
    id: string,
    guard: WriteGuard,
    work: (claim: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  /** Runs a connector's steps against the app. */
  run<Result>(steps: Steps<Result>): Promise<StepsOutcome<Result>>
  /** Converts the app's name of a field into the caller's; undefined if there is none. */
  nameField(appField: string): string | undefined
  /** Maps a raw record of the app. @throws TypeError if it has no id */
  map(raw: unknown): MappedRecord
  /** The record in the store. @throws NOT_FOUND, also for a record of another parent */
  read(id: string, below?: ParentRecord): Promise<StoredVersion>
  /** Stores the app's response. @returns the record as it is stored afterwards */
  store(raw: unknown, facts: ResponseFacts): Promise<StoredVersion>
  /** Marks a record as deleted in the app. */
  markDeleted(id: string): Promise<StoredVersion>
  /** The raw record in the app; undefined if the app has none. @throws ApiError */
  fetch(stored: StoredVersion): Promise<unknown>
  /** Stores a fetched record; undefined marks it as deleted. @returns as `refresh` */
  storeFetched(raw: unknown, stored: StoredVersion, cause?: string): Promise<StoredVersion>
  /**
   * Fetches the record from the app and stores it.
   * @returns the record as it is stored afterwards, possibly a newer version by another writer
   */
  refresh(stored: StoredVersion, cause?: string): Promise<StoredVersion>
  /** Refreshes several records, in as few requests as the app allows. Failures are ignored. */
  refreshAll(stored: readonly StoredVersion[], cause?: string): Promise<void>
}

// The app compares versions itself: nothing can be lost.
const NO_CLAIM = new AbortController().signal

/** NOT_SUPPORTED: the app's records of a resource cannot be written in this way. */
export const notSupported = (
  resource: Resource,
  connector: Connector | undefined,
  activity: string,
): ApiError =>
  new ApiError(
    'NOT_SUPPORTED',
    `${connector?.name ?? 'The app'} does not support ${activity} ${resource.plural} through this service.`,
  )

const disconnected = (): ApiError =>
  new ApiError(
    'CREDENTIAL_NOT_FOUND',
    'The credential was deleted during the write. Connect the app again.',
    [{ field: 'credentialId', expected: 'the id of a credential of this environment' }],
  )

/** The stored version of a record; undefined if it is not stored. One statement. */
export const readStored = async (
  database: Queryable,
  resource: Resource,
  key: RecordKey,
  below?: ParentRecord,
): Promise<StoredVersion | undefined> => {
  const record = await readRecord(database, resource, key, below)
  // The JSON of every record has these fields.
  return record && { ...record, values: JSON.parse(record.json) as StoredValues }
}

/** The target to open. `request`: the caller's input, to name a field that the app rejects. */
export interface OpenRequest {
  readonly owner: RecordOwner
  readonly resource: Resource
  readonly request?: WriteRequest
}

const NO_INPUT: WriteRequest = { fields: {}, remoteFields: {} }

/**
 * Opens a resource of a credential for writing.
 * @throws NOT_SUPPORTED, and AppError if the context of the account was never read and cannot be read now
 */
export const openTarget = async (
  { database, connectors, appClient, loadCredential }: TargetOptions,
  { owner, resource, request = NO_INPUT }: OpenRequest,
): Promise<WriteTarget> => {
  const { credentialId } = owner
  const loaded = await loadCredential(credentialId)
  const connector = loaded && connectors.get(loaded.app)
  const resourceConnector = connector?.resources[resource.topic]
  const writer = resourceConnector?.write
  if (!loaded || !connector || !resourceConnector || !writer)
    throw notSupported(resource, connector, 'writing')
  const client = appClient.spending({ ...owner, purpose: 'write' })
  const credential = await withContext({
    database,
    appClient: client,
    connector,
    credential: loaded,
  })
  const context = contextOf(connector, credential)
  const customFields = credential.customFields?.get(resource.topic) ?? []
  const mapRaw = createMapper(resourceConnector.mapping)
  const toLine = createLineWriter(resource)
  const send = (request: AppRequest): Promise<AppResponse> =>
    client.send(connector, credential, request)

  const requireFound = (record: StoredVersion | undefined): StoredVersion => {
    if (record) return record
    throw recordNotFound(resource.name)
  }

  /** Changes the stored record and reads it back. @throws CREDENTIAL_NOT_FOUND if the credential was deleted */
  const change = async (
    id: string,
    work: (transaction: Transaction) => Promise<unknown>,
  ): Promise<StoredVersion> => {
    const stored = await database.transaction(async (transaction) => {
      // The lock comes first: locking a row assigns the transaction its id, and ids order the log.
      await lockRecords(transaction, credentialId, resource)
      if (!(await lockCredential(transaction, credentialId))) throw disconnected()
      await work(transaction)
      return requireFound(await readStored(transaction, resource, { credentialId, id }))
    })
    // May fail: the write is stored, and the next poll is only later.
    const topics = [resource.topic, feedKeyOf(connector.feeds, resource.topic)]
    const syncs = topics.filter((topic) => topic !== undefined)
    await endIdleness(database, credentialId, syncs).catch(() => {})
    return stored
  }

  const target: WriteTarget = {
    owner,
    resource,
    connector,
    credential,
    resourceConnector,
    writer,
    exclusively: (recordId, guard, work) =>
      guard === 'version'
        ? work(NO_CLAIM)
        : withExclusiveWriter(database, { credentialId, topic: resource.topic, recordId }, work),
    run: (steps) => runSteps(connector, steps, send),
    customFields,
    context,
    nameField: (appField) =>
      refusedCustomField(customFields, request, appField) ??
      refusedField(resourceConnector, request.remoteFields, appField),
    map: (raw) => mapRaw(raw, credentialId, { customFields, context }),
    read: async (id, below) =>
      requireFound(await readStored(database, resource, { credentialId, id }, below)),
    store: (raw, { requestedAt, accept = 'all', cause }) => {
      const { row } = target.map(raw)
      const options = { accept, requestedAt: requestedAt.toISOString(), cause }
      return change(row.id, (transaction) =>
        applyChanges(transaction, owner, resource, [toLine(row)], options),
      )
    },
    markDeleted: (id) =>
      change(id, (transaction) => markRecordsDeleted(transaction, owner, resource, [id])),
    fetch: async ({ values: record }) => {
      const { remoteId } = record
      const outcome = await target.run(writer.get(remoteId, { remoteId, record }, context))
      if (outcome.status === 'done') return outcome.result
      throw writeFailure(outcome, connector.name, target.nameField)
    },
    storeFetched: (raw, stored, cause) =>
      raw === undefined
        ? target.markDeleted(stored.id)
        : target.store(raw, { requestedAt: stored.readAt, cause }),
    refresh: async (stored, cause) =>
      target.storeFetched(await target.fetch(stored), stored, cause),
    refreshAll: async (all, cause) => {
      const { readMany } = resourceConnector
      if (!readMany || all.length === 1)
        return void (await Promise.allSettled(all.map((stored) => target.refresh(stored, cause))))
      const ids = all.map(({ values }) => values.remoteId)
      const outcome = await target.run(readByIds(readMany, ids, context))
      if (outcome.status !== 'done') return
      const raws = new Map(outcome.result.map((raw) => [target.map(raw).row.id, raw]))
      await Promise.allSettled(
        all.map((stored) => target.storeFetched(raws.get(stored.id), stored, cause)),
      )
    },
  }
  return target
}
