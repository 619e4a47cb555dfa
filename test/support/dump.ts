import type { Database } from '../../src/store/database/database.ts'

/** Every row of every table as text, as in a dump of the database. */
export const dumpTables = async ({ prisma }: Database): Promise<string> => {
  const tables = await prisma.$queryRaw<{ place: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS place FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`
  let dump = ''
  for (const { place } of tables) {
    const rows = await prisma.$queryRawUnsafe<{ text: string }[]>(
      `SELECT t::text AS text FROM ${place} t`,
    )
    dump += `${place}\n${rows.map(({ text }) => text).join('\n')}\n`
  }
  return dump
}
