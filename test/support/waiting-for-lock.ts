import { expect } from 'vitest'
import type { TestService } from './service.ts'

type Waiting = Pick<TestService, 'database'>

const poll = (count: () => Promise<number | undefined>): Promise<unknown> =>
  expect.poll(count, { timeout: 60_000, interval: 5 }).toBe(1)

/** Waits until a transaction of this database waits for a lock on records. */
export const untilWaitingForLock = ({ database }: Waiting): Promise<unknown> =>
  poll(async () => {
    const [found] = await database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM pg_locks
      WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    return found?.count
  })

/** Waits until a transaction of this database waits for another one that holds a row. */
export const untilWaitingForRow = ({ database }: Waiting): Promise<unknown> =>
  poll(async () => {
    const [found] = await database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND wait_event = 'transactionid'
        AND datname = current_database()`
    return found?.count
  })
