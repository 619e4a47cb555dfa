/** Locks on names, for work that has no row to lock. */
import type { Queryable } from './database.ts'

/** Locks a name until the transaction ends. */
export const lockName = async ({ prisma }: Queryable, name: string): Promise<void> => {
  await prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}
