/** What a subscriber asks to be sent: messages once more, and a test. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { ApiError, invalidParameter } from '../errors.ts'
import {
  type ChangePosition,
  decodeChangeCursor,
  encodeChangeCursor,
} from '../query/change-cursor.ts'
import { endOfLog, isForgotten, type PositionRow, toPosition } from './changes.ts'
import type { Database } from './database.ts'
import { forgottenUntil } from './past-records.ts'
import { findAttemptedChange } from './webhook-attempts.ts'

const { sql } = Prisma

/** A stretch of the log that is sent once more. */
export interface WebhookReplay {
  readonly id: string
  readonly subscriptionId: string
  /** It begins behind this place, */
  readonly position: ChangePosition
  /** ends before this one, */
  readonly before: ChangePosition
  /** and leaves out what changed at another time. */
  readonly isOfTime: (at: Date) => boolean
}

interface ReplayRow {
  readonly id: string
  readonly subscriptionId: string
  readonly position: string
  readonly until: string
  readonly changedFrom: Date | null
  readonly changedTo: Date | null
}

/**
 * The replays of these subscriptions that are not over, oldest first. Asked for before a process sends its
 * first message, which would else wait for Prisma to make its compiler of queries ready.
 */
export const listReplays = async (
  { prisma }: Database,
  subscriptionIds: readonly string[],
): Promise<WebhookReplay[]> => {
  const rows = await prisma.$queryRaw<ReplayRow[]>`
    SELECT id::text AS id, subscription_id::text AS "subscriptionId", position, until,
      changed_from AS "changedFrom", changed_to AS "changedTo"
    FROM webhook_replays WHERE subscription_id = ANY(${[...subscriptionIds]}::uuid[])
    ORDER BY created_at, id`
  return rows.map(({ id, subscriptionId, position, until, changedFrom, changedTo }) => {
    const last = decodeChangeCursor(until, 'until')
    return {
      ...{ id, subscriptionId, position: decodeChangeCursor(position, 'position') },
      before: { ...last, sequence: last.sequence + 1n },
      isOfTime: (at) =>
        (changedFrom === null || at >= changedFrom) && (changedTo === null || at <= changedTo),
    }
  })
}

/** Which messages: one, those of a time, or all since a place in the log. */
export type ReplayRange =
  | { readonly messageId: string }
  | { readonly from: Date; readonly to: Date }
  | { readonly after: ChangePosition }

interface Bounds {
  readonly position: ChangePosition
  readonly until: ChangePosition
}

const before = (position: ChangePosition): ChangePosition => ({
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
  return { position: before(position), until: position }
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
  return { position: before(toPosition(first)), until: toPosition(last) }
}

const forgotten = (field: 'messageId' | 'cursor', what: string): ApiError =>
  new ApiError('CURSOR_EXPIRED', `${field}: the change log no longer keeps ${what}.`, [
    { field, expected: 'one within the retention of the change log' },
  ])

/** @throws CURSOR_EXPIRED, INVALID_PARAMETER */
const refuseForgotten = async (
  database: Database,
  range: ReplayRange,
  bounds: Bounds | undefined,
): Promise<void> => {
  if ('from' in range) {
    const until = await forgottenUntil(database)
    if (until === undefined || range.from > until) return
    const expected = `a time after ${until.toISOString()}: the change log begins there`
    throw invalidParameter('from', expected)
  }
  if (bounds === undefined || !(await isForgotten(database.prisma, bounds.position))) return
  if ('messageId' in range) throw forgotten('messageId', 'the change of this message')
  throw forgotten('cursor', 'all that follows this cursor')
}

/**
 * Asks for messages to be sent once more. @returns false if there is nothing to send
 * @throws CURSOR_EXPIRED, INVALID_PARAMETER if the log has forgotten some of what is asked for
 */
export const requestReplay = async (
  database: Database,
  { environmentId, subscriptionId }: { environmentId: string; subscriptionId: string },
  range: ReplayRange,
): Promise<boolean> => {
  const { prisma } = database
  const bounds =
    'messageId' in range
      ? await changeOfMessage(database, subscriptionId, range.messageId)
      : 'from' in range
        ? await changesOfTime(database, environmentId, range)
        : { position: range.after, until: await endOfLog(prisma) }
  // Asked for last: what is remembered now was there when the bounds were read.
  await refuseForgotten(database, range, bounds)
  if (bounds === undefined) return false
  await prisma.webhookReplay.create({
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

/** The topic of a test, which no change has. */
const TEST_TOPIC = 'webhook/test'

/** Has a test sent, as any other message is. @returns its `webhook-id` */
export const requestTest = async (
  { prisma }: Database,
  subscriptionId: string,
): Promise<string> => {
  const messageId = `msg_test_${randomUUID()}`
  const now = new Date()
  const body = JSON.stringify({
    type: TEST_TOPIC,
    timestamp: now.toISOString(),
    data: { subscriptionId },
  })
  await prisma.webhookRetry.create({
    data: { subscriptionId, messageId, topic: TEST_TOPIC, body, attempts: 0, dueAt: now },
  })
  return messageId
}
