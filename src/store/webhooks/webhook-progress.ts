/** Delivery progress of webhooks, saved for many subscriptions in one statement. */
import { Prisma } from '@prisma/client'
import { type ChangePosition, encodeChangeCursor } from '../../query/change-cursor.ts'
import { ASYNCHRONOUS_COMMIT } from '../database/asynchronous-commit.ts'
import type { Database } from '../database/database.ts'
import type { AttemptBatch } from './webhook-attempts.ts'
import type { Worker } from './webhook-deliveries.ts'

export interface DeliveryState {
  readonly subscriptionId: string
  readonly position: ChangePosition
  /** Cursors of changes after `position` that were already processed, out of order. */
  readonly ahead: readonly string[]
  readonly failures: number
  readonly failingSince: Date | null
  readonly pausedUntil: Date | null
  /** Number of resets. Failures and pause are saved only if it still matches the stored number. */
  readonly resets: number
}

/** A message that waits for another attempt. */
export interface MessageRetry {
  readonly subscriptionId: string
  readonly messageId: string
  readonly topic: string
  /** Cursor of the change; null: a test. */
  readonly change: string | null
  readonly recordId: string | null
  readonly body: string
  /** Number of failed attempts. */
  readonly attempts: number
  /** The trace of the change; null: none. */
  readonly traceparent: string | null
}

export interface NewRetry extends MessageRetry {
  readonly dueInMs: number
}

export interface ReplayState {
  readonly subscriptionId: string
  readonly id: string
  readonly position: ChangePosition
  readonly ahead: readonly string[]
  readonly isOver: boolean
}

export interface Checkpoint {
  readonly deliveries: readonly DeliveryState[]
  /** In the sending order of the messages of one record. */
  readonly retries: readonly NewRetry[]
  /** Messages that need no further attempt. */
  readonly ended: readonly Pick<MessageRetry, 'subscriptionId' | 'messageId'>[]
  readonly replays: readonly ReplayState[]
  readonly attempts: readonly AttemptBatch[]
}

/**
 * Saves progress since the last checkpoint: positions, attempts, and messages that wait for a retry. A
 * subscription is saved completely, or not at all if another process has taken it over. Failures from before a
 * reset are discarded.
 * @returns the ids of the saved subscriptions
 */
export const saveCheckpoint = async (
  database: Database,
  { id }: Worker,
  { deliveries, retries, ended, replays, attempts }: Checkpoint,
): Promise<ReadonlySet<string>> => {
  const withCursor = <T extends { position: ChangePosition }>(state: T) => ({
    ...state,
    position: encodeChangeCursor(state.position),
  })
  const states = JSON.stringify(deliveries.map(withCursor))
  const progress = JSON.stringify(replays.map(withCursor))
  // If PostgreSQL crashes before the commit is on disk, its messages are sent again. A message that waits for a retry
  // would be lost: this process goes on with a later position.
  const commit = retries.length > 0 ? Prisma.empty : Prisma.sql`, ${ASYNCHRONOUS_COMMIT}`
  const rows = await database.queryRows<{ id: string }>(
    Prisma.sql`
    WITH held AS (
      UPDATE webhook_deliveries d SET position = n.position, ahead = n.ahead,
        failures = CASE WHEN d.resets = n.resets THEN n.failures ELSE d.failures END,
        failing_since = CASE WHEN d.resets = n.resets THEN n."failingSince" ELSE d.failing_since END,
        paused_until = CASE WHEN d.resets = n.resets THEN n."pausedUntil" ELSE d.paused_until END
      FROM json_to_recordset(${states}::json) AS n("subscriptionId" uuid, position text,
        ahead text[], failures integer, "failingSince" timestamptz, "pausedUntil" timestamptz, resets integer)
      WHERE d.subscription_id = n."subscriptionId" AND d.holder = ${id}::uuid
      RETURNING d.subscription_id, (d.resets = n.resets)::integer AS counts
    ), ended AS (
      DELETE FROM webhook_retries r USING held h, json_to_recordset(${JSON.stringify(ended)}::json)
        AS n("subscriptionId" uuid, "messageId" text)
      WHERE h.subscription_id = n."subscriptionId" AND r.subscription_id = n."subscriptionId"
        AND r.message_id = n."messageId"
    ), waiting AS (
      INSERT INTO webhook_retries AS r
        (subscription_id, message_id, topic, change, record_id, body, traceparent, attempts, due_at)
      SELECT n."subscriptionId", n."messageId", n.topic, n.change, n."recordId", n.body, n.traceparent,
        h.counts * n.attempts, clock_timestamp() + h.counts * n."dueInMs" * interval '1 ms'
      FROM ROWS FROM (json_to_recordset(${JSON.stringify(retries)}::json) AS ("subscriptionId" uuid,
        "messageId" text, topic text, change text, "recordId" uuid, body text, traceparent text,
        attempts integer, "dueInMs" double precision)) WITH ORDINALITY AS n
      JOIN held h ON h.subscription_id = n."subscriptionId"
      ORDER BY n.ordinality
      ON CONFLICT (subscription_id, message_id)
        DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at
    ), moved AS (
      UPDATE webhook_replays p SET position = n.position, ahead = n.ahead
      FROM json_to_recordset(${progress}::json) AS n(id uuid, position text, ahead text[],
        "isOver" boolean, "subscriptionId" uuid)
      JOIN held h ON h.subscription_id = n."subscriptionId"
      WHERE p.id = n.id AND NOT n."isOver"
    ), over AS (
      DELETE FROM webhook_replays p USING held h, json_to_recordset(${progress}::json)
        AS n(id uuid, "isOver" boolean, "subscriptionId" uuid)
      WHERE h.subscription_id = n."subscriptionId" AND p.id = n.id AND n."isOver"
    ), tried AS (
      INSERT INTO webhook_attempt_batches (subscription_id, message_ids, attempts)
      SELECT n."subscriptionId", n."messageIds", n.attempts
      FROM json_to_recordset(${JSON.stringify(attempts)}::json) AS n("subscriptionId" uuid,
        "messageIds" text[], attempts json)
      JOIN held h ON h.subscription_id = n."subscriptionId"
    )
    SELECT subscription_id::text AS id${commit} FROM held`,
  )
  return new Set(rows.map((row) => row.id))
}

