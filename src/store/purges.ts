/**
 * What a deleted credential leaves behind. Its records are out of reach once its row is gone; there may be
 * millions, so they are taken away afterwards, a bounded batch a statement, by any process.
 */
import { Prisma } from '@prisma/client'
import type { Catalogue } from '../definition/catalogue.ts'
import type { Database } from './database.ts'
import { recordSql } from './record-sql.ts'

const { sql } = Prisma

const BATCH = 1000
// A purge that was broken off goes on elsewhere after this time.
const CLAIM = sql`interval '1 minute'`
// A write that was under way when the credential went may still end: then it is looked at once more.
const SETTLED = sql`interval '10 minutes'`

/** Takes the purge that is longest due. @returns the credential */
const claim = async ({ prisma }: Database): Promise<string | undefined> => {
  const [row] = await prisma.$queryRaw<{ credentialId: string }[]>(sql`
    UPDATE purges SET due_at = clock_timestamp() + ${CLAIM}
    WHERE credential_id = (SELECT credential_id FROM purges WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING credential_id::text AS "credentialId"`)
  return row?.credentialId
}

const settle = async ({ prisma }: Database, credentialId: string): Promise<void> => {
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
 * Takes away what one deleted credential has left.
 * @returns false if nothing was due
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
  await settle(database, credentialId)
  return true
}
