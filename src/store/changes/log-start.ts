/** The start of the change log: retention deletes older changes. */
import type { Database } from '../database/database.ts'

/** Changes up to this time have been deleted; undefined: none. */
export const expiredUntil = async ({ prisma }: Database): Promise<Date | undefined> => {
  const [row] = await prisma.$queryRaw<{ at: Date | null }[]>`SELECT at FROM change_log.horizon`
  return row?.at ?? undefined
}
