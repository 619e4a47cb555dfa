/** What the ids of records are in the app: for what is written there. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../definition/resource.ts'
import type { Database } from './database.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw } = Prisma

interface Pair {
  readonly id: string
  readonly remoteId: string
}

const toMap = (rows: readonly Pair[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ id, remoteId }) => [id, remoteId]))

/** The remote ids of a credential's records, by id. One statement. */
export const remoteIdsOf = async (
  { prisma }: Database,
  credentialId: string,
  resource: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { table } = recordSql(resource)
  return toMap(
    await prisma.$queryRaw<Pair[]>(sql`
      SELECT t.id::text AS id, t.remote_id AS "remoteId" FROM ${table} t
      WHERE t.credential_id = ${credentialId}::uuid AND t.id = ANY(${ids}::uuid[])`),
  )
}

/**
 * The remote ids of what is nested in a credential's records, by id: the variants of products. One
 * statement, which finds their records by an index of the ids in the lists (migration nested_ids).
 */
export const nestedRemoteIdsOf = async (
  { prisma }: Database,
  credentialId: string,
  resource: Resource,
  field: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { table, column } = recordSql(resource)
  const list = raw(`t.${column(field)}`)
  return toMap(
    await prisma.$queryRaw<Pair[]>(sql`
      SELECT entry->>'id' AS id, entry->>'remoteId' AS "remoteId"
      FROM ${table} t CROSS JOIN LATERAL jsonb_array_elements(${list}) entry
      WHERE t.credential_id = ${credentialId}::uuid
        AND jsonb_path_query_array(${list}, '$[*].id') ?| ${ids}::text[]
        AND entry->>'id' = ANY(${ids}::text[])`),
  )
}

/**
 * The remote ids of the records that a text may mean: the one with that remote id, or else those with it
 * in one of the fields; two at most. One statement.
 */
export const remoteIdsByText = async (
  { prisma }: Database,
  credentialId: string,
  resource: Resource,
  fields: readonly string[],
  text: string,
): Promise<readonly string[]> => {
  const { table, column } = recordSql(resource)
  const names = Prisma.join(
    fields.map((field) => sql`t.${raw(column(field))} = ${text}`),
    ' OR ',
  )
  const rows = await prisma.$queryRaw<{ remoteId: string }[]>(sql`
    SELECT t.remote_id AS "remoteId" FROM ${table} t
    WHERE t.credential_id = ${credentialId}::uuid AND NOT t.remote_deleted
      AND (t.remote_id = ${text} OR ${names})
    ORDER BY t.remote_id = ${text} DESC LIMIT 2`)
  const [first] = rows
  return first?.remoteId === text ? [text] : rows.map(({ remoteId }) => remoteId)
}
