/** SQL for times and durations. Times use the database's clock, because the clocks of hosts differ. */
import { Prisma } from '@prisma/client'

const { sql } = Prisma

/** A duration in milliseconds, as an SQL interval. */
export const intervalSql = (ms: number): Prisma.Sql =>
  sql`${ms}::double precision * interval '1 millisecond'`

/** The time `ms` milliseconds from now, as SQL. */
export const msFromNow = (ms: number): Prisma.Sql => sql`clock_timestamp() + ${intervalSql(ms)}`