/**
 * Lists the messages whose next attempt is due, longest due first, up to a limit per subscription. If a
 * subscription is ordered, only the first message of each record is listed. One statement for all.
 */
export const listDueRetries = (
  { prisma }: Database,
  subscriptions: readonly { readonly id: string; readonly isOrdered: boolean }[],
  limitOfEach: number,
): Promise<MessageRetry[]> =>
  prisma.$queryRaw<MessageRetry[]>`
    SELECT r.subscription_id::text AS "subscriptionId", r.message_id AS "messageId", r.topic,
      r.change, r.record_id::text AS "recordId", r.body, r.attempts, r.traceparent
    FROM unnest(${subscriptions.map(({ id }) => id)}::uuid[],
      ${subscriptions.map(({ isOrdered }) => isOrdered)}::boolean[]) AS s(id, is_ordered)
    CROSS JOIN LATERAL (
      SELECT * FROM webhook_retries r
      WHERE r.subscription_id = s.id AND r.due_at <= clock_timestamp()
        AND NOT (s.is_ordered AND r.record_id IS NOT NULL AND EXISTS (
          SELECT FROM webhook_retries e WHERE e.subscription_id = r.subscription_id
            AND e.record_id = r.record_id AND e.number < r.number))
      ORDER BY r.due_at, r.number LIMIT ${limitOfEach}) r`

/** Lists the messages that wait for another attempt, with their records. */
export const listWaiting = ({ prisma }: Database, subscriptionIds: readonly string[]) =>
  prisma.$queryRaw<{ subscriptionId: string; recordId: string; messageId: string }[]>`
    SELECT subscription_id::text AS "subscriptionId", record_id::text AS "recordId",
      message_id AS "messageId"
    FROM webhook_retries
    WHERE subscription_id = ANY(${[...subscriptionIds]}::uuid[]) AND record_id IS NOT NULL`

/** Finds the end users of credentials, by credential id. */
export const findCredentialUsers = async (
  { prisma }: Database,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await prisma.$queryRaw<{ id: string; userId: string }[]>`
    SELECT id::text AS id, user_id::text AS "userId" FROM credentials
    WHERE id = ANY(${[...credentialIds]}::uuid[])`
  return new Map(rows.map(({ id, userId }) => [id, userId]))
}
