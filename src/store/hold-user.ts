import { Prisma } from '@prisma/client'
import type { Transaction } from './database.ts'

const { sql } = Prisma

/**
 * Holds an end user until the transaction ends, so that nothing can be added to what goes with the user.
 * @returns whether the environment has the user
 */
export const holdUser = async (
  transaction: Transaction,
  environmentId: string,
  userId: string,
): Promise<boolean> => {
  const held = await transaction.$queryRaw<unknown[]>(sql`
    SELECT FROM end_users WHERE id = ${userId}::uuid AND environment_id = ${environmentId}::uuid
    FOR UPDATE`)
  return held.length > 0
}
