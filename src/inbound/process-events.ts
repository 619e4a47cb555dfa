/** Fetches the records that waiting events of a credential name, and stores them. */
import type { Connector, ResourceConnector } from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import { exponentialPauseMs, requestedPauseMs, withJitter } from '../outbound/backoff.ts'
import type { ClassifiedFailure } from '../outbound/classify-failure.ts'
import { lockCredential } from '../store/accounts/credentials.ts'
import {
  listNamedRecords,
  listStoppedTopics,
  markProcessed,
  type NamedRecord,
} from '../store/inbound/events.ts'
import { applyChanges, lockRecords, markRecordsDeleted } from '../store/records/apply-changes.ts'
import { createLineWriter } from '../store/records/record-lines.ts'
import { requestRuns } from '../store/sync/sync-age.ts'
import { isFetchable } from '../sync/read-records.ts'
import { LIMIT_REACHED } from '../sync/storage-limits.ts'
import { type ConnectedApp, failureIn, type InboundContext } from './context.ts'
import { type FetchedRecords, fetchRecords } from './fetch-records.ts'

const RECORDS_AT_ONCE = 50
// After this time, the worker continues with other credentials.
const SLICE_MS = 10_000
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 10 * 60_000
// A rejected credential works again only once the end user reconnects the app.
const AUTHENTICATION_PAUSE_MS = 10 * 60_000
const MAX_AUTHENTICATION_PAUSE_MS = 24 * 3_600_000
const JITTER = [0.9, 1.1] as const

const isDeletedInApp = ({ remoteDeleted }: Readonly<Record<string, unknown>>): boolean =>
  remoteDeleted === true

/** What an app reports about records of one topic. */
interface Findings extends FetchedRecords {
  /** When they were requested, or slightly earlier, by the database's clock. */
  readonly requestedAt: string | undefined
  readonly keys: readonly string[]
}

/**
 * Stores findings and marks their events as processed, in one transaction. A record that was deleted in the app is only
 * marked: its stored fields stay as they are.
 */
const storeFindings = (
  { database }: InboundContext,
  { credential }: ConnectedApp,
  { mapping: { resource } }: ResourceConnector,
  { rows, absent, requestedAt, keys }: Findings,
): Promise<void> =>
  database.transaction(async (transaction) => {
    const { id: credentialId, environmentId } = credential
    const owner = { credentialId, environmentId }
    // The lock comes first: locking a row assigns the transaction its id, and ids order the log.
    await lockRecords(transaction, credentialId, resource)
    if (!(await lockCredential(transaction, credentialId))) return
    const lines = rows.filter((row) => !isDeletedInApp(row)).map(createLineWriter(resource))
    await applyChanges(transaction, owner, resource, lines, { accept: 'newer', requestedAt })
    const deleted = [...rows.filter(isDeletedInApp).map(({ remoteId }) => remoteId), ...absent]
    const ids = deleted.map((remoteId) => recordId(credentialId, resource.topic, remoteId))
    if (ids.length > 0) await markRecordsDeleted(transaction, owner, resource, ids)
    await markProcessed(transaction, credentialId, keys)
  })

const keysOf = (records: readonly NamedRecord[]): string[] => records.flatMap(({ keys }) => keys)

const idsOf = (records: readonly NamedRecord[]): string[] => records.map(({ remoteId }) => remoteId)

/** Whether the same fetch may succeed later. */
const isTemporary = ({ code }: ClassifiedFailure): boolean =>
  code !== 'APP_REFUSED' && code !== 'INTERNAL'

/** Fetches and stores the records of one topic. */
const processTopic = async (
  context: InboundContext,
  app: ConnectedApp,
  resource: ResourceConnector,
  records: readonly NamedRecord[],
): Promise<void> => {
  const { database, log } = context
  const { id: credentialId } = app.credential
  const { topic } = resource.mapping.resource
  const deleted = records.filter(({ isDeleted }) => isDeleted)
  const changed = records.filter(({ isDeleted }) => !isDeleted)
  const store = (fetched: FetchedRecords): Promise<void> => {
    const absent = [...fetched.absent, ...idsOf(deleted)]
    return storeFindings(context, app, resource, {
      ...fetched,
      absent,
      // Not the time of the events: this response must replace what the previous request stored.
      requestedAt: records[0]?.listedAt,
      keys: keysOf(records),
    })
  }
  if (isFetchable(resource)) {
    try {
      return await store(await fetchRecords(app, database, resource, idsOf(changed)))
    } catch (error) {
      const failure = failureIn(app, error)
      if (isTemporary(failure)) throw error
      // The next listing finds what cannot be fetched.
      const { code, reason } = failure
      const thrown = code === 'INTERNAL' && { err: error }
      log.warn(
        { credentialId, topic, code, reason, ...thrown },
        'records of webhooks were not fetched',
      )
    }
  }
  if (changed.length > 0) await requestRuns(database, [{ credentialId, topic }])
  await store({ rows: [], absent: [] })
}

const processBatch = async (
  context: InboundContext,
  app: ConnectedApp,
  records: readonly NamedRecord[],
): Promise<void> => {
  const { database } = context
  const { id: credentialId } = app.credential
  const stopped = await listStoppedTopics(database, credentialId, LIMIT_REACHED)
  const { resources }: Connector = app.connector
  for (const [topic, named] of Map.groupBy(records, ({ topic }) => topic)) {
    const resource = resources[topic]
    if (resource && !stopped.has(topic)) await processTopic(context, app, resource, named)
    else await markProcessed(database, credentialId, keysOf(named))
  }
}

/** When the remaining events are processed; `retryInMs` undefined: there are none. */
export interface ProcessedEvents {
  readonly retryInMs?: number
  readonly fetchFailures: number
}

/** Plans the next attempt after a failure of the app. */
const planRetry = (
  { code, retryAfterMs }: ClassifiedFailure,
  failures: number,
): ProcessedEvents => {
  const isRejected = code === 'APP_AUTHENTICATION'
  const pauseMs = exponentialPauseMs(
    isRejected ? AUTHENTICATION_PAUSE_MS : FIRST_PAUSE_MS,
    failures,
    isRejected ? MAX_AUTHENTICATION_PAUSE_MS : MAX_PAUSE_MS,
  )
  const retryInMs = Math.max(requestedPauseMs(retryAfterMs), withJitter(pauseMs, JITTER))
  return { retryInMs, fetchFailures: failures }
}

/**
 * Processes the waiting events of a credential.
 * @param failures the number of consecutive failed attempts so far
 * @throws the error of a failed statement, and the reason why the work must end
 */
export const processEvents = async (
  context: InboundContext,
  app: ConnectedApp,
  failures: number,
): Promise<ProcessedEvents> => {
  const { database, log } = context
  const { id: credentialId } = app.credential
  const startedMs = performance.now()
  for (;;) {
    const records = await listNamedRecords(database, credentialId, RECORDS_AT_ONCE)
    if (records.length === 0) return { fetchFailures: 0 }
    if (performance.now() - startedMs > SLICE_MS) return { retryInMs: 0, fetchFailures: 0 }
    try {
      await processBatch(context, app, records)
    } catch (error) {
      const failure = failureIn(app, error)
      const { code, reason } = failure
      if (code === 'INTERNAL') throw error
      const plan = planRetry(failure, failures + 1)
      log.warn(
        { credentialId, code, reason, ...plan },
        'records of webhooks could not be fetched yet',
      )
      return plan
    }
  }
}
