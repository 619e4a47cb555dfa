/**
 * Delivery attempts of webhooks, stored in batches: one row per subscription and checkpoint. One row per attempt,
 * in three indexes, would cost PostgreSQL more than all other work for a message.
 */
import { Prisma } from '@prisma/client'
import { isSuccessStatus } from '../../definition/http-status.ts'
import {
  createCounts,
  cursorsOf,
  type ForwardPage,
  invalidCursor,
  type Listed,
} from '../../query/listed.ts'
import type { Database } from '../database/database.ts'

const { sql } = Prisma

/** A stored attempt, without the id of its message. */
export interface StoredAttempt {
  readonly topic: string
  /** Cursor of the change; null: a test. */
  readonly change: string | null
  /** Starts at 1. */
  readonly attempt: number
  /** ISO 8601 */
  readonly at: string
  readonly latencyMs: number
  /** HTTP status of the response; null: no response. */
  readonly status: number | null
  /** Why there was no response. */
  readonly failure: string | null
  /** The first characters of the response body. */
  readonly answer: string | null
}

/** Attempts of a subscription, in the order of their ends. */
export interface AttemptBatch {
  readonly subscriptionId: string
  readonly messageIds: readonly string[]
  /** One per message id, in the same order. */
  readonly attempts: readonly StoredAttempt[]
}

interface AttemptFilter {
  readonly subscriptionId: string
  readonly messageId?: string | undefined
}

/** The filter in SQL: the subscription is an expression. */
interface AttemptsSource {
  readonly subscription: Prisma.Sql
  readonly messageId: string | undefined
}

/** SQL for the attempts of a subscription or of one message, one row each. `place` is the index in the batch. */
const attemptsOf = ({ subscription, messageId }: AttemptsSource): Prisma.Sql => {
  const isOfMessage =
    messageId === undefined
      ? sql`true`
      : // OFFSET 0 makes the planner use the index on message_ids, whatever the order: a message has few attempts.
        sql`message_ids @> ARRAY[${messageId}::text] OFFSET 0`
  return sql`
    (SELECT id, message_ids, attempts FROM webhook_attempt_batches
      WHERE subscription_id = ${subscription} AND ${isOfMessage}) AS b
    CROSS JOIN LATERAL ROWS FROM (unnest(b.message_ids), json_to_recordset(b.attempts) AS (topic text,
        change text, attempt integer, at text, "latencyMs" integer, status integer, failure text,
        answer text))
      WITH ORDINALITY AS a("messageId", topic, change, attempt, at, "latencyMs", status, failure,
        answer, place)
    WHERE ${messageId === undefined ? sql`true` : sql`a."messageId" = ${messageId}`}`
}

export interface AttemptEntry {
  readonly attemptId: string
  readonly messageId: string
  readonly topic: string
  readonly cursor: string | null
  readonly attempt: number
  /** ISO 8601 */
  readonly at: string
  readonly latencyMs: number
  readonly succeeded: boolean
  readonly status: number | null
  readonly failure: string | null
  readonly answer: string | null
}

export interface AttemptsQuery extends AttemptFilter {
  /** The cursor of an earlier page. */
  readonly cursor?: string | undefined
  /** The name of the cursor in errors. */
  readonly cursorParameter?: string
  readonly limit: number
}

const INT64_MAX = 2n ** 63n - 1n

/** The batch of an attempt, and its index in the batch. */
interface AttemptPlace {
  readonly id: bigint
  /** Starts at 1. */
  readonly place: bigint
}

const encode = ({ id, place }: AttemptPlace): string =>
  Buffer.from(`a${id}.${place}`).toString('base64url')

const decode = (text: string, parameter: string): AttemptPlace => {
  const digits =
    text.length < 70
      ? /^a(\d{1,19})\.(\d{1,19})$/.exec(Buffer.from(text, 'base64url').toString())
      : undefined
  const [id, place] = [BigInt(digits?.[1] ?? -1), BigInt(digits?.[2] ?? -1)]
  const isKnown = id >= 0n && id <= INT64_MAX && place >= 0n && place <= INT64_MAX
  if (isKnown && encode({ id, place }) === text) return { id, place }
  throw invalidCursor(parameter, 'a cursor that a list of attempts returned')
}

const isAfterCursor = ({ id, place }: AttemptPlace): Prisma.Sql =>
  sql`b.id <= ${id} AND (b.id, a.place) < (${id}, ${place})`

