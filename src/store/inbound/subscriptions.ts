/**
 * Subscriptions of credentials as leased rows: one process at a time fetches the records of a credential's events and
 * keeps its subscription in the app alive.
 */
import { Prisma } from '@prisma/client'
import type { Database, Transaction } from '../database/database.ts'
import {
  acquired,
  isFree,
  isHeldBy,
  type Lease,
  LeaseLostError,
  type LeaseTable,
  RELEASED,
} from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'

const { sql } = Prisma

interface SubscriptionKey {
  readonly id: string
}

/** The subscriptions as leased rows. */
export const SUBSCRIPTIONS: LeaseTable<SubscriptionKey> = {
  name: 'inbound_subscriptions',
  key: { id: ['id', 'uuid'] },
  isScheduled: true,
}

/** The right to work on a subscription. */
export type SubscriptionLease = Lease<SubscriptionKey>

/** A subscription that is due. */
export interface DueSubscription {
  readonly id: string
  readonly app: string
}

/** Lists the subscriptions that are due, longest due first. One statement. */
export const listDueSubscriptions = (
  { prisma }: Database,
  limit: number,
): Promise<DueSubscription[]> =>
  // A stable time, so that the index is used.
  prisma.$queryRaw<DueSubscription[]>(sql`
    SELECT s.id::text AS id, s.app FROM inbound_subscriptions s
    WHERE s.due_at <= statement_timestamp() AND ${isFree('s')} ORDER BY s.due_at LIMIT ${limit}`)

/** The stored subscription of a credential. */
export interface StoredInboundSubscription {
  readonly id: string
  readonly environmentId: string
  readonly credentialId: string
  /** Empty: there is none in the app. */
  readonly remoteIds: readonly string[]
  readonly sealedSecret: Uint8Array | null
  /** Time until it expires; null: it does not. */
  readonly expiresInMs: number | null
  /** Time since the last delivery; null: there was none. */
  readonly receivedAgeMs: number | null
  readonly isCheckDue: boolean
  /** Consecutive failures before. */
  readonly checkFailures: number
  readonly fetchFailures: number
  readonly received: bigint
}

/** A subscription with its lease. */
export interface AcquiredSubscription extends StoredInboundSubscription {
  readonly lease: SubscriptionLease
}

/** Takes the leases of subscriptions that are still due and free. One statement. */
export const acquireSubscriptions = async (
  { prisma }: Database,
  ids: readonly string[],
  durationMs: number,
): Promise<AcquiredSubscription[]> => {
  const rows = await prisma.$queryRaw<(StoredInboundSubscription & { holder: string })[]>(sql`
    WITH due AS MATERIALIZED (
      SELECT s.id FROM inbound_subscriptions s
      WHERE s.id = ANY (${ids}::uuid[]) AND s.credential_id IS NOT NULL
        AND s.due_at <= clock_timestamp() AND ${isFree('s')}
      ORDER BY s.id FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE inbound_subscriptions s SET ${acquired(SUBSCRIPTIONS, sql`gen_random_uuid()`, durationMs)}
    FROM due d WHERE s.id = d.id
    RETURNING s.holder::text AS holder, s.id::text AS id, s.environment_id::text AS "environmentId",
      s.credential_id::text AS "credentialId", s.remote_ids AS "remoteIds",
      s.sealed_secret AS "sealedSecret",
      extract(epoch FROM s.expires_at - clock_timestamp())::double precision * 1000 AS "expiresInMs",
      extract(epoch FROM clock_timestamp() - s.last_received_at)::double precision * 1000
        AS "receivedAgeMs",
      s.check_at <= clock_timestamp() AS "isCheckDue",
      s.check_failures AS "checkFailures", s.fetch_failures AS "fetchFailures", s.received`)
  return rows.map(({ holder, ...row }) => ({
    ...row,
    lease: { key: { id: row.id }, holder, durationMs },
  }))
}

const updateHeld = async (
  { prisma }: Database,
  lease: SubscriptionLease,
  assignments: Prisma.Sql,
): Promise<void> => {
  const written = await prisma.$executeRaw(sql`
    UPDATE inbound_subscriptions SET ${assignments} WHERE ${isHeldBy(SUBSCRIPTIONS, lease)}`)
  if (written === 0) throw new LeaseLostError('Another process works on the subscription.')
}

