/** How far those have come who read the change log once for all processes. */
import {
  type ChangePosition,
  decodeChangeCursor,
  encodeChangeCursor,
} from '../query/change-cursor.ts'
import { endOfLog } from './changes.ts'
import type { Database, Transaction } from './database.ts'

/** A new reader begins with what changes from now on; one that is known goes on. */
export const ensureLogReader = async ({ prisma }: Database, name: string): Promise<void> => {
  const position = encodeChangeCursor(await endOfLog(prisma))
  await prisma.$executeRaw`
    INSERT INTO log_readers (name, position) VALUES (${name}, ${position}) ON CONFLICT DO NOTHING`
}

/** Becomes the reader until the transaction ends. @returns its position; undefined while another is at it */
export const holdLogReader = async (
  transaction: Transaction,
  name: string,
): Promise<ChangePosition | undefined> => {
  const lock = `log reader ${name}`
  // First the lock, then the position: read together, it could be the one before the other's commit.
  const [held] = await transaction.$queryRaw<{ held: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) AS held`
  if (!held?.held) return
  const reader = await transaction.logReader.findUnique({ where: { name } })
  return reader ? decodeChangeCursor(reader.position, 'position') : undefined
}

/** Everything before the position has been dealt with, by what the transaction writes. */
export const moveLogReader = async (
  transaction: Transaction,
  name: string,
  position: ChangePosition,
): Promise<void> => {
  await transaction.logReader.update({
    where: { name },
    data: { position: encodeChangeCursor(position) },
  })
}
