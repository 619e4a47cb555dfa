/** Events of webhooks: stored when they arrive, and processed once their records are fetched. */
import { Prisma } from '@prisma/client'
import type { Database, Queryable } from '../database/database.ts'
import { isHeld } from '../database/lease-sql.ts'

const { sql } = Prisma

/** An event to store. */
export interface NewEvent {
  /** Digest of the app's id of the event. */
  readonly key: string
  readonly topic: string
  readonly remoteId: string
  readonly isDeleted: boolean
  /** Undefined: the events of the address are all of one company. */
  readonly company: string | undefined
}

/** What became of the events of a delivery. */
export interface StoredEvents {
  /** Events that are stored; for an event of a company that is connected twice, two. */
  readonly added: number
  /** Events of a company that no credential of the address belongs to. They are not stored. */
  readonly foreign: number
}

/**
 * Stores the events of a delivery and makes their credentials due. An event that is stored already is left out. One
 * statement.
 * @param isShared whether all credentials of the environment share the address
 */
export const saveEvents = async (
  { prisma }: Database,
  endpoint: { readonly id: string; readonly environmentId: string; readonly app: string },
  isShared: boolean,
  events: readonly NewEvent[],
): Promise<StoredEvents> => {
  const companies = events.flatMap(({ company }) => company ?? [])
  const targets = isShared
    ? sql`s.environment_id = ${endpoint.environmentId}::uuid AND s.app = ${endpoint.app}
        AND s.company = ANY (${companies}::text[])`
    : sql`false`
  const [stored] = await prisma.$queryRaw<StoredEvents[]>(sql`
    WITH events AS MATERIALIZED (
      SELECT * FROM unnest(${events.map(({ key }) => key)}::text[],
        ${events.map(({ topic }) => topic)}::text[], ${events.map(({ remoteId }) => remoteId)}::text[],
        ${events.map(({ isDeleted }) => isDeleted)}::boolean[],
        ${events.map(({ company }) => company ?? null)}::text[])
        AS e(key, topic, remote_id, is_deleted, company)
    ), targets AS MATERIALIZED (
      SELECT s.id, s.credential_id, s.company FROM inbound_subscriptions s
      WHERE s.id = ${endpoint.id}::uuid OR ${targets}
      ORDER BY s.id FOR UPDATE OF s
    ), matched AS MATERIALIZED (
      SELECT e.*, t.credential_id FROM events e
      LEFT JOIN targets t ON t.credential_id IS NOT NULL
        AND (e.company IS NULL OR e.company = t.company)
    ), added AS (
      INSERT INTO inbound_events (credential_id, key, topic, remote_id, is_deleted)
      SELECT credential_id, key, topic, remote_id, is_deleted FROM matched
      WHERE credential_id IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING credential_id
    ), woken AS (
      UPDATE inbound_subscriptions s SET last_received_at = clock_timestamp(),
        received = s.received + 1,
        due_at = CASE
          WHEN s.credential_id IS NULL OR s.fetch_failures > 0 OR coalesce(${isHeld('s')}, false)
            OR NOT EXISTS (SELECT FROM added a WHERE a.credential_id = s.credential_id) THEN s.due_at
          ELSE least(s.due_at, clock_timestamp()) END
      FROM targets t WHERE s.id = t.id
    )
    SELECT (SELECT count(*) FROM added)::integer AS added,
      (SELECT count(*) FROM matched WHERE credential_id IS NULL)::integer AS foreign`)
  return stored ?? { added: 0, foreign: 0 }
}

/** A record that waiting events name. */
export interface NamedRecord {
  readonly topic: string
  readonly remoteId: string
  /** Whether every event reports that it was deleted. */
  readonly isDeleted: boolean
  /** The keys of its events. */
  readonly keys: readonly string[]
  /** When it was listed, by the database's clock, with microseconds. */
  readonly listedAt: string
}

// Events that one statement reads: a flood of events of one record is one fetch.
const MAX_EVENTS = 5_000

/** Lists the records that waiting events of a credential name, longest waiting first. One statement. */
export const listNamedRecords = (
  { prisma }: Database,
  credentialId: string,
  limit: number,
): Promise<NamedRecord[]> =>
  prisma.$queryRaw<NamedRecord[]>(sql`
    SELECT topic, remote_id AS "remoteId", bool_and(is_deleted) AS "isDeleted", array_agg(key) AS keys,
      statement_timestamp()::text AS "listedAt"
    FROM (SELECT * FROM inbound_events
      WHERE credential_id = ${credentialId}::uuid AND processed_at IS NULL
      ORDER BY received_at LIMIT ${MAX_EVENTS}) e
    GROUP BY topic, remote_id ORDER BY min(received_at), topic, remote_id LIMIT ${limit}`)

/** Marks events as processed. */
export const markProcessed = async (
  { prisma }: Queryable,
  credentialId: string,
  keys: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE inbound_events SET processed_at = clock_timestamp()
    WHERE credential_id = ${credentialId}::uuid AND key = ANY (${keys}::text[])`)
}

/** Lists the topics of a credential whose syncs are paused or have failed with `stoppingCode`. One statement. */
export const listStoppedTopics = async (
  { prisma }: Database,
  credentialId: string,
  stoppingCode: string,
): Promise<ReadonlySet<string>> => {
  const rows = await prisma.$queryRaw<{ topic: string }[]>(sql`
    SELECT topic FROM sync_states WHERE credential_id = ${credentialId}::uuid
      AND (due_at = 'infinity' OR failure_code = ${stoppingCode})`)
  return new Set(rows.map(({ topic }) => topic))
}

// Apps repeat a delivery for up to two days (BigCommerce: 48 h).
const KEPT = sql`interval '7 days'`
const BATCH = 1000

/** Deletes up to 1,000 events that are older than a week, also those whose records could not be fetched. @returns how many */
export const purgeEvents = ({ prisma }: Database): Promise<number> =>
  prisma.$executeRaw(sql`
    DELETE FROM inbound_events WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM inbound_events WHERE received_at < statement_timestamp() - ${KEPT}
      ORDER BY received_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`)
