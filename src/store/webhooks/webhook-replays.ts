/** Replays and test messages that a subscriber requests. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  type ChangePosition,
  decodeChangeCursor,
  encodeChangeCursor,
} from '../../query/change-cursor.ts'
import { activeSpan } from '../../tracing.ts'
import { endOfLog, isExpiredCursor, type PositionRow, toPosition } from '../changes/changes.ts'
import { expiredUntil } from '../changes/log-start.ts'
import { type Database, readClock } from '../database/database.ts'
import { findAttemptedChange } from './webhook-attempts.ts'

const { sql } = Prisma

/** A range of the log that is sent again. */
export interface WebhookReplay {
  readonly id: string
  readonly subscriptionId: string
  /** Lower bound of the range, exclusive. */
  readonly position: ChangePosition
  /** Cursors of changes after `position` that were already sent. */
  readonly ahead: readonly string[]
  /** Upper bound of the range, exclusive. */
  readonly before: ChangePosition
  /** Whether a change at this time is within the requested time range. */
  readonly isOfTime: (at: Date) => boolean
}

interface ReplayRow {
  readonly id: string
  readonly subscriptionId: string
  readonly position: string
  readonly ahead: readonly string[]
  readonly until: string
  readonly changedFrom: Date | null
  readonly changedTo: Date | null
}

/**
 * Lists the unfinished replays of subscriptions, oldest first. It uses raw SQL: a process calls it before its
 * first message, which would otherwise wait for Prisma to initialize its query compiler.
 */
export const listReplays = async (
  { prisma }: Database,
  subscriptionIds: readonly string[],
): Promise<WebhookReplay[]> => {
  const rows = await prisma.$queryRaw<ReplayRow[]>`
    SELECT id::text AS id, subscription_id::text AS "subscriptionId", position, ahead, until,
      changed_from AS "changedFrom", changed_to AS "changedTo"
    FROM webhook_replays WHERE subscription_id = ANY(${[...subscriptionIds]}::uuid[])
    ORDER BY created_at, id`
  return rows.map(({ id, subscriptionId, position, ahead, until, changedFrom, changedTo }) => {
    const last = decodeChangeCursor(until, 'until')
    return {
      id,
      subscriptionId,
      ahead,
      position: decodeChangeCursor(position, 'position'),
      before: { ...last, sequence: last.sequence + 1n },
      isOfTime: (at) =>
        (changedFrom === null || at >= changedFrom) && (changedTo === null || at <= changedTo),
    }
  })
}

/** The messages to replay: one message, a time range, or all changes after a position. */
export type ReplayRange =
  | { readonly messageId: string }
  | { readonly from: Date; readonly to: Date }
  | { readonly after: ChangePosition }

interface Bounds {
  readonly position: ChangePosition
  readonly until: ChangePosition
}

const justBefore = (position: ChangePosition): ChangePosition => ({
  ...position,
  sequence: position.sequence - 1n,
})

const changeOfMessage = async (
  database: Database,
  subscriptionId: string,
  messageId: string,
): Promise<Bounds | undefined> => {
  const change = await findAttemptedChange(database, subscriptionId, messageId)
  if (change === undefined) return
  const position = decodeChangeCursor(change, 'change')
  return { position: justBefore(position), until: position }
}

const changesOfTime = async (
  { prisma }: Database,
  environmentId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Bounds | undefined> => {
  const edge = (direction: 'ASC' | 'DESC') => {
    const order = Prisma.raw(`epoch ${direction}, xid ${direction}, sequence ${direction}`)
    return prisma.$queryRaw<PositionRow[]>(sql`
      SELECT c.epoch, c.xid::text AS xid, c.sequence FROM (
        SELECT epoch, xid, sequence FROM change_log.changes
        WHERE environment_id = ${environmentId}::uuid AND at BETWEEN ${from} AND ${to}
        ORDER BY ${order} LIMIT 1) c`)
  }
  const [[first], [last]] = [await edge('ASC'), await edge('DESC')]
  if (!first || !last) return
  return { position: justBefore(toPosition(first)), until: toPosition(last) }
}

const expired = (field: 'messageId' | 'cursor', what: string): ApiError =>
  new ApiError('CURSOR_EXPIRED', `${field}: the change log no longer keeps ${what}.`, [
    { field, expected: 'one within the retention of the change log' },
  ])

/** Rejects a range that starts before the log. @throws CURSOR_EXPIRED, INVALID_PARAMETER */
const rejectExpired = async (
  database: Database,
  range: ReplayRange,
  bounds: Bounds | undefined,
): Promise<void> => {
  if ('from' in range) {
    const until = await expiredUntil(database)
    if (until === undefined || range.from > until) return
    const expected = `a time after ${until.toISOString()}: the change log begins there`
    throw invalidParameter('from', expected)
  }
  if (bounds === undefined || !(await isExpiredCursor(database, bounds.position))) return
  if ('messageId' in range) throw expired('messageId', 'the change of this message')
  throw expired('cursor', 'all changes after this cursor')
}

/**
 * Schedules a replay of messages. @returns false if there is nothing to send
 * @throws CURSOR_EXPIRED, INVALID_PARAMETER if retention has deleted requested changes
 */
export const requestReplay = async (
  database: Database,
  { environmentId, subscriptionId }: { environmentId: string; subscriptionId: string },
  range: ReplayRange,
): Promise<boolean> => {
  const bounds =
    'messageId' in range
      ? await changeOfMessage(database, subscriptionId, range.messageId)
      : 'from' in range
        ? await changesOfTime(database, environmentId, range)
        : { position: range.after, until: await endOfLog(database) }
  // Checked last: changes that are still in the log now were in it when the bounds were read.
  await rejectExpired(database, range, bounds)
  if (bounds === undefined) return false
  await database.prisma.webhookReplay.create({
    data: {
      id: randomUUID(),
      subscriptionId,
      position: encodeChangeCursor(bounds.position),
      until: encodeChangeCursor(bounds.until),
      ...('from' in range && { changedFrom: range.from, changedTo: range.to }),
    },
  })
  return true
}

/** The topic of test messages, which no change uses. */
const TEST_TOPIC = 'webhook/test'

/** Schedules a test message, which is sent like any other. @returns its `webhook-id` */
export const requestTest = async (database: Database, subscriptionId: string): Promise<string> => {
  const messageId = `msg_test_${randomUUID()}`
  const now = await readClock(database)
  const body = JSON.stringify({
    type: TEST_TOPIC,
    timestamp: now.toISOString(),
    data: { subscriptionId },
  })
  const traceparent = activeSpan()?.traceparent ?? null
  const message = { subscriptionId, messageId, topic: TEST_TOPIC, body, traceparent }
  await database.prisma.webhookRetry.create({ data: { ...message, attempts: 0, dueAt: now } })
  return messageId
}
