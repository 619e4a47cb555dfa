/** The state of a running sync run, and the functions that its steps share. */

import type { Connector, Json, ResourceConnector } from '../definition/connector.ts'
import type { Resource } from '../definition/resource.ts'
import type { Log } from '../log.ts'
import type { AppClient } from '../outbound/http.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import { appendEvent, type LogPosition } from '../store/changes/events.ts'
import type { Database, Transaction } from '../store/database/database.ts'
import type { RecordOwner } from '../store/records/apply-changes.ts'
import type {
  RunProgress,
  SeenPages,
  SyncCounts,
  SyncLease,
  SyncState,
} from '../store/sync/sync-state.ts'
import type { FailureCode } from './failure-plan.ts'
import { MAX_DRIFT } from './plan-run.ts'
import type { StorageLimits } from './storage-limits.ts'

/** The dependencies and settings of all runs. */
export interface SyncContext {
  readonly database: Database
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: Log
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
  /** From the end of a run to the start of the next. */
  readonly intervalMs: number
  /** From a full listing that lacked many records to the second one that confirms it. */
  readonly confirmAfterMs: number
  /** How long a run may take while other runs wait; then it pauses after its current page. */
  readonly sliceMs: number
  readonly limits: StorageLimits
  readonly onRun: OnRun | undefined
  /** Starts work that a run does not wait for. It ends before the sync stops; `signal` aborts it then. */
  readonly inBackground: (work: (signal: AbortSignal) => Promise<void>) => void
}

/** Receives the end of a run: its app, and `completed` or the code of its failure. */
export type OnRun = (app: string, outcome: 'completed' | FailureCode) => void

/** A run that this process holds the lease of: of a resource, or of a feed. */
export interface ActiveRun {
  readonly context: SyncContext
  readonly lease: SyncLease
  readonly owner: RecordOwner
  /** Its context is read before the first request. */
  credential: OpenCredential
  readonly connector: Connector
  /** The sync state when the lease was acquired. */
  readonly state: SyncState
  /** When the lease was acquired, by `performance.now()`. */
  readonly acquiredMs: number
  /** The progress as last committed. */
  progress: RunProgress
  /** The pages that earlier slices of the listing have seen. */
  seen: SeenPages | undefined
  /** Whether a page was committed since the lease was acquired. */
  advanced: boolean
}

/** The app of a run. */
type RunApp = Pick<ActiveRun, 'owner' | 'credential' | 'connector'>

/** Opens the app of a credential; undefined if the credential was deleted. @throws Error if it has no connector */
export const openApp = async (
  { loadCredential, connectors }: SyncContext,
  credentialId: string,
): Promise<RunApp | undefined> => {
  const credential = await loadCredential(credentialId)
  if (!credential) return
  const connector = connectors.get(credential.app)
  if (!connector) throw new Error(`No connector for ${credential.app}.`)
  const owner = { credentialId, environmentId: credential.environmentId }
  return { owner, credential, connector }
}

/** The run of a resource. */
export interface ResourceRun extends ActiveRun {
  readonly resource: ResourceConnector
}

/** The unified resource of a run. */
export const resourceOf = ({ resource }: ResourceRun): Resource => resource.mapping.resource

/** The account of a run, for the mapping of a resource. */
export const accountOf = ({ credential, connector }: ActiveRun, { topic }: Resource) => ({
  credentialId: credential.id,
  customFields: credential.customFields?.get(topic),
  context: contextOf(connector, credential),
})

/** The app client of a run: its requests spend the budget for changes, or that for history. */
export const appClientOf = ({ context, owner, progress }: ActiveRun): AppClient =>
  context.appClient.spending({
    ...owner,
    purpose: progress.listing === 'everything' ? 'history' : 'changes',
  })

// An app may return all of its records as one page.
const TRANSACTION_LIMITS = { timeoutMs: 120_000, maxWaitMs: 30_000 }

/** Runs `work` in one transaction, with limits that suit large pages. */
export const transact = <T>(
  { context }: ActiveRun,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> => context.database.transaction(work, TRANSACTION_LIMITS)

/** Converts a time by `performance.now()` to the database's clock; the result is never too late. */
export const databaseTime = ({ state, acquiredMs }: ActiveRun, steadyMs: number): string =>
  new Date(Date.parse(state.now) + (steadyMs - acquiredMs) * (1 - MAX_DRIFT)).toISOString()

/** The sum of two sets of counts. */
export const addCounts = (counts: SyncCounts, added: Partial<SyncCounts>): SyncCounts => ({
  pages: counts.pages + (added.pages ?? 0),
  listed: counts.listed + (added.listed ?? 0),
  skipped: counts.skipped + (added.skipped ?? 0),
  problems: counts.problems + (added.problems ?? 0),
  created: counts.created + (added.created ?? 0),
  updated: counts.updated + (added.updated ?? 0),
  deleted: counts.deleted + (added.deleted ?? 0),
})

/** Writes a sync event of the run to the change log. */
export const appendSyncEvent = (
  transaction: Transaction,
  run: ActiveRun,
  event: 'started' | 'completed' | 'failed',
  facts: Readonly<Record<string, Json>> = {},
  position?: LogPosition,
): Promise<void> => {
  const { listing, startedAt } = run.progress
  const record = { resource: run.lease.key.topic, listing, startedAt, ...facts }
  return appendEvent(transaction, run.owner, `sync/${event}`, record, position)
}
