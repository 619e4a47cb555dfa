/** The change log's partitions in a test: created as small as needed, and listed with their rows. */
import { setTimeout as wait } from 'node:timers/promises'
import type { PartitionOutcome } from '../../src/store/changes/change-partitions.ts'
import type { Database } from '../../src/store/database/database.ts'

/** Retries until no one else locks the table; PostgreSQL's own maintenance sometimes does. */
export const retryWhileBusy = async (
  attempt: () => Promise<PartitionOutcome>,
): Promise<Exclude<PartitionOutcome, 'busy'>> => {
  for (;;) {
    const outcome = await attempt()
    if (outcome !== 'busy') return outcome
    await wait(20)
  }
}

export interface Partition {
  readonly name: string
  /** Null: unbounded. */
  readonly lower: bigint | null
  readonly upper: bigint | null
  readonly epoch: bigint | null
  readonly rows: number
}

export const openPartitions = ({ prisma }: Database) => {
  const execute = (text: string): Promise<number> => prisma.$executeRawUnsafe(text)

  const list = async (): Promise<Partition[]> => {
    const found = await prisma.$queryRaw<
      { name: string; epoch: bigint | null; lower: string | null; upper: string | null }[]
    >`SELECT name::text AS name, lower_epoch AS epoch, lower_xid::text AS lower,
        upper_xid::text AS upper
      FROM change_log.partitions
      ORDER BY lower_epoch NULLS FIRST, lower_xid NULLS FIRST`
    const counts = await prisma.$queryRaw<{ name: string; rows: number }[]>`
      SELECT tableoid::regclass::text AS name, count(*)::integer AS rows
      FROM change_log.changes GROUP BY 1`
    const rows = new Map(counts.map((count) => [count.name, count.rows]))
    return found.map(({ name, epoch, lower, upper }) => ({
      name,
      epoch,
      rows: rows.get(name) ?? 0,
      lower: lower === null ? null : BigInt(lower),
      upper: upper === null ? null : BigInt(upper),
    }))
  }

  const makePartitions = async (ahead: number, size: number): Promise<number | null> => {
    const [row] = await prisma.$queryRaw<{ createdCount: number | null }[]>`
      SELECT change_log.make_partitions(${ahead}::integer, ${size}::bigint) AS "createdCount"`
    return row?.createdCount ?? null
  }

  /** Consumes this many transaction ids. */
  const consumeIds = (count: number): Promise<number> =>
    execute(`DO $$ BEGIN
      FOR n IN 1..${count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
    END $$`)

  return {
    list,
    makePartitions,
    consumeIds,
    /** An empty log: one first partition that ends at the current transaction, `ahead` partitions of `size`, and the tail. */
    reset: async (ahead: number, size: number): Promise<void> => {
      await execute(`DO $$
        DECLARE
          one regclass;
          here text := format('(0, %L)', pg_snapshot_xmax(pg_current_snapshot()));
        BEGIN
          FOR one IN SELECT name FROM change_log.partitions LOOP
            EXECUTE format('DROP TABLE %s', one);
          END LOOP;
          EXECUTE 'CREATE TABLE change_log.changes_first PARTITION OF change_log.changes
            FOR VALUES FROM (MINVALUE, MINVALUE) TO ' || here;
          EXECUTE 'CREATE TABLE change_log.changes_tail PARTITION OF change_log.changes
            FOR VALUES FROM ' || here || ' TO (MAXVALUE, MAXVALUE)';
          DELETE FROM change_log.epochs WHERE epoch > 0;
          UPDATE change_log.epochs SET cluster = change_log.cluster();
          DELETE FROM change_log.running_epoch;
          INSERT INTO change_log.running_epoch (epoch, relation)
            VALUES (0, 'change_log.running_epoch'::regclass);
          UPDATE change_log.horizon SET epoch = 0, xid = '0', sequence = 0, at = NULL;
        END $$`)
      await retryWhileBusy(async () =>
        (await makePartitions(ahead, size)) === null ? 'busy' : 'done',
      )
    },
    /** Waits until every running and future transaction is at or above the bound. */
    waitUntilPassed: async (upper: bigint): Promise<void> => {
      for (;;) {
        const [row] = await prisma.$queryRaw<{ xmin: string; xmax: string }[]>`
          SELECT pg_snapshot_xmin(s)::text AS xmin, pg_snapshot_xmax(s)::text AS xmax
          FROM pg_current_snapshot() s`
        const [xmin, xmax] = [BigInt(row?.xmin ?? 0), BigInt(row?.xmax ?? 0)]
        if (xmin >= upper) return
        if (xmax < upper) await consumeIds(Number(upper - xmax))
        else await wait(20)
      }
    },
    /** Ages the log's rows, or those that the condition selects, by this many days. */
    ageRows: (days: number, condition = 'true') =>
      execute(`UPDATE change_log.changes SET at = at - interval '${days} days' WHERE ${condition}`),
    /** Simulates a restore: the next write begins an epoch. */
    simulateRestore: () => execute(`UPDATE change_log.epochs SET cluster = 'another/00000001'`),
  }
}

export type Partitions = ReturnType<typeof openPartitions>