interface AttemptRow extends StoredAttempt, AttemptPlace {
  readonly messageId: string
}

const toEntry = ({ id, place, change, status, ...attempt }: AttemptRow): AttemptEntry => ({
  ...attempt,
  attemptId: `${id}-${place}`,
  cursor: change,
  status,
  succeeded: status !== null && isSuccessStatus(status),
})

/** SQL for a page of attempts, and one more, which shows whether another page follows. @throws INVALID_CURSOR */
const pageSql = (
  source: AttemptsSource,
  { cursor, cursorParameter = 'cursor', limit }: Omit<AttemptsQuery, keyof AttemptFilter>,
): Prisma.Sql => sql`
  SELECT b.id, a.* FROM ${attemptsOf(source)}
    AND ${cursor === undefined ? sql`true` : isAfterCursor(decode(cursor, cursorParameter))}
  ORDER BY b.id DESC, a.place DESC LIMIT ${limit + 1}`

/** Lists a page of a subscription's attempts, newest first. One statement. @throws INVALID_CURSOR */
export const listAttempts = async (
  { prisma }: Database,
  { subscriptionId, messageId, ...page }: AttemptsQuery,
) => {
  const source = { subscription: sql`${subscriptionId}::uuid`, messageId }
  const rows = await prisma.$queryRaw<AttemptRow[]>(pageSql(source, page))
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    attempts: shown.map(toEntry),
    nextCursor: rows.length > page.limit && last ? encode(last) : null,
  }
}

/** Attempts of several subscriptions. */
export interface OwnedAttempts {
  readonly subscriptionIds: readonly string[]
  readonly messageId: string | undefined
}

/**
 * A page of the attempts of each subscription, newest first. One statement, and another one for all counts.
 * @throws INVALID_CURSOR
 */
export const pageAttempts = async (
  { prisma }: Database,
  { subscriptionIds, messageId }: OwnedAttempts,
  { size, after }: ForwardPage,
): Promise<readonly Listed<AttemptEntry>[]> => {
  const source = { subscription: sql`k.id`, messageId }
  const owners = sql`unnest(${subscriptionIds}::uuid[]) AS k(id)`
  const page = { cursor: after, cursorParameter: 'after', limit: size }
  const rows = await prisma.$queryRaw<(AttemptRow & { readonly owner: string })[]>(sql`
    SELECT k.id::text AS owner, p.* FROM ${owners} CROSS JOIN LATERAL (${pageSql(source, page)}) p
    ORDER BY p.id DESC, p.place DESC`)
  const countOf = createCounts(() =>
    prisma.$queryRaw(sql`
      SELECT k.id::text AS owner, (SELECT count(*)::integer FROM ${attemptsOf(source)}) AS count
      FROM ${owners}`),
  )
  const byOwner = Map.groupBy(rows, ({ owner }) => owner)
  return subscriptionIds.map((id) => {
    const own = byOwner.get(id) ?? []
    const shown = own.slice(0, size)
    return {
      nodes: shown.map(({ owner: _, ...row }) => toEntry(row)),
      cursorAt: cursorsOf(shown, encode),
      hasNext: own.length > size,
      hasPrevious: after !== undefined,
      count: () => countOf(id),
    }
  })
}

/** Finds the cursor of a message's change; undefined if the message was never sent or is a test. */
export const findAttemptedChange = async (
  { prisma }: Database,
  subscriptionId: string,
  messageId: string,
): Promise<string | undefined> => {
  const [found] = await prisma.$queryRaw<{ change: string }[]>(sql`
    SELECT a.change FROM ${attemptsOf({ subscription: sql`${subscriptionId}::uuid`, messageId })}
      AND a.change IS NOT NULL LIMIT 1`)
  return found?.change
}

/** Deletes up to `limit` batches that are older than `days`. @returns how many; call again until it is 0 */
export const pruneAttempts = ({ prisma }: Database, days: number, limit = 1000): Promise<number> =>
  prisma.$executeRaw`
    DELETE FROM webhook_attempt_batches WHERE id IN (
      SELECT id FROM (SELECT id, saved_at FROM webhook_attempt_batches ORDER BY id LIMIT ${limit}) AS oldest
      WHERE saved_at < now() - ${days}::double precision * interval '1 day')`