/** Stores the secret before the app learns it: deliveries may arrive before the response. @throws LeaseLostError */
export const saveSecret = (
  database: Database,
  lease: SubscriptionLease,
  sealedSecret: Uint8Array,
): Promise<void> => updateHeld(database, lease, sql`sealed_secret = ${sealedSecret}`)

/** Stores the app's ids and the expiry of the subscription; no ids: it does not exist. @throws LeaseLostError */
export const saveRemote = (
  database: Database,
  lease: SubscriptionLease,
  remoteIds: readonly string[],
  expiresAt: string | undefined,
): Promise<void> =>
  updateHeld(
    database,
    lease,
    sql`remote_ids = ${remoteIds}::text[], expires_at = ${expiresAt ?? null}::timestamptz`,
  )

/** The result of a look at the subscription in the app. */
export interface CheckResult {
  readonly company: string | undefined
  /** Until the next look. */
  readonly nextInMs: number
  /** Why it failed, and how many times in a row; undefined: it did not. */
  readonly failure?: { readonly reason: string; readonly count: number }
}

/** Stores the result of a check. @throws LeaseLostError */
export const saveCheck = (
  database: Database,
  lease: SubscriptionLease,
  { company, nextInMs, failure }: CheckResult,
): Promise<void> =>
  updateHeld(
    database,
    lease,
    sql`company = ${company ?? null}, check_at = ${msFromNow(nextInMs)},
      check_failures = ${failure?.count ?? 0}, failure = ${failure?.reason ?? null}`,
  )

/** How the processing of the events ended. */
export interface SubscriptionRelease {
  /** `received` when the lease was acquired. */
  readonly received: bigint
  /** Until the remaining events are processed; undefined: there are none. */
  readonly retryInMs?: number
  /** Consecutive failures to fetch the records of events. */
  readonly fetchFailures: number
}

/** Releases a lease. It is due immediately if events arrived in the meantime. @throws LeaseLostError */
export const releaseSubscription = (
  database: Database,
  lease: SubscriptionLease,
  { received, retryInMs, fetchFailures }: SubscriptionRelease,
): Promise<void> =>
  updateHeld(
    database,
    lease,
    sql`${RELEASED}, fetch_failures = ${fetchFailures}, due_at = least(check_at, ${
      retryInMs === undefined
        ? // The row is read again after a wait for its lock; a query of the events would not be.
          sql`CASE WHEN received <> ${received} THEN clock_timestamp() ELSE 'infinity'::timestamptz END`
        : msFromNow(retryInMs)
    })`,
  )

/** The ids of a subscription in its app. */
export interface RemoteIds {
  readonly credentialId: string
  readonly remoteIds: readonly string[]
}

/** Lists the subscriptions that exist in apps: of all credentials of an end user, or of one. One statement. */
export const listRemoteSubscriptions = (
  { prisma }: Database,
  {
    environmentId,
    userId,
    credentialId,
  }: { readonly environmentId: string; readonly userId: string; readonly credentialId?: string },
): Promise<RemoteIds[]> =>
  prisma.$queryRaw<RemoteIds[]>(sql`
    SELECT c.id::text AS "credentialId", s.remote_ids AS "remoteIds"
    FROM credentials c JOIN inbound_subscriptions s ON s.credential_id = c.id
    WHERE c.environment_id = ${environmentId}::uuid AND c.user_id::text = ${userId.toLowerCase()}
      ${credentialId === undefined ? Prisma.empty : sql`AND c.id::text = ${credentialId.toLowerCase()}`}
      AND s.remote_ids <> '{}'`)

/** Makes the check of a credential's subscription due: a reconnected app may belong to another company. */
export const checkSubscriptionNow = async (
  { prisma }: Transaction,
  credentialId: string,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE inbound_subscriptions s SET check_at = clock_timestamp(),
      due_at = CASE WHEN ${isFree('s')} THEN clock_timestamp() ELSE s.due_at END
    WHERE s.credential_id = ${credentialId}::uuid`)
}
