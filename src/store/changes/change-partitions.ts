/**
 * Partitions of the change log: created ahead of use, and dropped when all their changes are older than the
 * retention. The migration `change_partitions` contains and explains the SQL functions.
 */
import type { Database } from '../database/database.ts'

/** `busy`: the table was locked for too long, or another process maintains the partitions. Retry later. */
export type PartitionOutcome = 'done' | 'unneeded' | 'busy'

/** Partitions to create ahead. Each creation locks the table exclusively, so it waits until only `FEW` are left. */
const AHEAD = 7
const FEW = 3
// An idle service makes about this many transactions a day. The minimum keeps a service that becomes busy from
// using up its partitions before the next check.
const MIN_TRANSACTIONS = 100_000
const MS_PER_DAY = 86_400_000
const MIN_MEASURED_MS = 3_600_000

/** Days that one partition covers: at least one, at most 1/30 of the retention, to limit the number of partitions. */
export const partitionDays = (retentionDays: number): number => Math.max(1, retentionDays / 30)

interface PaceRow {
  readonly ahead: number
  /** Transactions since the start of the second-newest partition in use; null: no changes were written since. */
  readonly transactions: bigint | null
  readonly ms: number | null
}

const transactionsOf = (days: number, { transactions, ms }: PaceRow): number => {
  if (transactions === null || ms === null || ms < MIN_MEASURED_MS) return MIN_TRANSACTIONS
  const perDay = (Number(transactions) / ms) * MS_PER_DAY
  return Math.max(MIN_TRANSACTIONS, Math.round(perDay * days))
}

/** Creates partitions if few are left ahead. Their size follows from the recent transaction rate. */
export const makePartitions = async (
  { prisma }: Database,
  retentionDays: number,
): Promise<PartitionOutcome> => {
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
  if (!pace) throw new Error('The query for the transaction rate returned no row.')
  if (pace.ahead > FEW) return 'unneeded'
  const size = transactionsOf(partitionDays(retentionDays), pace)
  const [row] = await prisma.$queryRaw<{ made: number | null }[]>`
    SELECT change_log.make_partitions(${AHEAD}::integer, ${size}::bigint) AS made`
  if (row?.made == null) return 'busy'
  return row.made > 0 ? 'done' : 'unneeded'
}

/** Drops the oldest partition if all its changes are older than `days`. Call again while it returns `done`. */
export const dropOldestPartition = async (
  { prisma }: Database,
  days: number,
): Promise<PartitionOutcome> => {
  const [row] = await prisma.$queryRaw<{ dropped: boolean | null }[]>`
    SELECT change_log.drop_oldest_partition(
      now() - ${days}::double precision * interval '1 day') AS dropped`
  if (row?.dropped == null) return 'busy'
  return row.dropped ? 'done' : 'unneeded'
}

/** Whether the oldest change in the log is older than `days`. */
export const hasChangesOlderThan = async ({ prisma }: Database, days: number): Promise<boolean> => {
  const [oldest] = await prisma.$queryRaw<{ isOlder: boolean }[]>`
    SELECT c.at < now() - ${days}::double precision * interval '1 day' AS "isOlder"
    FROM change_log.changes c ORDER BY c.epoch, c.xid, c.sequence LIMIT 1`
  return oldest?.isOlder ?? false
}
