/**
 * Sync states: when each sync is due, which process runs it, and its progress. A run holds the lease of its row.
 * All times are the database's.
 */
import { Prisma } from '@prisma/client'
import { ASYNCHRONOUS_COMMIT } from '../database/asynchronous-commit.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import {
  isHeldBy,
  type Lease,
  LeaseLostError,
  type LeaseTable,
  RELEASED,
  renewed,
} from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'
import { type StoredTotals, storedTotals } from '../records/record-totals.ts'
import type { SyncKey } from './sync-key.ts'

const { sql } = Prisma

export interface SyncCounts {
  readonly pages: number
  readonly listed: number
  /** Records without a remote id, which cannot be stored. */
  readonly skipped: number
  /** Values that do not fit their field. */
  readonly problems: number
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

/** Progress of a run that has not ended, from which another process can resume it. */
export interface RunProgress {
  readonly listing: 'everything' | 'changes'
  /** Whether no listing has ever completed before. */
  readonly first: boolean
  readonly startedAt: string
  /** `settling`: every page is stored. */
  readonly stage: 'listing' | 'settling'
  /** A second listing confirms the records that the first one did not return. */
  readonly pass: 1 | 2
  readonly since: string | null
  /** Token with which the listing of changes started; absent: by time, or everything is listed. JSON text. */
  readonly token?: string | null
  /** Token of the last page, with which the next listing starts, as JSON text. */
  readonly nextToken?: string | null
  /** The remote count before the listing, if one was needed. */
  readonly countBefore?: RemoteCounting
  /** The reconciliation that the run reports to. */
  readonly reconciliationId?: string
  /** Whether the app has rejected an expired token or cursor, after which the run lists everything. */
  readonly expired?: true
  /** Cursor of the next page, as JSON text, because jsonb does not accept every JSON string. */
  readonly cursor: string | null
  /** Cursors of the other partitions that are not completely listed, each as JSON text. */
  readonly partitions?: readonly string[]
  /** Start of the run by the app's clock. */
  readonly appTime: string | null
  /** Latest modification time among the listed records, by the app's clock. */
  readonly newest: string | null
  /** Whether the change log contains the run's start event. */
  readonly announced: boolean
  readonly counts: SyncCounts
  /** Of a feed: the counts of each resource that has changed, by topic. Their start events are in the change log. */
  readonly topics?: Readonly<Record<string, SyncCounts>>
  /** Duration of all earlier slices; undefined: this is the first. */
  readonly workedMs?: number
  /** Pages of earlier slices, to detect a listing that loops. */
  readonly seen?: SeenPages
}

/** Digests of a listing's last pages and cursors, and the number of consecutive repeated or empty pages. */
export interface SeenPages {
  readonly cursors: readonly string[]
  readonly pages: readonly string[]
  readonly repeated: number
  readonly empty: number
}

/** The stored reason of a failed run. */
export interface StoredFailure {
  readonly code: string
  readonly reason: string
}

/** A count of the app's records. */
export interface RemoteCounting {
  readonly count: number
  /** When it was requested, or slightly earlier, by the database's clock. */
  readonly countedAt: string
}

/**
 * The last remote count, and the bounds of the constant difference between the app's count and the number of
 * records that its listings show; null: unbounded.
 */
export interface StoredCount extends RemoteCounting {
  readonly low: number | null
  readonly high: number | null
  /** Whether the bounds are equal and the count is in accord with them. */
  readonly isExact: boolean
}

export interface SyncState {
  readonly since: string | null
  /** Token of the last listing, as JSON text. */
  readonly token: string | null
  readonly progress: RunProgress | null
  /** Time since the last full listing ended; null: never. */
  readonly fullListingAgeMs: number | null
  /** When the last run completed, by the database's clock; null: never. */
  readonly completedAt: string | null
  /** Consecutive completed runs without a change. */
  readonly idleRuns: number
  /** Null: the app's records have not been counted since the last full listing began. */
  readonly remoteCount: StoredCount | null
  readonly failures: number
  /** The failure reported in the change log, otherwise the last one; null: the last run succeeded. */
  readonly failure: StoredFailure | null
  /** Time since the app last delivered a webhook for the credential; null: never. */
  readonly webhookAgeMs: number | null
  /** The reconciliation that the next run starts with; null: none was requested. */
  readonly reconciliationId: string | null
  /** Whether a total of the stored records exists; earlier versions kept none. */
  readonly hasRecordTotal: boolean
  /** The database's time. */
  readonly now: string
}

/** The sync states as leased rows. */
export const SYNC_STATES: LeaseTable<SyncKey> = {
  name: 'sync_states',
  key: { credentialId: ['credential_id', 'uuid'], topic: ['topic', 'text'] },
  isScheduled: true,
}

/** The right to run a sync. */
export type SyncLease = Lease<SyncKey>

const progressJson = (progress: RunProgress | null): Prisma.Sql =>
  sql`${progress && JSON.stringify(progress)}::jsonb`

const leaseLost = (): LeaseLostError =>
  new LeaseLostError('Another process has taken the run over.')

const updateHeld = (lease: SyncLease, assignments: Prisma.Sql): Prisma.Sql =>
  sql`UPDATE sync_states SET ${assignments} WHERE ${isHeldBy(SYNC_STATES, lease)}`

const writeHeld = async (
  database: Queryable,
  lease: SyncLease,
  assignments: Prisma.Sql,
  returning: Prisma.Sql = Prisma.empty,
): Promise<void> => {
  const written = await database.prisma.$executeRaw(
    sql`${updateHeld(lease, assignments)} ${returning}`,
  )
  if (written === 0) throw leaseLost()
}

/**
 * Stores the progress of a run and resets its failure count.
 * @returns the storage totals of the credential, including rows added by this transaction
 * @throws LeaseLostError
 */
export const saveProgress = async (
  transaction: Transaction,
  lease: SyncLease,
  progress: RunProgress,
): Promise<StoredTotals> => {
  const assignments = sql`failures = 0, progress = ${progressJson(progress)},
    ${renewed(SYNC_STATES, lease.durationMs)}`
  const [totals] = await transaction.prisma.$queryRaw<StoredTotals[]>(sql`
    ${updateHeld(lease, assignments)} RETURNING ${storedTotals(lease.key.credentialId)}`)
  if (!totals) throw leaseLost()
  return totals
}

export interface RunRelease {
  /** Null: the next run starts from the beginning. */
  readonly progress: RunProgress | null
  /** Infinite: not before another change makes the run due. */
  readonly dueInMs: number
  /** Undefined: a pause without a failure, which keeps earlier failures. */
  readonly failure?: StoredFailure & { readonly count: number }
  /** A description of the missing records, if a second listing must confirm them. */
  readonly absence?: string | undefined
}

/** Releases the lease before the run has ended. @throws LeaseLostError */
export const releaseRun = (
  database: Queryable,
  lease: SyncLease,
  { progress, dueInMs, failure, absence }: RunRelease,
): Promise<void> =>
  writeHeld(
    database,
    lease,
    sql`${RELEASED}, due_at = ${msFromNow(dueInMs)}, progress = ${progressJson(progress)}
      ${
        failure
          ? sql`, failures = ${failure.count}, failure_code = ${failure.code}, failure = ${failure.reason},
        failing_since = CASE WHEN failure_code IS NOT NULL THEN failing_since ELSE clock_timestamp() END`
          : Prisma.empty
      }
      ${absence === undefined ? Prisma.empty : sql`, absence = ${absence}`}`,
  )

export interface RunCompletion extends Pick<RunProgress, 'startedAt' | 'reconciliationId'> {
  readonly since: string | null
  readonly token: string | null
  readonly listing: RunProgress['listing']
  readonly idleRuns: number
  /** Null: the app does not count its records, or everything must be listed first. */
  readonly remoteCount: StoredCount | null
  /** Whether the run has stored nothing, so that its end need not survive a crash of PostgreSQL: it is repeated then. */
  readonly isIdle: boolean
  /** Whether the next listing must be a full one. */
  readonly isFullListingDue: boolean
  readonly dueInMs: number
  /** The same if a feed reports the changes since before the run; infinite: never. */
  readonly coveredDueInMs: number
}

/** Ends the run. The caller clears the seen records of a full listing. @throws LeaseLostError */
export const completeRun = async (
  database: Queryable,
  lease: SyncLease,
  completion: RunCompletion,
): Promise<void> => {
  const { since, token, listing, startedAt, remoteCount, isIdle, isFullListingDue } = completion
  const reconciled = sql`${completion.reconciliationId ?? null}::uuid`
  const everything = listing === 'everything'
  const fullListingAt = everything
    ? sql`clock_timestamp()`
    : isFullListingDue
      ? sql`'epoch'`
      : sql`full_listing_at`
  // What the run has not seen happened after its start.
  const isCovered = sql`reported_since < ${startedAt}::timestamptz`
  // A reconciliation that was requested during the run starts immediately.
  const dueAt = sql`CASE WHEN reconciliation_id IS DISTINCT FROM ${reconciled} THEN clock_timestamp()
    WHEN ${isCovered} THEN ${msFromNow(completion.coveredDueInMs)}
    ELSE ${msFromNow(completion.dueInMs)} END`
  await writeHeld(
    database,
    lease,
    sql`${RELEASED}, progress = NULL, since = ${since}::timestamptz, token = ${token},
      idle_runs = CASE WHEN ${isCovered} THEN 0 ELSE ${completion.idleRuns}::integer END,
      remote_count = ${remoteCount && JSON.stringify(remoteCount)}::jsonb, due_at = ${dueAt},
      reconciliation_id = nullif(reconciliation_id, ${reconciled}), failures = 0,
      failure_code = NULL, failure = NULL, absence = NULL, completed_at = statement_timestamp(),
      reported_since = CASE WHEN ${isCovered} OR reported_since IS NULL THEN reported_since
        ELSE statement_timestamp() END,
      synced_at = ${startedAt}::timestamptz, full_listing_at = ${fullListingAt}`,
    isIdle ? sql`RETURNING ${ASYNCHRONOUS_COMMIT}` : Prisma.empty,
  )
}
