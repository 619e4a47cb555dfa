/** Reads records by their remote ids, in batches where the app offers that. */
import {
  isAbsent,
  type Json,
  type ReadMany,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
  type StoredRecord,
} from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import type { Database } from '../store/database/database.ts'
import { readRecord } from '../store/records/records.ts'

// Requests of one credential at a time; most apps limit them to about that many.
const CONCURRENCY = 4

/** Runs a connector's steps in the app of one credential. @throws AppError, and what the connector throws */
export type RunInApp = <Result>(steps: Steps<Result>) => Promise<Result>

/** Where records are read. */
export interface RecordSource {
  readonly database: Database
  readonly credentialId: string
  /** The context of the account; undefined if the connector declares none. */
  readonly context: Json | undefined
  readonly run: RunInApp
}

type Get = ResourceWriter['get']

/** Whether records of a resource can be read by id. */
export const isFetchable = ({ readMany, write }: ResourceConnector): boolean =>
  readMany !== undefined || write !== undefined

const readStoredCopy = async (
  database: Database,
  { mapping }: ResourceConnector,
  credentialId: string,
  remoteId: string,
): Promise<StoredRecord | undefined> => {
  const { resource } = mapping
  const id = recordId(credentialId, resource.topic, remoteId)
  const stored = await readRecord(database, resource, { credentialId, id })
  // The JSON of a record is an object.
  return stored && { remoteId, record: JSON.parse(stored.json) as StoredRecord['record'] }
}

const getOne = async (run: RunInApp, steps: Steps<unknown>) => {
  try {
    return await run(steps)
  } catch (error) {
    if (isAbsent(error)) return
    throw error
  }
}

const getEach = async (
  { database, credentialId, context, run }: RecordSource,
  resource: ResourceConnector,
  get: Get,
  remoteIds: readonly string[],
): Promise<readonly unknown[]> => {
  const found: unknown[] = []
  const rest = [...remoteIds]
  const work = async (): Promise<void> => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      const stored = await readStoredCopy(database, resource, credentialId, id)
      const raw = await getOne(run, get(id, stored, context))
      if (raw !== undefined) found.push(raw)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return found
}

function* readBatch(
  { request, read }: ReadMany,
  ids: readonly string[],
  context: unknown,
): Steps<readonly unknown[]> {
  return read(yield { ...request(ids, context), read: true }, context)
}

const readBatches = async (
  { run, context }: RecordSource,
  readMany: ReadMany,
  remoteIds: readonly string[],
): Promise<readonly unknown[]> => {
  const found: unknown[] = []
  for (let start = 0; start < remoteIds.length; start += readMany.maxIds) {
    const ids = remoteIds.slice(start, start + readMany.maxIds)
    found.push(...(await run(readBatch(readMany, ids, context))))
  }
  return found
}

/** Reads records of a resource, in the form of a listing; absent ones are left out. */
export const readRecords = async (
  source: RecordSource,
  resource: ResourceConnector,
  remoteIds: readonly string[],
): Promise<readonly unknown[]> => {
  const { readMany, write } = resource
  if (readMany) return readBatches(source, readMany, remoteIds)
  return write ? getEach(source, resource, write.get, remoteIds) : []
}
