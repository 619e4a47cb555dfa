import { expect } from 'vitest'
import type { TestService } from './service.ts'

/**
 * Waits until everything written to the change log is readable, and behind a reader that starts now. Any
 * transaction on this PostgreSQL delays it, even one of another test.
 */
export const untilLogReadable = ({ database }: Pick<TestService, 'database'>): Promise<void> =>
  expect
    .poll(
      async () => {
        const [row] = await database.prisma.$queryRaw<{ count: number }[]>`
          SELECT count(*)::integer AS count FROM change_log.changes
          WHERE (epoch, xid) >=
            (change_log.reading_epoch(), pg_snapshot_xmin(pg_current_snapshot()))`
        return row?.count
      },
      { timeout: 60_000, interval: 5 },
    )
    .toBe(0)
