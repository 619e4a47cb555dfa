/** One resource of one credential, ready to be written: its record in the app and here. */
import type {
  AppRequest,
  AppResponse,
  Connector,
  ResourceConnector,
  ResourceWriter,
  Steps,
  WriteGuard,
} from '../definition/connector.ts'
import { createMapper, type MappedRecord } from '../definition/mapping.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'
import type { AppClient } from '../outbound/http.ts'
import type { ParentRecord } from '../query/write-request.ts'
import {
  applyChanges,
  deleteRecord,
  lockRecords,
  type RecordOwner,
} from '../store/apply-changes.ts'
import { holdCredential, type OpenCredential } from '../store/credentials.ts'
import type { Database, Transaction } from '../store/database.ts'
import { createLineWriter } from '../store/record-lines.ts'
import { getRecords, type RecordKey, readRecord } from '../store/records.ts'
import { asOnlyWriter } from './one-writer.ts'
import { perform } from './perform.ts'

export interface TargetOptions {
  readonly database: Database
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
}

export type StoredValues = Readonly<Record<string, unknown>> & {
  readonly remoteId: string
  readonly updatedAt: string
  readonly remoteDeleted: boolean
}

/** A record as it was stored before the app was asked. */
export interface SeenRecord {
  readonly id: string
  readonly values: StoredValues
  /** When it was read, by the database's clock. */
  readonly readAt: Date
}

/** What is known of an answer of the app beside what it says. */
export interface AnswerFacts {
  /** When the app was asked, by the database's clock, or a little earlier. */
  readonly askedAt: Date
  /** `all` unless it is the answer to a write. */
  readonly accept?: 'all' | 'written'
  /** The workflow run that has written it. */
  readonly cause?: string | undefined
}

export interface WriteTarget {
  readonly owner: RecordOwner
  readonly resource: Resource
  readonly connector: Connector
  readonly credential: OpenCredential
  readonly resourceConnector: ResourceConnector
  readonly writer: ResourceWriter
  /**
   * Does `work` on a record; where the app does not refuse a stale write itself, while none writes it but
   * this. @throws WRITE_IN_FLIGHT
   */
  alone<Result>(id: string, guard: WriteGuard, work: () => Promise<Result>): Promise<Result>
  /** Asks the app. */
  run<Result>(steps: Steps<Result>): Promise<Result>
  /** @throws TypeError if the app's record has no id */
  map(raw: unknown): MappedRecord
  /** The record as it is stored: JSON text. @throws NOT_FOUND */
  read(id: string): Promise<string>
  /** The record as it is stored, before the app is asked. @throws NOT_FOUND, also for one of another parent */
  see(id: string, below?: ParentRecord): Promise<SeenRecord>
  /** Stores what the app says of a record. @returns its id */
  store(raw: unknown, facts: AnswerFacts): Promise<string>
  /** Marks a record as deleted in the app. */
  markDeleted(id: string): Promise<void>
  /** The record as the app has it now: raw; undefined if it has none. */
  ask(seen: SeenRecord): Promise<unknown>
  /**
   * Asks the app for the record and stores it. `cause`: the workflow run that has changed it.
   * @returns what is stored then: perhaps of another, who has stored it meanwhile
   */
  refresh(seen: SeenRecord, cause?: string): Promise<StoredValues>
}

/** That the app's records of a resource cannot be written so. */
export const unsupported = (
  resource: Resource,
  connector: Connector | undefined,
  verb: string,
): ApiError =>
  new ApiError(
    'NOT_SUPPORTED',
    `${connector?.name ?? 'The app'} has no ${resource.plural} that can be ${verb} here.`,
  )

const disconnected = (): ApiError =>
  new ApiError('CREDENTIAL_NOT_FOUND', 'The credential was deleted meanwhile.', [
    { field: 'credentialId', expected: 'the id of a credential of this environment' },
  ])

/** The values of a stored record's JSON. */
// A record of ours has these.
export const parseStored = (text: string): StoredValues => JSON.parse(text) as StoredValues

/** Undefined if it is not stored here. One statement. */
export const readSeen = async (
  database: Database,
  resource: Resource,
  key: RecordKey,
): Promise<SeenRecord | undefined> => {
  const found = await readRecord(database, resource, key)
  return found && { id: key.id, values: parseStored(found.text), readAt: found.readAt }
}

const absent = ({ name }: Resource): ApiError =>
  new ApiError('NOT_FOUND', `There is no ${name} with this id.`)

/** @throws NOT_SUPPORTED */
export const openTarget = async (
  { database, connectors, appClient, loadCredential }: TargetOptions,
  owner: RecordOwner,
  resource: Resource,
): Promise<WriteTarget> => {
  const { prisma } = database
  const credential = await loadCredential(owner.credentialId)
  const connector = credential && connectors.get(credential.app)
  const resourceConnector = connector?.resources[resource.topic]
  const writer = resourceConnector?.write
  if (!credential || !connector || !resourceConnector || !writer)
    throw unsupported(resource, connector, 'written')
  const mapRaw = createMapper(resourceConnector.mapping)
  const toLine = createLineWriter(resource)
  const send = (request: AppRequest): Promise<AppResponse> =>
    appClient.send(connector, credential.values, request)

  /** Writes down what the app has said, unless it was disconnected while it was asked. */
  const connected = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
    prisma.$transaction(async (transaction) => {
      // First the lock: holding a row gives the transaction its id, and ids order the log.
      await lockRecords(transaction, owner.credentialId, resource)
      if (!(await holdCredential(transaction, owner.credentialId))) throw disconnected()
      return work(transaction)
    })

  const target: WriteTarget = {
    ...{ owner, resource, connector, credential, resourceConnector, writer },
    alone: (recordId, guard, work) =>
      guard === 'version'
        ? work()
        : asOnlyWriter(
            database,
            { credentialId: owner.credentialId, topic: resource.topic, recordId },
            work,
          ),
    run: (steps) => perform(steps, send),
    map: (raw) => mapRaw(raw, owner.credentialId),
    read: async (id) => {
      const key = { credentialId: owner.credentialId, id }
      const [text] = await getRecords(database, resource, [key])
      if (text !== undefined) return text
      throw absent(resource)
    },
    see: async (id, below) => {
      const seen = await readSeen(database, resource, { credentialId: owner.credentialId, id })
      if (!seen || (below && seen.values[below.field] !== below.id)) throw absent(resource)
      return seen
    },
    store: async (raw, { askedAt, accept = 'all', cause }) => {
      const { row } = target.map(raw)
      const options = { accept, askedAt: askedAt.toISOString(), cause }
      await connected((transaction) =>
        applyChanges(transaction, owner, resource, [toLine(row)], options),
      )
      return row.id
    },
    markDeleted: (id) => connected((transaction) => deleteRecord(transaction, owner, resource, id)),
    ask: ({ values: record }) =>
      target.run(writer.get(record.remoteId, { remoteId: record.remoteId, record })),
    refresh: async (seen, cause) => {
      const raw = await target.ask(seen)
      if (raw === undefined) await target.markDeleted(seen.id)
      else await target.store(raw, { askedAt: seen.readAt, cause })
      return parseStored(await target.read(seen.id))
    },
  }
  return target
}
