/** Which records a listing of everything has shown: those it has not may have vanished from the app. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../definition/resource.ts'
import type { Database, Transaction } from './database.ts'
import { recordSql } from './record-sql.ts'
import type { SyncKey } from './sync-key.ts'

const { sql } = Prisma

/** Forgets what earlier listings saw. */
export const clearSightings = async (
  transaction: Transaction,
  { credentialId, topic }: SyncKey,
): Promise<void> => {
  await transaction.$executeRaw(sql`
    DELETE FROM sync_sightings WHERE credential_id = ${credentialId}::uuid AND topic = ${topic}`)
}

/** Notes which records a listing of everything has shown. */
export const addSightings = async (
  transaction: Transaction,
  { credentialId, topic }: SyncKey,
  recordIds: readonly string[],
): Promise<void> => {
  await transaction.$executeRaw(sql`
    INSERT INTO sync_sightings (credential_id, topic, record_id)
    SELECT ${credentialId}::uuid, ${topic}, id FROM unnest(${recordIds}::uuid[]) AS r(id)
    ON CONFLICT DO NOTHING`)
}

/** How many records are held as present. */
export const countHeld = async (
  { prisma }: Database,
  { credentialId }: SyncKey,
  resource: Resource,
): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ held: number }[]>(sql`
    SELECT count(*)::integer AS held FROM ${recordSql(resource).table}
    WHERE credential_id = ${credentialId}::uuid AND NOT remote_deleted`)
  return row?.held ?? 0
}

/** How many records are held as present, and how many of those the listing has not shown. */
export const countUnsighted = async (
  { prisma }: Database,
  { credentialId, topic }: SyncKey,
  resource: Resource,
): Promise<{ readonly held: number; readonly unsighted: number }> => {
  const [row] = await prisma.$queryRaw<{ held: number; unsighted: number }[]>(sql`
    SELECT count(*)::integer AS held,
      count(*) FILTER (WHERE s.record_id IS NULL)::integer AS unsighted
    FROM ${recordSql(resource).table} r
    LEFT JOIN sync_sightings s ON s.credential_id = r.credential_id AND s.topic = ${topic}
      AND s.record_id = r.id
    WHERE r.credential_id = ${credentialId}::uuid AND NOT r.remote_deleted`)
  return row ?? { held: 0, unsighted: 0 }
}
