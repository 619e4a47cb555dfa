/** Fetches records by their remote ids, in batches where the app offers that. */
import {
  isAbsent,
  type ReadMany,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
  type StoredRecord,
} from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import { createMapper, type RecordRow } from '../definition/mapping.ts'
import type { Database } from '../store/database/database.ts'
import { readRecord } from '../store/records/records.ts'
import { tolerant } from '../sync/map-pages.ts'
import { type ConnectedApp, runInApp } from './context.ts'

// Requests of one credential at a time; most apps limit them to about that many.
const CONCURRENCY = 4

/** The records of some remote ids. */
export interface FetchedRecords {
  readonly rows: readonly RecordRow[]
  /** Remote ids of records that the app does not have. */
  readonly absent: readonly string[]
}

type Get = ResourceWriter['get']

/** Whether records of a resource can be fetched by id. */
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

const getOne = async (app: ConnectedApp, get: Get, remoteId: string, stored?: StoredRecord) => {
  try {
    return await runInApp(app, get(remoteId, stored))
  } catch (error) {
    if (isAbsent(error)) return
    throw error
  }
}

const getEach = async (
  app: ConnectedApp,
  database: Database,
  resource: ResourceConnector,
  get: Get,
  remoteIds: readonly string[],
): Promise<readonly unknown[]> => {
  const found: unknown[] = []
  const rest = [...remoteIds]
  const work = async (): Promise<void> => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      const stored = await readStoredCopy(database, resource, app.credential.id, id)
      const raw = await getOne(app, get, id, stored)
      if (raw !== undefined) found.push(raw)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return found
}

function* readBatch(
  { request, read }: ReadMany,
  ids: readonly string[],
): Steps<readonly unknown[]> {
  return read(yield { ...request(ids), read: true })
}

const readBatches = async (
  app: ConnectedApp,
  readMany: ReadMany,
  remoteIds: readonly string[],
): Promise<readonly unknown[]> => {
  const found: unknown[] = []
  for (let start = 0; start < remoteIds.length; start += readMany.maxIds) {
    const ids = remoteIds.slice(start, start + readMany.maxIds)
    found.push(...(await runInApp(app, readBatch(readMany, ids))))
  }
  return found
}

/** Fetches records of a resource and maps them. @throws AppError, and what the connector throws */
export const fetchRecords = async (
  app: ConnectedApp,
  database: Database,
  resource: ResourceConnector,
  remoteIds: readonly string[],
): Promise<FetchedRecords> => {
  const { readMany, write, mapping } = resource
  const read = async (): Promise<readonly unknown[]> => {
    if (readMany) return readBatches(app, readMany, remoteIds)
    return write ? getEach(app, database, resource, write.get, remoteIds) : []
  }
  const found = await read()
  const map = createMapper(mapping, tolerant)
  const { id: credentialId, customFields } = app.credential
  const ofResource = customFields?.get(mapping.resource.topic)
  const rows = found.map((raw) => map(raw, credentialId, ofResource).row)
  const present = new Set(rows.map(({ remoteId }) => remoteId))
  return { rows, absent: remoteIds.filter((id) => !present.has(id)) }
}
