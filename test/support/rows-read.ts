/** How much PostgreSQL reads for a piece of work: what tests can say of its cost without a clock. */
import type { Database, Transaction } from '../../src/store/database.ts'

/** The rows of these tables that the work reads, in a transaction of its own. */
export const rowsReadBy = (
  { prisma }: Database,
  tables: readonly string[],
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<number> =>
  prisma.$transaction(async (transaction) => {
    // What this connection has read since it last told the statistics: not in this transaction alone.
    const readSoFar = async (): Promise<number> => {
      const [read] = await transaction.$queryRaw<{ rows: number }[]>`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows
        FROM pg_stat_xact_user_tables WHERE relname = ANY(${tables}::text[])`
      return read?.rows ?? 0
    }
    const before = await readSoFar()
    await work(transaction)
    return (await readSoFar()) - before
  })
