/**
 * Claims on records that are being written. The holder of a claim writes the record; an expired claim, whose
 * process died, can be taken over. No transaction stays open during the write. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { inMs } from '../database/time-sql.ts'

const { sql } = Prisma

/** The record of a claim. */
export interface ClaimedRecord {
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
}

export interface RecordClaim extends ClaimedRecord {
  /** Random id of the write. */
  readonly holder: string
  /** Time until the claim expires, unless it is renewed. */
  readonly durationMs: number
}

const isHeld = ({ credentialId, topic, recordId, holder }: RecordClaim): Prisma.Sql =>
  sql`credential_id = ${credentialId}::uuid AND topic = ${topic}
    AND record_id = ${recordId}::uuid AND holder = ${holder}::uuid`

/** Takes a claim. @returns false if another write holds the record */
export const claimRecord = async ({ prisma }: Database, claim: RecordClaim): Promise<boolean> => {
  const { credentialId, topic, recordId, holder } = claim
  const taken = await prisma.$executeRaw(sql`
    INSERT INTO record_claims AS c (credential_id, topic, record_id, holder, held_until)
    VALUES (${credentialId}::uuid, ${topic}, ${recordId}::uuid, ${holder}::uuid, ${inMs(claim.durationMs)})
    ON CONFLICT (credential_id, topic, record_id) DO UPDATE
      SET holder = excluded.holder, held_until = excluded.held_until
      WHERE c.held_until <= clock_timestamp()`)
  return taken > 0
}

/** Extends a claim while the write runs. */
export const renewRecordClaim = async ({ prisma }: Database, claim: RecordClaim): Promise<void> => {
  await prisma.$executeRaw(
    sql`UPDATE record_claims SET held_until = ${inMs(claim.durationMs)} WHERE ${isHeld(claim)}`,
  )
}

/** Releases a claim. */
export const releaseRecord = async ({ prisma }: Database, claim: RecordClaim): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims WHERE ${isHeld(claim)}`)
}

/** Deletes expired claims. */
export const purgeRecordClaims = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims WHERE held_until <= clock_timestamp()`)
}
