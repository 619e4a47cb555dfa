/** Reads of new changes at the end of the change log. One statement. */
import type { ChangePosition } from '../../query/change-cursor.ts'
import type { Queryable } from '../database/database.ts'
import { type Change, isBefore, type PositionRow, positionSql, toPosition } from './changes.ts'

export interface NewChanges {
  /** In log order. */
  readonly changes: readonly Change[]
  /** Position for the next read. */
  readonly next: ChangePosition
  /** Whether a running transaction may delay committed changes. Its end causes no notification. */
  readonly isDelayed: boolean
}

export interface NewChangesQuery {
  readonly after: ChangePosition
  readonly topics: readonly string[]
  readonly limit: number
}

interface ChangeRow extends PositionRow, Omit<Change, 'position'> {}

/** A change with the end of the log; without changes, one row with the end only. */
type Row = (ChangeRow | { readonly sequence: null }) & {
  readonly endEpoch: bigint
  readonly endXid: string
  readonly isDelayed: boolean
}

/**
 * Reads the changes after a position. The end comes from the snapshot of the same statement: transactions older
 * than the snapshot's oldest running one have ended, and are visible if they committed.
 * @see https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
 */
export const readNewChanges = async (
  database: Queryable,
  { after, topics, limit }: NewChangesQuery,
): Promise<NewChanges> => {
  const { epoch: fromEpoch } = after
  const fromXid = String(after.xid)
  const rows = await database.prisma.$queryRaw<Row[]>`
    SELECT l.epoch AS "endEpoch", l.xmin::text AS "endXid", l.xmin < l.xmax AS "isDelayed",
      f.epoch, f.xid::text AS xid, f.sequence, f.environment_id::text AS "environmentId",
      f.credential_id::text AS "credentialId", f.topic, f.kind, f.record_id::text AS "recordId",
      f.changed_fields AS "changedFields", f.record::text AS record, f.at, f.cause::text AS cause,
      f.traceparent
    FROM (
      SELECT change_log.reading_epoch() AS epoch, pg_snapshot_xmin(s) AS xmin, pg_snapshot_xmax(s) AS xmax
      FROM pg_current_snapshot() s
    ) l LEFT JOIN LATERAL (
      SELECT * FROM change_log.changes c
      WHERE (c.epoch, c.xid, c.sequence) > ${positionSql(after)}
        -- Sequences start at 1, so 0 is before the first row of that transaction.
        AND (c.epoch, c.xid, c.sequence) < (l.epoch, l.xmin, 0)
        -- Repeats the first condition in a form that enables partition pruning.
        AND (c.epoch > ${fromEpoch}::bigint OR c.epoch = ${fromEpoch}::bigint AND c.xid >= ${fromXid}::text::xid8)
        AND c.topic = ANY(${[...topics]}::text[])
      ORDER BY c.epoch, c.xid, c.sequence LIMIT ${limit}
    ) f ON true
    ORDER BY f.epoch, f.xid, f.sequence`
  const [first] = rows
  if (first === undefined)
    throw new Error('The query for the end of the change log returned no row.')
  const changes = rows.flatMap(({ endEpoch: _epoch, endXid: _xid, isDelayed: _held, ...row }) => {
    if (row.sequence === null) return []
    const { epoch, xid, sequence, ...facts } = row
    return [{ position: toPosition({ epoch, xid, sequence }), ...facts } satisfies Change]
  })
  const end = { epoch: first.endEpoch, xid: BigInt(first.endXid), sequence: 0n }
  const last = changes.length === limit ? changes.at(-1)?.position : undefined
  // Never move backwards, whichever server responds.
  const next = last ?? (isBefore(end, after) ? after : end)
  return { changes, next, isDelayed: first.isDelayed }
}
