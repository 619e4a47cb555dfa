/**
 * Reading the change log: in one order, without a gap, by any number of readers.
 *
 * Rows are ordered by (epoch, xid, sequence). The id of a transaction is older than its commit, so a row
 * can appear behind one that was read: rows are read only below the oldest transaction still running.
 * What is below has ended, and nothing is added there any more. A transaction that stays open for long
 * therefore holds up every reader, and loses nothing. The table is partitioned by the same order (see
 * `change-partitions.ts`).
 */
import { Prisma } from '@prisma/client'
import { type ChangePosition, encodeChangeCursor } from '../query/change-cursor.ts'
import { PLANNED_ANEW, type Transaction } from './database.ts'

const { sql, raw } = Prisma

export type ChangeKind = 'created' | 'updated' | 'deleted'

export interface Change {
  readonly position: ChangePosition
  readonly environmentId: string
  readonly credentialId: string | null
  readonly topic: string
  readonly kind: ChangeKind
  readonly recordId: string | null
  readonly changedFields: readonly string[]
  /** JSON text, exactly as the API showed the record after the change. */
  readonly record: string | null
  readonly at: Date
  /** The workflow run whose write made the change. */
  readonly cause: string | null
}

export interface ChangesQuery {
  readonly environmentId?: string
  /** Of these alone; with a reader of its own for each, the log would be read once for each. */
  readonly environmentIds?: readonly string[]
  readonly credentialIds?: readonly string[]
  readonly topics?: readonly string[]
  /** The history of one record; with its credential. */
  readonly recordId?: string
  /** Undefined: from the oldest that is kept. */
  readonly after?: ChangePosition | undefined
  /** A place that `endOfLog` returned, to read no further; undefined: the end as it is now. */
  readonly before?: ChangePosition
  readonly limit: number
}

export interface ChangesPage {
  readonly changes: readonly Change[]
  /**
   * Where to read on: after the last of the changes, or, if there are fewer than asked for, after all that
   * was looked through. A reader of few topics does not look through the others again.
   */
  readonly next: ChangePosition
  /** Whether changes between `after` and the oldest that is kept are gone: retention has overtaken the reader. */
  readonly truncated: boolean
}

/** A place, to be compared with (epoch, xid, sequence). */
export const bigints = ({ epoch, xid, sequence }: ChangePosition): Prisma.Sql =>
  sql`(${epoch}::bigint, ${String(xid)}::text::xid8, ${sequence}::bigint)`

/** Whether one place is before another. */
export const isBefore = (a: ChangePosition, b: ChangePosition): boolean =>
  a.epoch !== b.epoch
    ? a.epoch < b.epoch
    : a.xid !== b.xid
      ? a.xid < b.xid
      : a.sequence < b.sequence

/** A place in the log as a statement tells it: Prisma knows no xid8. */
export interface PositionRow {
  readonly epoch: bigint
  readonly xid: string
  readonly sequence: bigint
}

export const toPosition = ({ epoch, xid, sequence }: PositionRow): ChangePosition => ({
  epoch,
  xid: BigInt(xid),
  sequence,
})

/** The place behind everything that can be read now; what is committed from now on comes after it. */
export const endOfLog = async (transaction: Transaction): Promise<ChangePosition> => {
  // Sequences begin at 1: this stands before the first row of that transaction.
  const [row] = await transaction.$queryRaw<PositionRow[]>`
    SELECT change_log.reading_epoch() AS epoch, 0::bigint AS sequence,
      pg_snapshot_xmin(pg_current_snapshot())::text AS xid`
  if (!row) throw new Error('A question without a condition had no answer.')
  return toPosition(row)
}

/** Before every row. */
const START: ChangePosition = { epoch: 0n, xid: 0n, sequence: 0n }

/** A part of the log within one epoch, both places left out. */
interface Stretch {
  readonly after: ChangePosition
  readonly end: ChangePosition
}

const MAX_XID = 2n ** 64n - 1n

/**
 * The parts of what lies between two places: one, unless the database was restored in between. Each is asked
 * for alone, because of two epochs PostgreSQL would misjudge how much it finds, and read the log from its
 * beginning where it has an index for the question.
 */
const stretchesOf = async (
  transaction: Transaction,
  { after, end }: Stretch,
): Promise<readonly Stretch[]> => {
  if (after.epoch === end.epoch) return [{ after, end }]
  const rows = await transaction.$queryRaw<{ epoch: bigint }[]>`
    SELECT epoch FROM change_log.epochs
    WHERE epoch BETWEEN ${after.epoch}::bigint AND ${end.epoch}::bigint ORDER BY epoch`
  return rows.map(({ epoch }) => ({
    after: epoch === after.epoch ? after : { epoch, xid: 0n, sequence: 0n },
    end: epoch === end.epoch ? end : { epoch, xid: MAX_XID, sequence: 0n },
  }))
}

/**
 * Rows compared are what an index answers; for the bounds of the single column beside them PostgreSQL leaves
 * out the partitions in which nothing can be found.
 */
const isWithin = ({ after, end }: Stretch): Prisma.Sql => {
  const [first, last] = [after, end].map(({ xid }) => sql`${String(xid)}::text::xid8`)
  return sql`c.epoch = ${end.epoch}::bigint AND c.xid BETWEEN ${first} AND ${last}
    AND (c.xid, c.sequence) > (${first}, ${after.sequence}::bigint)
    AND (c.xid, c.sequence) < (${last}, ${end.sequence}::bigint)`
}

interface HorizonRow {
  readonly truncated: boolean
}

interface ChangeRow extends PositionRow, Omit<Change, 'position'>, HorizonRow {}

