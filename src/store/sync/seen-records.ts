/** Records that a full listing has returned. The others may have been deleted in the app. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../../definition/resource.ts'
import type { Database, Transaction } from '../database/database.ts'
import { recordSql } from '../records/record-sql.ts'
import type { SyncKey } from './sync-key.ts'

const { sql, join } = Prisma

/** Deletes the seen records of earlier listings. */
export const clearSeenRecords = async (
  transaction: Transaction,
  { credentialId, topic }: SyncKey,
): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    DELETE FROM sync_sightings WHERE credential_id = ${credentialId}::uuid AND topic = ${topic}`)
}

/** Stores records that the current full listing has returned. */
export const addSeenRecords = async (
  transaction: Transaction,
  { credentialId, topic }: SyncKey,
  recordIds: readonly string[],
): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    INSERT INTO sync_sightings (credential_id, topic, record_id)
    SELECT ${credentialId}::uuid, ${topic}, id FROM unnest(${recordIds}::uuid[]) AS r(id)
    ON CONFLICT DO NOTHING`)
}

/**
 * Counts the stored records that an app has also counted at `countedAt` (`present`), and for each earlier time those
 * that it may have counted then (`possible`). Records are stored after they appear in the app, and marked as deleted
 * after they disappear from it.
 */
export const countStored = async (
  { prisma }: Database,
  { credentialId }: SyncKey,
  resource: Resource,
  { countedAt, before }: { readonly countedAt: string; readonly before: readonly string[] },
): Promise<{ readonly present: number; readonly possible: readonly number[] }> => {
  const possible = before.map(
    (at) => sql`count(*) FILTER (WHERE NOT remote_deleted OR updated_at >= ${at}::timestamptz)`,
  )
  const [row] = await prisma.$queryRaw<{ present: number; possible: number[] }[]>(sql`
    SELECT count(*) FILTER (WHERE NOT remote_deleted AND created_at < ${countedAt}::timestamptz)::integer
        AS present,
      ARRAY[${possible.length > 0 ? join(possible) : Prisma.empty}]::integer[] AS possible
    FROM ${recordSql(resource).table} WHERE credential_id = ${credentialId}::uuid`)
  return row ?? { present: 0, possible: [] }
}

/** Counts the stored records that are not deleted, and those of them that the listing has not returned. */
export const countUnseen = async (
  { prisma }: Database,
  { credentialId, topic }: SyncKey,
  resource: Resource,
): Promise<{ readonly held: number; readonly unseen: number }> => {
  const [row] = await prisma.$queryRaw<{ held: number; unseen: number }[]>(sql`
    SELECT count(*)::integer AS held,
      count(*) FILTER (WHERE s.record_id IS NULL)::integer AS unseen
    FROM ${recordSql(resource).table} r
    LEFT JOIN sync_sightings s ON s.credential_id = r.credential_id AND s.topic = ${topic}
      AND s.record_id = r.id
    WHERE r.credential_id = ${credentialId}::uuid AND NOT r.remote_deleted`)
  return row ?? { held: 0, unseen: 0 }
}
