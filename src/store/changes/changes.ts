/**
 * Reads of the change log: in one order and without gaps, for any number of readers.
 *
 * Rows are ordered by (epoch, xid, sequence). A transaction gets its id before it commits, so a row can appear
 * before one that was already read. Therefore only rows below the oldest running transaction are read: all
 * transactions below it have ended and add no more rows. A long transaction delays every reader but loses no
 * change. The table is partitioned by the same order (see `change-partitions.ts`).
 */
import { Prisma } from '@prisma/client'
import { type ChangePosition, encodeChangeCursor } from '../../query/change-cursor.ts'
import { CUSTOM_PLAN, type Queryable } from '../database/database.ts'

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
  /** JSON text of the record after the change, exactly as the API returned it. */
  readonly record: string | null
  readonly at: Date
  /** The workflow run whose write caused the change; null: none. */
  readonly cause: string | null
  /** The span that wrote the change, as a W3C `traceparent`; null: it was not traced. */
  readonly traceparent: string | null
}

export interface ChangesQuery {
  readonly environmentId?: string
  /** Only changes of these environments. One reader for several environments reads the log only once. */
  readonly environmentIds?: readonly string[]
  readonly credentialIds?: readonly string[]
  /** With `credentialIds`: also the events of the deletion of this end user's former credentials. */
  readonly formerUserId?: string
  readonly topics?: readonly string[]
  /** Only the history of this record; requires its credential. */
  readonly recordId?: string
  /** Undefined: from the oldest change in the log. */
  readonly after?: ChangePosition | undefined
  /** Upper bound, returned by an earlier `endOfLog`; undefined: the current end. */
  readonly before?: ChangePosition
  readonly limit: number
}

export interface ChangesPage {
  readonly changes: readonly Change[]
  /**
   * Where the next page starts: after the last change, or, if the page is not full, after all scanned changes.
   * A reader of few topics therefore does not scan the others again.
   */
  readonly next: ChangePosition
  /** Whether retention deleted changes after `after` before they were read. */
  readonly truncated: boolean
}

/** SQL for a position, to compare with (epoch, xid, sequence). */
export const positionSql = ({ epoch, xid, sequence }: ChangePosition): Prisma.Sql =>
  sql`(${epoch}::bigint, ${String(xid)}::text::xid8, ${sequence}::bigint)`

/** Whether position `a` is before position `b`. */
export const isBefore = (a: ChangePosition, b: ChangePosition): boolean =>
  a.epoch !== b.epoch
    ? a.epoch < b.epoch
    : a.xid !== b.xid
      ? a.xid < b.xid
      : a.sequence < b.sequence

/** A position in the log as a query returns it. The xid is text, because Prisma does not support xid8. */
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

/** The position after all changes that are readable now; later commits are after it. */
export const endOfLog = async (database: Queryable): Promise<ChangePosition> => {
  // Sequences start at 1, so 0 is before the first row of that transaction.
  const [row] = await database.queryRows<PositionRow>(
    sql`SELECT change_log.reading_epoch() AS epoch, 0::bigint AS sequence,
      pg_snapshot_xmin(pg_current_snapshot())::text AS xid`,
  )
  if (!row) throw new Error('The query for the end of the change log returned no row.')
  return toPosition(row)
}

/** The position before every row. */
const START: ChangePosition = { epoch: 0n, xid: 0n, sequence: 0n }

/** A part of the log within one epoch; both bounds are exclusive. */
interface EpochRange {
  readonly after: ChangePosition
  readonly end: ChangePosition
}

const MAX_XID = 2n ** 64n - 1n

/**
 * The ranges between two positions: one, unless the database was restored in between. Each range is
 * queried separately: for a range over two epochs PostgreSQL misestimates the number of rows and scans the log
 * from its start instead of using an index.
 */
const splitByEpoch = async (
  database: Queryable,
  { after, end }: EpochRange,
): Promise<readonly EpochRange[]> => {
  if (after.epoch === end.epoch) return [{ after, end }]
  const rows = await database.prisma.$queryRaw<{ epoch: bigint }[]>`
    SELECT epoch FROM change_log.epochs
    WHERE epoch BETWEEN ${after.epoch}::bigint AND ${end.epoch}::bigint ORDER BY epoch`
  return rows.map(({ epoch }) => ({
    after: epoch === after.epoch ? after : { epoch, xid: 0n, sequence: 0n },
    end: epoch === end.epoch ? end : { epoch, xid: MAX_XID, sequence: 0n },
  }))
}

/** SQL for a range. The row comparisons use the index; the bounds on `xid` alone enable partition pruning. */
const isWithin = ({ after, end }: EpochRange): Prisma.Sql => {
  const [first, last] = [after, end].map(({ xid }) => sql`${String(xid)}::text::xid8`)
  return sql`c.epoch = ${end.epoch}::bigint AND c.xid BETWEEN ${first} AND ${last}
    AND (c.xid, c.sequence) > (${first}, ${after.sequence}::bigint)
    AND (c.xid, c.sequence) < (${last}, ${end.sequence}::bigint)`
}

interface HorizonRow {
  readonly truncated: boolean
}

interface ChangeRow extends PositionRow, Omit<Change, 'position'>, HorizonRow {}

