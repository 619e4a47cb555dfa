/** How many rows PostgreSQL reads for a piece of work: a measure of cost that needs no clock. */
import type { Database, Transaction } from '../../src/store/database/database.ts'

/** The number of rows of these tables that the work reads, in a transaction of its own. */
export const countRowsReadBy = (
  database: Database,
  tables: readonly string[],
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<number> =>
  database.transaction(async (transaction) => {
    // The counters include rows that this connection read before, and has not yet flushed to the statistics.
    const readSoFar = async (): Promise<number> => {
      const [read] = await transaction.prisma.$queryRaw<{ rows: number }[]>`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows
        FROM pg_stat_xact_user_tables WHERE relname = ANY(${tables}::text[])`
      return read?.rows ?? 0
    }
    const before = await readSoFar()
    await work(transaction)
    return (await readSoFar()) - before
  })
