/**
 * Reconciliations: full listings that count what differed between the app and the store. A transaction locks the row
 * of the sync state before that of the reconciliation, which prevents deadlocks with the deletion of the credential.
 */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { isFree } from '../database/lease-sql.ts'
import { intervalSql } from '../database/time-sql.ts'
import { recordSql } from '../records/record-sql.ts'
import { IS_FEED, type SyncKey } from './sync-key.ts'

const { sql } = Prisma

/** Reconciliations of a resource that are kept. */
export const MAX_RECONCILIATIONS = 20
/** Differences that a reconciliation names; all are counted. */
export const MAX_DIFFERENCES = 20

/** A record that differed. */
export interface Difference {
  readonly id: string
  readonly remoteId: string
  readonly kind: 'created' | 'updated' | 'deleted'
  /** The fields that differed; empty for a new record. */
  readonly fields: readonly string[]
}

/** A reconciliation and what it has found so far. */
export interface Reconciliation {
  readonly id: string
  readonly topic: string
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly storedRecords: number | null
  readonly appRecords: number | null
  readonly unlisted: number | null
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly differences: readonly Difference[]
  /** Whether the sync of the resource is paused, so that an unfinished reconciliation waits. */
  readonly isPaused: boolean
  /** Why the sync does not advance: its failure, or the records that a second listing must confirm; null: it does. */
  readonly problem: string | null
}

/**
 * Makes a full listing with a report due immediately: after the run in progress, and not while the sync is paused or
 * waits after a failure. One that waits or is in progress already is used instead.
 * @returns its id; undefined if the credential has no such sync
 */
export const requestReconciliation = async (
  { prisma }: Transaction,
  { credentialId, topic }: SyncKey,
): Promise<string | undefined> => {
  const [state] = await prisma.$queryRaw<{ reconciliationId: string | null }[]>(sql`
    SELECT reconciliation_id::text AS "reconciliationId" FROM sync_states
    WHERE credential_id = ${credentialId}::uuid AND topic = ${topic} FOR UPDATE`)
  if (!state) return
  if (state.reconciliationId !== null) return state.reconciliationId
  const id = randomUUID()
  await prisma.$executeRaw(sql`
    INSERT INTO reconciliations (id, credential_id, topic)
    VALUES (${id}::uuid, ${credentialId}::uuid, ${topic})`)
  await prisma.$executeRaw(sql`
    DELETE FROM reconciliations WHERE id IN (
      SELECT id FROM reconciliations WHERE credential_id = ${credentialId}::uuid AND topic = ${topic}
      ORDER BY requested_at DESC, id OFFSET ${MAX_RECONCILIATIONS})`)
  await prisma.$executeRaw(sql`
    UPDATE sync_states s SET reconciliation_id = ${id}::uuid,
      due_at = CASE WHEN due_at < 'infinity' AND failures = 0 AND absence IS NULL AND ${isFree('s')}
        THEN least(due_at, clock_timestamp()) ELSE due_at END
    WHERE credential_id = ${credentialId}::uuid AND topic = ${topic}`)
  return id
}

/**
 * Requests a reconciliation of each resource whose last one was requested longer ago, at most `limit`; not of those that
 * are paused, fail, or were never listed.
 */
export const requestOverdueReconciliations = async (
  database: Database,
  { intervalMs, limit }: { readonly intervalMs: number; readonly limit: number },
): Promise<void> => {
  const overdue = await database.prisma.$queryRaw<SyncKey[]>(sql`
    SELECT s.credential_id::text AS "credentialId", s.topic FROM sync_states s
    WHERE s.reconciliation_id IS NULL AND s.full_listing_at IS NOT NULL AND s.failures = 0
      AND s.due_at < 'infinity' AND NOT ${IS_FEED} AND NOT EXISTS (SELECT FROM reconciliations r
        WHERE r.credential_id = s.credential_id AND r.topic = s.topic
          AND r.requested_at > statement_timestamp() - ${intervalSql(intervalMs)})
    LIMIT ${limit}`)
  for (const key of overdue)
    await database.transaction((transaction) => requestReconciliation(transaction, key))
}

