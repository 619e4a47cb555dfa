import type { Database } from '../../src/store/database/database.ts'

/** Every row of every table as text, as in a dump of the database. */
export const dumpTables = async ({ prisma }: Database): Promise<string> => {
  const tables = await prisma.$queryRaw<{ table: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS "table" FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`
  let dump = ''
  for (const { table } of tables) {
    const rows = await prisma.$queryRawUnsafe<{ text: string }[]>(
      `SELECT t::text AS text FROM ${table} t`,
    )
    dump += `${table}\n${rows.map(({ text }) => text).join('\n')}\n`
  }
  return dump
}
