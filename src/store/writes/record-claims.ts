/**
 * Claims on records that are being written: leases of rows that exist only while they are held. No transaction
 * stays open during the write.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { isFree, isHeldBy, type Lease, type LeaseTable, TAKEN_OVER } from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'

const { sql } = Prisma

/** The record of a claim. */
export interface ClaimedRecord {
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
}

/** The claims as leased rows. */
export const RECORD_CLAIMS: LeaseTable<ClaimedRecord> = {
  name: 'record_claims',
  key: {
    credentialId: ['credential_id', 'uuid'],
    topic: ['topic', 'text'],
    recordId: ['record_id', 'uuid'],
  },
  isScheduled: false,
}

/** The right to write a record. */
export type RecordClaim = Lease<ClaimedRecord>

/** Takes a claim. @returns false if another write holds the record */
export const claimRecord = async (
  { prisma }: Database,
  { key, holder, durationMs }: RecordClaim,
): Promise<boolean> => {
  const { credentialId, topic, recordId } = key
  const taken = await prisma.$executeRaw(sql`
    INSERT INTO record_claims AS c (credential_id, topic, record_id, holder, held_until)
    VALUES (${credentialId}::uuid, ${topic}, ${recordId}::uuid, ${holder}::uuid, ${msFromNow(durationMs)})
    ON CONFLICT (credential_id, topic, record_id) DO UPDATE SET ${TAKEN_OVER} WHERE ${isFree('c')}`)
  return taken > 0
}

/** Releases a claim. */
export const releaseRecord = async ({ prisma }: Database, claim: RecordClaim): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims WHERE ${isHeldBy(RECORD_CLAIMS, claim)}`)
}

/** Deletes expired claims. */
export const purgeRecordClaims = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims c WHERE ${isFree('c')}`)
}
