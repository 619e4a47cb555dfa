/** A fingerprint of the database: two of them differ if anything changed in between. */
import type { Database } from '../../../src/store/database/database.ts'

/** Large tables: the row count and the newest change are enough. */
const isCounted = (table: string): boolean =>
  /^(public\.(sandbox_records|(accounting|crm|commerce)_\w+)|change_log\.\w+)$/.test(table)

/** A row as text, without the last use of a key, which is saved once a minute. */
const ROW = "(to_jsonb(t) - 'last_used_at')::text"

export interface Fingerprints {
  /** The fingerprint of all rows, or of the rows that mention one of the ids. */
  take(mentioning?: readonly string[]): Promise<string>
}

export const openFingerprints = async ({ prisma }: Database): Promise<Fingerprints> => {
  const tables = await prisma.$queryRaw<{ place: string; versioned: boolean }[]>`
    SELECT t.table_schema || '.' || t.table_name AS place,
      EXISTS (SELECT FROM information_schema.columns c WHERE c.table_schema = t.table_schema
        AND c.table_name = t.table_name AND c.column_name = 'updated_at') AS versioned
    FROM information_schema.tables t
    WHERE table_schema IN ('public', 'change_log') AND table_type = 'BASE TABLE' ORDER BY 1`
  const whole = tables.map(({ place, versioned }) =>
    isCounted(place)
      ? `SELECT '${place}' AS place, count(*)::text || ${versioned ? "coalesce(max(updated_at)::text, '')" : "''"} AS mark FROM ${place}`
      : `SELECT '${place}', md5(coalesce(string_agg(${ROW}, ',' ORDER BY ${ROW}), '')) FROM ${place} t`,
  )
  const mentioned = tables
    .filter(({ place }) => !isCounted(place))
    .map(
      ({ place }) =>
        `SELECT '${place}' AS place, md5(coalesce(string_agg(${ROW}, ',' ORDER BY ${ROW}), '')) AS mark
         FROM ${place} t WHERE ${ROW} LIKE ANY ($1::text[])`,
    )
  // Sorted, because PostgreSQL returns rows in any order.
  const unionAll = (parts: readonly string[]): string => `${parts.join(' UNION ALL ')} ORDER BY 1`
  return {
    take: async (mentioning) =>
      JSON.stringify(
        mentioning
          ? await prisma.$queryRawUnsafe(
              unionAll(mentioned),
              mentioning.map((id) => `%${id}%`),
            )
          : await prisma.$queryRawUnsafe(unionAll(whole)),
      ),
  }
}