/** Records that the listing of a reconciliation starts, perhaps again after a failure. */
export const startReconciliation = async (
  { prisma }: Transaction,
  { credentialId }: SyncKey,
  resource: Resource,
  id: string,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE reconciliations SET started_at = coalesce(started_at, clock_timestamp()),
      stored_records = coalesce(stored_records, (SELECT count(*)::integer FROM ${recordSql(resource).table}
        WHERE credential_id = ${credentialId}::uuid AND NOT remote_deleted))
    WHERE id = ${id}::uuid`)
}

/** Adds the changes of records that this transaction has written to the change log. */
export const addDifferences = async (
  { prisma }: Transaction,
  { credentialId, topic }: SyncKey,
  id: string,
  counts: Pick<Reconciliation, 'created' | 'updated' | 'deleted'>,
): Promise<void> => {
  const { created, updated, deleted } = counts
  if (created + updated + deleted === 0) return
  await prisma.$executeRaw(sql`
    UPDATE reconciliations r SET created = created + ${created}, updated = updated + ${updated},
      deleted = deleted + ${deleted},
      differences = differences || coalesce((SELECT jsonb_agg(to_jsonb(d)) FROM (
        SELECT c.record_id AS id, c.record->>'remoteId' AS "remoteId", c.kind, c.changed_fields AS fields
        FROM change_log.changes c
        WHERE c.epoch = change_log.current_epoch() AND c.xid = pg_current_xact_id()
          AND c.credential_id = ${credentialId}::uuid AND c.topic = ${topic}
        ORDER BY c.sequence LIMIT greatest(0, ${MAX_DIFFERENCES} - jsonb_array_length(r.differences))
      ) d), '[]')
    WHERE id = ${id}::uuid`)
}

/**
 * Ends a reconciliation, before its seen records are cleared.
 * @param startedAt start of its last listing. Records that were stored since are not counted as unlisted.
 */
export const completeReconciliation = async (
  { prisma }: Transaction,
  { credentialId, topic }: SyncKey,
  resource: Resource,
  { id, startedAt }: { readonly id: string; readonly startedAt: string },
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE reconciliations SET finished_at = clock_timestamp(),
      app_records = (SELECT count(*)::integer FROM sync_sightings
        WHERE credential_id = ${credentialId}::uuid AND topic = ${topic}),
      unlisted = (SELECT count(*)::integer FROM ${recordSql(resource).table} r
        WHERE r.credential_id = ${credentialId}::uuid AND NOT r.remote_deleted
          AND r.created_at < ${startedAt}::timestamptz
          AND NOT EXISTS (SELECT FROM sync_sightings s WHERE s.credential_id = r.credential_id
            AND s.topic = ${topic} AND s.record_id = r.id))
    WHERE id = ${id}::uuid`)
}

/** Which reconciliations of a credential to read. */
export interface ReconciliationFilter {
  readonly credentialId: string
  readonly topic?: string | undefined
  readonly id?: string | undefined
}

/** Lists the reconciliations of a credential, the latest first. One statement. */
export const listReconciliations = async (
  { prisma }: Queryable,
  { credentialId, topic, id }: ReconciliationFilter,
): Promise<readonly Reconciliation[]> => {
  if (id !== undefined && !isUuid(id)) return []
  return prisma.$queryRaw<Reconciliation[]>(sql`
    SELECT r.id::text AS id, r.topic, r.requested_at AS "requestedAt", r.started_at AS "startedAt",
      r.finished_at AS "finishedAt", r.stored_records AS "storedRecords", r.app_records AS "appRecords",
      r.unlisted, r.created, r.updated, r.deleted, r.differences, s.due_at = 'infinity' AS "isPaused",
      CASE WHEN s.failure_code IS NOT NULL AND s.failures > 0 THEN s.failure ELSE s.absence END AS problem
    FROM reconciliations r
    JOIN sync_states s ON s.credential_id = r.credential_id AND s.topic = r.topic
    WHERE r.credential_id = ${credentialId}::uuid
      ${topic === undefined ? Prisma.empty : sql`AND r.topic = ${topic}`}
      ${id === undefined ? Prisma.empty : sql`AND r.id = ${id}::uuid`}
    ORDER BY r.requested_at DESC, r.id`)
}