/** SQL for whether the log starts after a position. */
const isTruncated = (after: ChangePosition | undefined): Prisma.Sql =>
  after === undefined
    ? sql`false`
    : sql`(SELECT (h.epoch, h.xid, h.sequence) > ${positionSql(after)} FROM change_log.horizon h)`

/** Whether retention has deleted changes after a position. */
export const isExpiredCursor = async (
  database: Queryable,
  after: ChangePosition,
): Promise<boolean> => {
  const [row] = await database.prisma.$queryRaw<HorizonRow[]>(
    sql`SELECT ${isTruncated(after)} AS truncated`,
  )
  return row?.truncated ?? false
}

const isOfCredentials = (ids: readonly string[], formerUserId: string | undefined): Prisma.Sql => {
  const isOfOne = sql`credential_id = ANY(${[...ids]}::uuid[])`
  return formerUserId === undefined
    ? isOfOne
    : sql`(${isOfOne} OR topic = 'connection/deleted' AND record ->> 'userId' = ${formerUserId})`
}

const conditionsOf = ({
  environmentId,
  environmentIds,
  credentialIds,
  formerUserId,
  topics,
  recordId,
}: Omit<ChangesQuery, 'limit'>): readonly Prisma.Sql[] => [
  ...(environmentId === undefined ? [] : [sql`environment_id = ${environmentId}::uuid`]),
  ...(environmentIds ? [sql`environment_id = ANY(${[...environmentIds]}::uuid[])`] : []),
  ...(credentialIds ? [isOfCredentials(credentialIds, formerUserId)] : []),
  ...(topics ? [sql`topic = ANY(${[...topics]}::text[])`] : []),
  ...(recordId === undefined ? [] : [sql`record_id = ${recordId}::uuid`]),
]

const readEpochRange = (
  database: Queryable,
  query: ChangesQuery,
  range: EpochRange,
  limit: number,
): Promise<ChangeRow[]> =>
  database.queryRows(
    sql`${raw(CUSTOM_PLAN)}
    SELECT c.epoch, c.xid::text AS xid, c.sequence, environment_id::text AS "environmentId",
      credential_id::text AS "credentialId", topic, kind, record_id::text AS "recordId",
      changed_fields AS "changedFields", record::text AS record, at, cause::text AS cause,
      traceparent, ${isTruncated(query.after)} AS truncated
    FROM change_log.changes c
    WHERE ${Prisma.join([isWithin(range), ...conditionsOf(query)], ' AND ')}
    -- Qualified with the alias c: the bare name would refer to the text column above.
    ORDER BY c.epoch, c.xid, c.sequence LIMIT ${limit}`,
  )

/**
 * Reads changes in log order. A statement before the rows reads the end of the log: transactions that have
 * ended by then are visible to the second statement. The horizon is read with the rows, so that changes
 * dropped in between are reported as truncated.
 */
export const readChanges = async (
  database: Queryable,
  query: ChangesQuery,
): Promise<ChangesPage> => {
  const { after, before, limit } = query
  const end = before ?? (await endOfLog(database))
  // The reader is at the end of the log, and deleted changes are before it.
  if (after && !isBefore(after, end)) return { changes: [], next: after, truncated: false }
  const rows: ChangeRow[] = []
  for (const range of await splitByEpoch(database, { after: after ?? START, end }))
    if (rows.length < limit)
      rows.push(...(await readEpochRange(database, query, range, limit - rows.length)))
  const changes = rows.map(
    ({ epoch, xid, sequence, truncated: _, ...facts }): Change => ({
      position: toPosition({ epoch, xid, sequence }),
      ...facts,
    }),
  )
  const last = changes.at(-1)
  const isFull = changes.length === limit && last !== undefined
  const lastRow = rows.at(-1)
  return {
    changes,
    next: isFull ? last.position : end,
    truncated: lastRow
      ? lastRow.truncated
      : after !== undefined && (await isExpiredCursor(database, after)),
  }
}

/** Counts the changes that can be read now. One statement for each epoch of the log, after two that find them. */
export const countChanges = async (
  database: Queryable,
  query: Omit<ChangesQuery, 'after' | 'before' | 'limit'>,
): Promise<number> => {
  const ranges = await splitByEpoch(database, { after: START, end: await endOfLog(database) })
  const counts = await Promise.all(
    ranges.map(async (range) => {
      const [row] = await database.prisma.$queryRaw<{ count: number }[]>(sql`${raw(CUSTOM_PLAN)}
        SELECT count(*)::integer AS count FROM change_log.changes c
        WHERE ${Prisma.join([isWithin(range), ...conditionsOf(query)], ' AND ')}`)
      return row?.count ?? 0
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The opaque cursor of a change. */
export const changeCursorOf = ({ position }: Change): string => encodeChangeCursor(position)

/**
 * Deletes up to `limit` changes that are older than `days`, oldest first, and moves the horizon. This covers
 * partitions that cannot be dropped yet. @returns how many were deleted; call again until it is 0
 */
export const pruneChanges = async (
  database: Queryable,
  days: number,
  limit = 10_000,
): Promise<number> =>
  database.prisma.$executeRaw`
    WITH oldest AS (
      SELECT epoch, xid, sequence, at FROM change_log.changes
      WHERE (epoch, xid) < (change_log.reading_epoch(), pg_snapshot_xmin(pg_current_snapshot()))
      ORDER BY epoch, xid, sequence LIMIT ${limit}
    ), young AS (
      -- Times may decrease within the log order, so rows after the first young row are kept.
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
