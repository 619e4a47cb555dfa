/** Lookups of the remote ids of records, for writes to the app. */
import { Prisma } from '@prisma/client'
import { recordId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import type { Database } from '../database/database.ts'
import { recordSql } from './record-sql.ts'

const { sql, raw } = Prisma

interface Pair {
  readonly id: string
  readonly remoteId: string
}

const toMap = (rows: readonly Pair[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ id, remoteId }) => [id, remoteId]))

/** The remote ids of a credential's records, keyed by id. One statement. */
export const remoteIdsById = async (
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
 * The remote ids of objects nested in a credential's records, keyed by id, e.g. the variants of products. One
 * statement, which uses an index of the nested ids (migration nested_ids).
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
 * The remote ids of the records that each text may refer to: the record with that remote id, otherwise records
 * with the text in one of the fields, at most two. One statement; it compares fields only for texts that are
 * not remote ids.
 */
export const remoteIdsByText = async (
  { prisma }: Database,
  credentialId: string,
  resource: Resource,
  fields: readonly string[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { table, column } = recordSql(resource)
  const ids = texts.map((text) => recordId(credentialId, resource.topic, text))
  const isPresent = sql`t.credential_id = ${credentialId}::uuid AND NOT t.remote_deleted`
  const isNamed = raw(fields.map((field) => `t.${column(field)} = rest.text`).join(' OR '))
  const rows = await prisma.$queryRaw<{ text: string; remoteId: string }[]>(sql`
    WITH input AS (SELECT * FROM unnest(${texts}::text[], ${ids}::uuid[]) AS i(text, id)),
    own AS (SELECT input.text FROM input JOIN ${table} t ON ${isPresent} AND t.id = input.id),
    rest AS MATERIALIZED (SELECT text FROM input EXCEPT SELECT text FROM own)
    SELECT text, text AS "remoteId" FROM own
    UNION ALL
    SELECT rest.text, named.remote_id FROM rest CROSS JOIN LATERAL (
      SELECT t.remote_id FROM ${table} t WHERE ${isPresent} AND (${isNamed}) LIMIT 2) AS named`)
  const byText = Map.groupBy(rows, ({ text }) => text)
  return new Map(
    texts.map((text) => [text, (byText.get(text) ?? []).map(({ remoteId }) => remoteId)]),
  )
}
