/** Times of statements, all by the database's clock: those of hosts differ. */
import { Prisma } from '@prisma/client'

const { sql } = Prisma

/** So many milliseconds, as an interval. */
export const lasting = (ms: number): Prisma.Sql =>
  sql`${ms}::double precision * interval '1 millisecond'`

/** So many milliseconds from now. */
export const inMs = (ms: number): Prisma.Sql => sql`clock_timestamp() + ${lasting(ms)}`
