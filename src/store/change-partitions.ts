/**
 * The partitions of the change log: made before they are needed, dropped when all in them is past its time.
 * What PostgreSQL does for it, and why so, stands in the migration `change_partitions`.
 */
import type { Database } from './database.ts'

/** `busy`: others had the table for too long, or are at it themselves; to be tried again later. */
export type Arranged = 'done' | 'unneeded' | 'busy'

/** So many are made ahead, once there are no more than the few: the table is taken alone for it. */
const AHEAD = 7
const FEW = 3
// An idle service makes that many transactions a day; a busy one shall not come to the end of what is ahead
// before somebody looks again.
const MIN_TRANSACTIONS = 100_000
const MS_OF_A_DAY = 86_400_000
const MIN_MEASURED_MS = 3_600_000

/** What a partition is to hold: a day, of a long retention a thirtieth, so that they do not become many. */
export const partitionDays = (retentionDays: number): number => Math.max(1, retentionDays / 30)

interface PaceRow {
  readonly ahead: number
  /** Since the beginning of the partition before the newest; null: nothing is written there. */
  readonly transactions: bigint | null
  readonly ms: number | null
}

const transactionsOf = (days: number, { transactions, ms }: PaceRow): number => {
  if (transactions === null || ms === null || ms < MIN_MEASURED_MS) return MIN_TRANSACTIONS
  const perDay = (Number(transactions) / ms) * MS_OF_A_DAY
  return Math.max(MIN_TRANSACTIONS, Math.round(perDay * days))
}

/** Makes partitions ahead if there are few, each for about so many days at the pace of the last ones. */
export const makePartitions = async (
  { prisma }: Database,
  retentionDays: number,
): Promise<Arranged> => {
  const [pace] = await prisma.$queryRaw<PaceRow[]>`
    WITH here AS MATERIALIZED (
      SELECT change_log.reading_epoch() AS epoch, pg_snapshot_xmax(pg_current_snapshot()) AS xid
    ), begun AS (
      SELECT p.lower_xid AS xid FROM here, change_log.partitions p
      WHERE p.lower_epoch = here.epoch AND p.lower_xid <= here.xid
      ORDER BY p.lower_xid DESC LIMIT 2
    ), first AS (
      SELECT c.xid, c.at FROM change_log.changes c
      WHERE c.epoch = (SELECT epoch FROM here)
        AND c.xid >= coalesce((SELECT xid FROM begun ORDER BY xid LIMIT 1), '0')
      ORDER BY c.epoch, c.xid, c.sequence LIMIT 1
    )
    SELECT change_log.partitions_ahead() AS ahead,
      here.xid::text::bigint - first.xid::text::bigint AS transactions,
      extract(epoch FROM now() - first.at)::double precision * 1000 AS ms
    FROM here LEFT JOIN first ON true`
  if (!pace) throw new Error('A question without a condition had no answer.')
  if (pace.ahead > FEW) return 'unneeded'
  const size = transactionsOf(partitionDays(retentionDays), pace)
  const [row] = await prisma.$queryRaw<{ made: number | null }[]>`
    SELECT change_log.make_partitions(${AHEAD}::integer, ${size}::bigint) AS made`
  if (row?.made == null) return 'busy'
  return row.made > 0 ? 'done' : 'unneeded'
}

/** Drops the oldest partition if all in it is older than so many days. Call again while it is `done`. */
export const dropOldestPartition = async (
  { prisma }: Database,
  days: number,
): Promise<Arranged> => {
  const [row] = await prisma.$queryRaw<{ dropped: boolean | null }[]>`
    SELECT change_log.drop_oldest_partition(
      now() - ${days}::double precision * interval '1 day') AS dropped`
  if (row?.dropped == null) return 'busy'
  return row.dropped ? 'done' : 'unneeded'
}

/** Whether the oldest change that is kept is older than so many days. */
export const hasChangesOlderThan = async ({ prisma }: Database, days: number): Promise<boolean> => {
  const [oldest] = await prisma.$queryRaw<{ isOlder: boolean }[]>`
    SELECT c.at < now() - ${days}::double precision * interval '1 day' AS "isOlder"
    FROM change_log.changes c ORDER BY c.epoch, c.xid, c.sequence LIMIT 1`
  return oldest?.isOlder ?? false
}
