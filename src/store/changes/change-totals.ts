import type { Database } from '../database/database.ts'

/** Deletes the change totals of days that are older than the retention. */
export const deleteOldChangeTotals = ({ prisma }: Database, days: number): Promise<number> =>
  prisma.$executeRaw`DELETE FROM change_totals WHERE day < current_date - ${Math.ceil(days)}::integer`
