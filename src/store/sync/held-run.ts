/** What a run writes to its sync state while it holds the lease: its progress, its release and its completion. */
import { Prisma } from '@prisma/client'
import { ASYNCHRONOUS_COMMIT } from '../database/asynchronous-commit.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import { isHeldBy, LeaseLostError, RELEASED, renewed } from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'
import { type StoredTotals, storedTotals } from '../records/record-totals.ts'
import {
  type RunProgress,
  type StoredCount,
  type StoredFailure,
  SYNC_STATES,
  type SyncLease,
} from './sync-state.ts'

const { sql } = Prisma

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
  // What the run has not seen happened after its start. Times are rounded to milliseconds; the feed has got its token
  // a request earlier.
  const isCovered = sql`reported_since <= ${startedAt}::timestamptz`
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
      synced_at = ${startedAt}::timestamptz, full_listing_at = ${fullListingAt},
      account_changed = account_changed AND NOT ${everything}`,
    isIdle ? sql`RETURNING ${ASYNCHRONOUS_COMMIT}` : Prisma.empty,
  )
}
