/** Positions of change-log readers that all processes share. */
import {
  type ChangePosition,
  decodeChangeCursor,
  encodeChangeCursor,
} from '../../query/change-cursor.ts'
import type { Database, Transaction } from '../database/database.ts'
import { endOfLog } from './changes.ts'

/** Registers a reader, which starts at the current end of the log. An existing reader keeps its position. */
export const ensureLogReader = async (database: Database, name: string): Promise<void> => {
  const position = encodeChangeCursor(await endOfLog(database))
  await database.prisma.$executeRaw`
    INSERT INTO log_readers (name, position) VALUES (${name}, ${position}) ON CONFLICT DO NOTHING`
}

/** Locks a reader until the transaction ends. @returns its position; undefined if another process holds it */
export const holdLogReader = async (
  transaction: Transaction,
  name: string,
): Promise<ChangePosition | undefined> => {
  const lock = `log reader ${name}`
  // Lock first, then read the position: one statement could return the position before the other's commit.
  const [held] = await transaction.prisma.$queryRaw<{ held: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) AS held`
  if (!held?.held) return
  const reader = await transaction.prisma.logReader.findUnique({ where: { name } })
  return reader ? decodeChangeCursor(reader.position, 'position') : undefined
}

/** Saves a reader's position: the transaction has processed every change before it. */
export const moveLogReader = async (
  transaction: Transaction,
  name: string,
  position: ChangePosition,
): Promise<void> => {
  await transaction.prisma.logReader.update({
    where: { name },
    data: { position: encodeChangeCursor(position) },
  })
}
