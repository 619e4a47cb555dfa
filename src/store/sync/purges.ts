/**
 * Purges of deleted credentials. The records are inaccessible once the credential's row is deleted. There may be
 * millions, so any process deletes them afterwards, in batches of one statement each.
 */
import { Prisma } from '@prisma/client'
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Database } from '../database/database.ts'
import { recordSql } from '../records/record-sql.ts'

const { sql } = Prisma

const BATCH = 1000
// Another process resumes an interrupted purge after this time.
const CLAIM = sql`interval '1 minute'`
// A write that was in progress when the credential was deleted may still add rows, so the purge runs once more.
const SETTLED = sql`interval '10 minutes'`

/** Claims the purge that has been due longest. @returns its credential */
const claim = async ({ prisma }: Database): Promise<string | undefined> => {
  const [row] = await prisma.$queryRaw<{ credentialId: string }[]>(sql`
    UPDATE purges SET due_at = clock_timestamp() + ${CLAIM}
    WHERE credential_id = (SELECT credential_id FROM purges WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING credential_id::text AS "credentialId"`)
  return row?.credentialId
}

const finishPurge = async ({ prisma }: Database, credentialId: string): Promise<void> => {
  const isPurge = sql`credential_id = ${credentialId}::uuid`
  const ended = await prisma.$executeRaw(
    sql`DELETE FROM purges WHERE ${isPurge} AND deleted_at < clock_timestamp() - ${SETTLED}`,
  )
  if (ended === 0)
    await prisma.$executeRaw(
      sql`UPDATE purges SET due_at = clock_timestamp() + ${SETTLED} WHERE ${isPurge}`,
    )
}

/**
 * Deletes all rows of the next deleted credential that is due.
 * @returns false if no purge was due
 */
export const purgeNext = async (
  database: Database,
  catalogue: Catalogue,
  signal: AbortSignal,
): Promise<boolean> => {
  const credentialId = await claim(database)
  if (credentialId === undefined) return false
  const tables = [
    sql`sync_sightings`,
    sql`record_totals`,
    sql`change_totals`,
    sql`inbound_events`,
    ...catalogue.resources.map((resource) => recordSql(resource).table),
  ]
  for (const table of tables)
    for (let deleted = BATCH; deleted === BATCH; ) {
      signal.throwIfAborted()
      deleted = await database.prisma.$executeRaw(sql`
        WITH batch AS (
          SELECT ctid FROM ${table} WHERE credential_id = ${credentialId}::uuid LIMIT ${BATCH}
          FOR UPDATE SKIP LOCKED
        ), held AS (
          UPDATE purges SET due_at = clock_timestamp() + ${CLAIM}
          WHERE credential_id = ${credentialId}::uuid
        )
        DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM batch))`)
    }
  await finishPurge(database, credentialId)
  return true
}
