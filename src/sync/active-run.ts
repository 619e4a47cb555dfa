/** What the steps of a run share. */
import type { Connector, Json, ResourceConnector } from '../definition/connector.ts'
import type { Resource } from '../definition/resource.ts'
import type { AppClient } from '../outbound/http.ts'
import type { RecordOwner } from '../store/apply-changes.ts'
import type { OpenCredential } from '../store/credentials.ts'
import type { Database, Transaction } from '../store/database.ts'
import { appendEvent, type LogPlace } from '../store/sync-events.ts'
import type { Lease, RunProgress, SyncCounts, SyncState } from '../store/sync-state.ts'

/** Where the engine tells what it does: facts, then words. pino's shape. */
export interface SyncLog {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** What every run needs. */
export interface SyncContext {
  readonly database: Database
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: SyncLog
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
  /** From the end of a run to the next. */
  readonly intervalMs: number
  /** From one listing of everything to the next, where only those show what was deleted. */
  readonly fullListingIntervalMs: number
  /** From a listing that lacked a large part of the records to the one that confirms it. */
  readonly confirmAfterMs: number
  /** After so long a run makes room for others and goes on later. */
  readonly sliceMs: number
}

export interface ActiveRun {
  readonly context: SyncContext
  readonly lease: Lease
  readonly owner: RecordOwner
  readonly credential: OpenCredential
  readonly connector: Connector
  readonly resource: ResourceConnector
  /** As it was when the run was taken up. */
  readonly state: SyncState
  /** When that was, in milliseconds by this process's steady clock. */
  readonly takenUpMs: number
  /** As last committed. */
  progress: RunProgress
  /** Whether anything was committed since the run was taken up. */
  advanced: boolean
}

/** The unified resource of a run. */
export const resourceOf = ({ resource }: ActiveRun): Resource => resource.mapping.resource

// A page of an app may be all its records.
const TRANSACTION_LIMITS = { timeout: 120_000, maxWait: 30_000 }

/** One transaction of a run. */
export const transact = <T>(
  { context }: ActiveRun,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> => context.database.prisma.$transaction(work, TRANSACTION_LIMITS)

/** The counts with some of them raised. */
export const raise = (counts: SyncCounts, by: Partial<SyncCounts>): SyncCounts => ({
  pages: counts.pages + (by.pages ?? 0),
  listed: counts.listed + (by.listed ?? 0),
  skipped: counts.skipped + (by.skipped ?? 0),
  problems: counts.problems + (by.problems ?? 0),
  created: counts.created + (by.created ?? 0),
  updated: counts.updated + (by.updated ?? 0),
  deleted: counts.deleted + (by.deleted ?? 0),
})

/** Writes a sync event of the run to the change log. */
export const announce = (
  transaction: Transaction,
  run: ActiveRun,
  event: 'started' | 'completed' | 'failed',
  facts: Readonly<Record<string, Json>> = {},
  place?: LogPlace,
): Promise<void> => {
  const { listing, startedAt } = run.progress
  const record = { resource: run.lease.key.topic, listing, startedAt, ...facts }
  return appendEvent(transaction, run.owner, `sync/${event}`, record, place)
}
