import { Prisma } from '@prisma/client'
import type { Transaction } from '../database/database.ts'

const { sql } = Prisma

/**
 * Locks an end user until the transaction ends, so that no credential or installation can be added.
 * @returns whether the environment has the user
 */
export const lockUser = async (
  transaction: Transaction,
  environmentId: string,
  userId: string,
): Promise<boolean> => {
  const locked = await transaction.prisma.$queryRaw<unknown[]>(sql`
    SELECT FROM end_users WHERE id = ${userId}::uuid AND environment_id = ${environmentId}::uuid
    FOR UPDATE`)
  return locked.length > 0
}
