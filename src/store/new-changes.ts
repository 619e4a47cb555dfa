/** Reading on at the end of the change log: what has become readable since, by one statement. */
import type { ChangePosition } from '../query/change-cursor.ts'
import { bigints, type Change, isBefore, type PositionRow, toPosition } from './changes.ts'
import type { Transaction } from './database.ts'

export interface NewChanges {
  /** In the log's order. */
  readonly changes: readonly Change[]
  /** Where to read on. */
  readonly next: ChangePosition
  /** Whether a transaction runs that may hold back what others have committed: nobody announces its end. */
  readonly isHeldUp: boolean
}

export interface NewChangesQuery {
  readonly after: ChangePosition
  readonly topics: readonly string[]
  readonly limit: number
}

interface ChangeRow extends PositionRow, Omit<Change, 'position'> {}

/** The end as it is, beside each change; if there is none, once alone. */
type Row = (ChangeRow | { readonly sequence: null }) & {
  readonly endEpoch: bigint
  readonly endXid: string
  readonly isHeldUp: boolean
}

/**
 * What is readable after a place. The end comes from the snapshot by which the rows are seen: what is older
 * than its oldest running transaction has ended, and is visible to it if it was committed.
 * @see https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
 */
export const readNewChanges = async (
  transaction: Transaction,
  { after, topics, limit }: NewChangesQuery,
): Promise<NewChanges> => {
  const { epoch: fromEpoch } = after
  const fromXid = String(after.xid)
  const rows = await transaction.$queryRaw<Row[]>`
    SELECT l.epoch AS "endEpoch", l.xmin::text AS "endXid", l.xmin < l.xmax AS "isHeldUp",
      f.epoch, f.xid::text AS xid, f.sequence, f.environment_id::text AS "environmentId",
      f.credential_id::text AS "credentialId", f.topic, f.kind, f.record_id::text AS "recordId",
      f.changed_fields AS "changedFields", f.record::text AS record, f.at, f.cause::text AS cause
    FROM (
      SELECT change_log.reading_epoch() AS epoch, pg_snapshot_xmin(s) AS xmin, pg_snapshot_xmax(s) AS xmax
      FROM pg_current_snapshot() s
    ) l LEFT JOIN LATERAL (
      SELECT * FROM change_log.changes c
      WHERE (c.epoch, c.xid, c.sequence) > ${bigints(after)}
        -- Sequences begin at 1: before the first row of that transaction.
        AND (c.epoch, c.xid, c.sequence) < (l.epoch, l.xmin, 0)
        -- The first condition again, as PostgreSQL understands it of partitions: those before are left out.
        AND (c.epoch > ${fromEpoch}::bigint OR c.epoch = ${fromEpoch}::bigint AND c.xid >= ${fromXid}::text::xid8)
        AND c.topic = ANY(${[...topics]}::text[])
      ORDER BY c.epoch, c.xid, c.sequence LIMIT ${limit}
    ) f ON true
    ORDER BY f.epoch, f.xid, f.sequence`
  const [first] = rows
  if (first === undefined) throw new Error('The end of the change log is missing.')
  const changes = rows.flatMap(({ endEpoch: _epoch, endXid: _xid, isHeldUp: _held, ...row }) => {
    if (row.sequence === null) return []
    const { epoch, xid, sequence, ...facts } = row
    return [{ position: toPosition({ epoch, xid, sequence }), ...facts } satisfies Change]
  })
  const end = { epoch: first.endEpoch, xid: BigInt(first.endXid), sequence: 0n }
  const last = changes.length === limit ? changes.at(-1)?.position : undefined
  // Never back, whatever cluster answers.
  const next = last ?? (isBefore(end, after) ? after : end)
  return { changes, next, isHeldUp: first.isHeldUp }
}
