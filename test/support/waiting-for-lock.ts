import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** Until a transaction of this database waits for the lock of some records. */
export const waitingForLock = ({ database }: Pick<TestService, 'database'>): Promise<unknown> =>
  expect
    .poll(
      async () => {
        const [found] = await database.prisma.$queryRaw<{ count: number }[]>`
          SELECT count(*)::integer AS count FROM pg_locks
          WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        return found?.count
      },
      { timeout: 60_000, interval: 5 },
    )
    .toBe(1)
