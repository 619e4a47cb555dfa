/** SQL for times and durations. Times use the database's clock, because the clocks of hosts differ. */
import { Prisma } from '@prisma/client'

const { sql } = Prisma

/** A duration in milliseconds, as an SQL interval. */
export const intervalSql = (ms: number): Prisma.Sql =>
  sql`${ms}::double precision * interval '1 millisecond'`

/** A time that never comes. Unlike `infinity`, the due time of a paused sync, only an explicit change ends it. */
export const NEVER = sql`'9999-12-31T00:00:00Z'::timestamptz`

/** The time `ms` milliseconds from now, as SQL; infinite: `NEVER`. */
export const msFromNow = (ms: number): Prisma.Sql =>
  ms === Number.POSITIVE_INFINITY ? NEVER : sql`clock_timestamp() + ${intervalSql(ms)}`
