/**
 * Fair scheduling of sync runs, and the leases that assign a run to one process. The next slot goes to the end
 * user with the fewest running syncs, then to the one whose last run started longest ago. So a user with many
 * credentials does not delay other users.
 */
import { Prisma } from '@prisma/client'
import { ASYNCHRONOUS_COMMIT } from '../database/asynchronous-commit.ts'
import type { Database } from '../database/database.ts'
import { acquired, isFree, isHeld, isRow } from '../database/lease-sql.ts'
import { intervalSql } from '../database/time-sql.ts'
import type { SyncKey } from './sync-key.ts'
import { SYNC_STATES, type SyncLease, type SyncState } from './sync-state.ts'

const { sql } = Prisma

/** A run that is due, with its end user. */
export interface DueRun extends SyncKey {
  readonly userId: string
}

// Due runs that are considered, longest due first. One user has at most MAX_CREDENTIALS_PER_USER times the
// resources of an app.
const MAX_COMPETING = 5_000
// The most recent claims, which show when a user last got a slot. Users without one of these rank equally.
const RECENT_CLAIMS = 1_000

// A stable function can use the index; with clock_timestamp(), which is volatile, each query would read every row.
const NOW = sql`statement_timestamp()`

/** Lists the next `limit` due runs in scheduling order. One statement. */
export const listDueRuns = ({ prisma }: Database, limit: number): Promise<DueRun[]> =>
  prisma.$queryRaw<DueRun[]>(sql`
    WITH waiting AS MATERIALIZED (
      SELECT s.credential_id, s.topic, s.due_at, c.user_id
      FROM (SELECT credential_id, topic, due_at FROM sync_states
        WHERE due_at <= ${NOW} ORDER BY due_at LIMIT ${MAX_COMPETING}) s
      JOIN credentials c ON c.id = s.credential_id
    ), shares AS (
      SELECT c.user_id, count(*) FILTER (WHERE ${isHeld('s')}) AS places, max(s.claimed_at) AS served_at
      FROM (SELECT credential_id, held_until, claimed_at FROM sync_states
        WHERE claimed_at IS NOT NULL ORDER BY claimed_at DESC LIMIT ${RECENT_CLAIMS}) s
      JOIN credentials c ON c.id = s.credential_id GROUP BY c.user_id
    ), turns AS (
      SELECT w.*, s.served_at, coalesce(s.places, 0)
        + row_number() OVER (PARTITION BY w.user_id ORDER BY w.due_at) AS place
      FROM waiting w LEFT JOIN shares s ON s.user_id = w.user_id
    )
    SELECT credential_id::text AS "credentialId", topic, user_id::text AS "userId"
    FROM turns ORDER BY place, served_at NULLS FIRST, due_at LIMIT ${limit}`)

/** Whether a run has been due for `sinceMs` without a process taking it. One statement. */
export const isAnyRunWaiting = async ({ prisma }: Database, sinceMs: number): Promise<boolean> => {
  const [row] = await prisma.$queryRaw<{ isWaiting: boolean }[]>(sql`
    SELECT EXISTS (SELECT FROM sync_states
      WHERE due_at <= ${NOW} - ${intervalSql(sinceMs)}) AS "isWaiting"`)
  return row?.isWaiting ?? false
}

/** Makes the runs that failed with this code due immediately. */
export const retryFailed = ({ prisma }: Database, code: string): Promise<number> =>
  prisma.$executeRaw(sql`
    WITH failed AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM sync_states s
      WHERE s.failure_code = ${code} AND s.due_at > clock_timestamp() AND s.due_at < 'infinity'
        AND ${isFree('s')}
      FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE sync_states s SET due_at = clock_timestamp() FROM failed f
    WHERE s.credential_id = f.credential_id AND s.topic = f.topic`)

interface StateRow extends Omit<SyncState, 'since' | 'completedAt' | 'now'> {
  readonly since: Date | null
  readonly completedAt: Date | null
  readonly now: Date
}

const STATE = sql`s.since, s.token, s.progress, s.idle_runs AS "idleRuns",
  s.remote_count AS "remoteCount", s.failures, s.reconciliation_id::text AS "reconciliationId",
  s.account_changed AS "accountChanged", s.completed_at AS "completedAt",
  CASE WHEN s.failure_code IS NOT NULL
    THEN jsonb_build_object('code', s.failure_code, 'reason', s.failure) END AS failure,
  extract(epoch FROM clock_timestamp() - s.full_listing_at)::double precision * 1000
    AS "fullListingAgeMs",
  (SELECT extract(epoch FROM clock_timestamp() - w.last_received_at)::double precision * 1000
    FROM inbound_subscriptions w WHERE w.credential_id = s.credential_id) AS "webhookAgeMs",
  EXISTS (SELECT FROM record_totals t WHERE t.credential_id = s.credential_id AND t.topic = s.topic)
    AS "hasRecordTotal",
  clock_timestamp() AS now`

const toState = ({ since, completedAt, now, ...row }: StateRow): SyncState => ({
  ...row,
  since: since?.toISOString() ?? null,
  completedAt: completedAt?.toISOString() ?? null,
  now: now.toISOString(),
})

const taken = (holder: Prisma.Sql, durationMs: number): Prisma.Sql =>
  sql`${acquired(SYNC_STATES, holder, durationMs)}, claimed_at = clock_timestamp()`

/** Takes the lease. @returns the sync state; undefined if another process holds the lease or no such state exists */
export const acquireRun = async (
  { prisma }: Database,
  { key, holder, durationMs }: SyncLease,
): Promise<SyncState | undefined> => {
  const [row] = await prisma.$queryRaw<StateRow[]>(sql`
    UPDATE sync_states s SET ${taken(sql`${holder}::uuid`, durationMs)}
    WHERE ${isRow(SYNC_STATES, key)} AND ${isFree('s')}
    RETURNING ${STATE}, ${ASYNCHRONOUS_COMMIT}`)
  return row && toState(row)
}

/** A lease with the sync state that it covers. */
export interface AcquiredRun {
  readonly lease: SyncLease
  readonly state: SyncState
}

/** Takes the leases of runs that are still due and that no other process is taking. One statement. */
export const acquireDueRuns = async (
  { prisma }: Database,
  leases: readonly SyncLease[],
): Promise<AcquiredRun[]> => {
  const durationMs = Math.max(...leases.map((lease) => lease.durationMs))
  // Skips rows that another transaction has locked, so that no transaction waits while it holds a lock.
  const rows = await prisma.$queryRaw<(StateRow & { holder: string })[]>(sql`
    WITH due AS MATERIALIZED (
      SELECT s.credential_id, s.topic, l.holder FROM sync_states s
      JOIN unnest(${leases.map(({ key }) => key.credentialId)}::uuid[],
        ${leases.map(({ key }) => key.topic)}::text[], ${leases.map(({ holder }) => holder)}::uuid[])
        AS l(credential_id, topic, holder) ON s.credential_id = l.credential_id AND s.topic = l.topic
      WHERE s.due_at <= clock_timestamp() AND ${isFree('s')}
      FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE sync_states s SET ${taken(sql`d.holder`, durationMs)}
    FROM due d WHERE s.credential_id = d.credential_id AND s.topic = d.topic
    RETURNING d.holder::text AS holder, ${STATE}, ${ASYNCHRONOUS_COMMIT}`)
  const byHolder = new Map(leases.map((lease) => [lease.holder, lease]))
  return rows.flatMap(({ holder, ...row }) => {
    const lease = byHolder.get(holder)
    return lease ? [{ lease, state: toState(row) }] : []
  })
}
