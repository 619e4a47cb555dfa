/** Records as they were at a past time, reconstructed from the change log. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../../definition/resource.ts'
import type { Database } from '../database/database.ts'
import { recordSql } from './record-sql.ts'

const { sql } = Prisma

export interface PastRecord {
  readonly id: string
  /** JSON text of the record as the API returned it then, except for unknown fields. */
  readonly record: string
  /**
   * Fields that changed since then and whose earlier value is no longer in the log, because retention
   * deleted the change that set it. They are null in the record.
   */
  readonly unknownFields: readonly string[]
}

/** The records of a credential at a time. */
export interface PastScope {
  readonly credentialId: string
  readonly resource: Resource
  readonly at: Date
  readonly includeDeleted: boolean
}

export interface PastQuery extends PastScope {
  /** Only records with a greater id. */
  readonly afterId?: string | undefined
  readonly limit: number
}

interface PastRow {
  readonly id: string
  readonly past: string | null
  readonly later: string | null
  readonly unknownFields: readonly string[] | null
}

/** The record before a change: fields that the change set are unknown. */
const before = (laterJson: string, changed: readonly string[]): PastRecord['record'] => {
  // The text is a JSON object that this service wrote.
  const record = JSON.parse(laterJson) as Record<string, unknown>
  for (const name of changed) record[name] = null
  return JSON.stringify(record)
}

/**
 * SQL for the stored records `t` that existed at a time. The last change up to that time has the state of the record.
 * Without one, either the record did not exist yet (its next change created it), or its state is derived from the next
 * change, or, if there is none, from the stored record.
 */
const pastSql = ({ credentialId, resource, at, includeDeleted }: PastScope): Prisma.Sql => {
  const changes = sql`change_log.changes c
    WHERE c.credential_id = ${credentialId}::uuid AND c.record_id = t.id`
  const present = includeDeleted
    ? Prisma.empty
    : sql`AND NOT CASE
        WHEN past.record IS NOT NULL THEN (past.record->>'remoteDeleted')::boolean
        -- The change either turned it over, or left it.
        WHEN later.kind IS NOT NULL THEN
          (later.record->>'remoteDeleted')::boolean <> ('remoteDeleted' = ANY(later.changed_fields))
        ELSE t.remote_deleted END`
  return sql`${recordSql(resource).table} t
    LEFT JOIN LATERAL (SELECT c.record FROM ${changes} AND c.at <= ${at}
      ORDER BY c.epoch DESC, c.xid DESC, c.sequence DESC LIMIT 1) past ON true
    LEFT JOIN LATERAL (SELECT c.kind, c.record, c.changed_fields FROM ${changes} AND c.at > ${at}
      AND past.record IS NULL ORDER BY c.epoch, c.xid, c.sequence LIMIT 1) later ON true
    WHERE t.credential_id = ${credentialId}::uuid AND t.created_at <= ${at}
      AND later.kind IS DISTINCT FROM 'created' ${present}`
}

/** Counts the records of a credential at a time within the log's retention. One statement. */
export const countRecordsAsOf = async ({ prisma }: Database, scope: PastScope): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ count: number }[]>(
    sql`SELECT count(*)::integer AS count FROM ${pastSql(scope)}`,
  )
  return row?.count ?? 0
}

/** Lists the records of a credential at a time within the log's retention, ordered by id. One statement. */
export const recordsAsOf = async (
  { prisma }: Database,
  { afterId, limit, ...scope }: PastQuery,
): Promise<readonly PastRecord[]> => {
  const { json } = recordSql(scope.resource)
  const beyond = afterId === undefined ? Prisma.empty : sql`AND t.id > ${afterId}::uuid`
  const rows = await prisma.$queryRaw<PastRow[]>(sql`
    SELECT t.id::text AS id, later.record::text AS later, later.changed_fields AS "unknownFields",
      coalesce(past.record::text, CASE WHEN later.kind IS NULL THEN ${json} END) AS past
    FROM ${pastSql(scope)} ${beyond}
    ORDER BY t.id LIMIT ${limit}`)
  return rows.flatMap(({ id, past, later, unknownFields }) => {
    if (past !== null) return [{ id, record: past, unknownFields: [] }]
    if (later === null) return []
    // Every change sets `updatedAt`, but `changed_fields` does not list it.
    const unknown = [...(unknownFields ?? []), 'updatedAt']
    return [{ id, record: before(later, unknown), unknownFields: unknown }]
  })
}
