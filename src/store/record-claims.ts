/**
 * Claims on records that are being written. Who holds the row writes the record; who finds it past its time
 * takes it over, for its process is gone. No transaction is open meanwhile. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database } from './database.ts'
import { inMs } from './time-sql.ts'

const { sql } = Prisma

/** What is claimed. */
export interface ClaimedRecord {
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
}

export interface RecordClaim extends ClaimedRecord {
  /** Drawn for each write. */
  readonly holder: string
  /** Unless it is renewed. */
  readonly durationMs: number
}

const isHeld = ({ credentialId, topic, recordId, holder }: RecordClaim): Prisma.Sql =>
  sql`credential_id = ${credentialId}::uuid AND topic = ${topic}
    AND record_id = ${recordId}::uuid AND holder = ${holder}::uuid`

/** Takes a claim. @returns false while another holds the record */
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

/** Keeps a claim for a write that takes its time. */
export const renewRecordClaim = async ({ prisma }: Database, claim: RecordClaim): Promise<void> => {
  await prisma.$executeRaw(
    sql`UPDATE record_claims SET held_until = ${inMs(claim.durationMs)} WHERE ${isHeld(claim)}`,
  )
}

/** Gives a claim up. */
export const releaseRecord = async ({ prisma }: Database, claim: RecordClaim): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims WHERE ${isHeld(claim)}`)
}

/** Deletes the claims of processes that are gone. */
export const purgeRecordClaims = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`DELETE FROM record_claims WHERE held_until <= clock_timestamp()`)
}