/** Whether the log begins behind a place. */
const isTruncated = (after: ChangePosition | undefined): Prisma.Sql =>
  after === undefined
    ? sql`false`
    : sql`(SELECT (h.epoch, h.xid, h.sequence) > ${bigints(after)} FROM change_log.horizon h)`

/** Whether the log has forgotten changes that followed a place. */
export const isForgotten = async (
  transaction: Transaction,
  after: ChangePosition,
): Promise<boolean> => {
  const [row] = await transaction.$queryRaw<HorizonRow[]>(
    sql`SELECT ${isTruncated(after)} AS truncated`,
  )
  return row?.truncated ?? false
}

const conditionsOf = ({
  environmentId,
  environmentIds,
  credentialIds,
  topics,
  recordId,
}: ChangesQuery): readonly Prisma.Sql[] => [
  ...(environmentId === undefined ? [] : [sql`environment_id = ${environmentId}::uuid`]),
  ...(environmentIds ? [sql`environment_id = ANY(${[...environmentIds]}::uuid[])`] : []),
  ...(credentialIds ? [sql`credential_id = ANY(${[...credentialIds]}::uuid[])`] : []),
  ...(topics ? [sql`topic = ANY(${[...topics]}::text[])`] : []),
  ...(recordId === undefined ? [] : [sql`record_id = ${recordId}::uuid`]),
]

const readStretch = (
  transaction: Transaction,
  query: ChangesQuery,
  stretch: Stretch,
  limit: number,
): Promise<ChangeRow[]> =>
  transaction.$queryRaw(sql`${raw(PLANNED_ANEW)}
    SELECT c.epoch, c.xid::text AS xid, c.sequence, environment_id::text AS "environmentId",
      credential_id::text AS "credentialId", topic, kind, record_id::text AS "recordId",
      changed_fields AS "changedFields", record::text AS record, at, cause::text AS cause,
      ${isTruncated(query.after)} AS truncated
    FROM change_log.changes c
    WHERE ${Prisma.join([isWithin(stretch), ...conditionsOf(query)], ' AND ')}
    -- Of the row: the bare name would be that of the text above.
    ORDER BY c.epoch, c.xid, c.sequence LIMIT ${limit}`)

/**
 * Changes in the log's order. The end is read by a statement before the rows: what has ended then is
 * visible to the second, and stays so. The horizon is read with the rows, not before: what is dropped in
 * between is said to be gone.
 */
export const readChanges = async (
  transaction: Transaction,
  query: ChangesQuery,
): Promise<ChangesPage> => {
  const { after, before, limit } = query
  const readable = await endOfLog(transaction)
  // All there is has been read, and what is forgotten is behind it.
  if (after && !isBefore(after, readable)) return { changes: [], next: after, truncated: false }
  const end = before && isBefore(before, readable) ? before : readable
  const rows: ChangeRow[] = []
  for (const stretch of await stretchesOf(transaction, { after: after ?? START, end }))
    if (rows.length < limit)
      rows.push(...(await readStretch(transaction, query, stretch, limit - rows.length)))
  const changes = rows.map(
    ({ epoch, xid, sequence, truncated: _, ...facts }): Change => ({
      position: toPosition({ epoch, xid, sequence }),
      ...facts,
    }),
  )
  const last = changes.at(-1)
  const isFull = changes.length === limit && last !== undefined
  // Never back: a reader may be ahead of `before`.
  const looked = after && isBefore(end, after) ? after : end
  const lastRow = rows.at(-1)
  return {
    changes,
    next: isFull ? last.position : looked,
    truncated: lastRow
      ? lastRow.truncated
      : after !== undefined && (await isForgotten(transaction, after)),
  }
}

/** The opaque cursor of a change. */
export const cursorOf = ({ position }: Change): string => encodeChangeCursor(position)

/**
 * Deletes the oldest changes, up to `limit`, that are older than so many days, and notes where the log
 * begins now: for what is in a partition that cannot be dropped yet. @returns how many; call again until it is 0
 */
export const pruneChanges = async (
  transaction: Transaction,
  days: number,
  limit = 10_000,
): Promise<number> =>
  transaction.$executeRaw`
    WITH oldest AS (
      SELECT epoch, xid, sequence, at FROM change_log.changes
      WHERE (epoch, xid) < (change_log.reading_epoch(), pg_snapshot_xmin(pg_current_snapshot()))
      ORDER BY epoch, xid, sequence LIMIT ${limit}
    ), young AS (
      -- Times need not rise with the order: nothing behind the first young row is taken.
      SELECT epoch, xid, sequence FROM oldest
      WHERE at >= now() - ${days}::double precision * interval '1 day'
      ORDER BY epoch, xid, sequence LIMIT 1
    ), old AS (
      SELECT epoch, xid, sequence, at FROM oldest o
      WHERE NOT EXISTS (SELECT FROM young y
        WHERE (o.epoch, o.xid, o.sequence) >= (y.epoch, y.xid, y.sequence))
    ), moved AS (
      UPDATE change_log.horizon h SET epoch = l.epoch, xid = l.xid, sequence = l.sequence,
        at = greatest(h.at, (SELECT max(at) FROM old))
      FROM (SELECT * FROM old ORDER BY epoch DESC, xid DESC, sequence DESC LIMIT 1) l
      WHERE (l.epoch, l.xid, l.sequence) > (h.epoch, h.xid, h.sequence)
    )
    DELETE FROM change_log.changes c USING old o
    WHERE c.epoch = o.epoch AND c.xid = o.xid AND c.sequence = o.sequence`
