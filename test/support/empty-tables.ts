import { catalogue } from '../../src/generated/registry.ts'
import type { Database } from '../../src/store/database/database.ts'

/**
 * Deletes every record and change, and before them the rows of more tables, in that order. For few rows this
 * takes a twentieth of the time of TRUNCATE, which replaces every file of every table.
 */
export const deleteAllRows = async (
  { prisma }: Database,
  ...more: readonly string[]
): Promise<void> => {
  const tables = [...more, 'change_log.changes', ...catalogue.resources.map(({ table }) => table)]
  const deletions = tables.map((table) => `DELETE FROM ${table};`)
  await prisma.$executeRawUnsafe(`DO $$ BEGIN ${deletions.join(' ')} END $$`)
}
