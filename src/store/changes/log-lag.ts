/** How far readers of the change log are behind. */
import { Prisma } from '@prisma/client'
import type { ChangePosition } from '../../query/change-cursor.ts'
import type { Queryable } from '../database/database.ts'
import { positionSql } from './changes.ts'

/** The age of the first change after a position, in milliseconds; 0: there is none. */
export const readLagMs = async ({ prisma }: Queryable, after: ChangePosition): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ lagMs: number }[]>(Prisma.sql`
    SELECT greatest(0, extract(epoch FROM clock_timestamp() - c.at) * 1000)::double precision AS "lagMs"
    FROM change_log.changes c WHERE (c.epoch, c.xid, c.sequence) > ${positionSql(after)}
    ORDER BY c.epoch, c.xid, c.sequence LIMIT 1`)
  return row?.lagMs ?? 0
}
