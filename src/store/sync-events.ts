/** What the change log tells of a synchronisation, beside the records. */
import { Prisma } from '@prisma/client'
import type { EventTopic } from '../definition/change.ts'
import type { Json } from '../definition/connector.ts'
import type { RecordOwner } from './apply-changes.ts'
import { CHANGES_CHANNEL } from './change-feed.ts'
import type { Transaction } from './database.ts'

const { sql, raw } = Prisma

/** A place in the change log that is kept free for a row to come. */
export type LogPlace = bigint

/**
 * Keeps a place before the changes that follow: whether they are worth announcing is known only after
 * them, and what begins must be told first.
 */
export const reserveLogPlace = async (transaction: Transaction): Promise<LogPlace> => {
  const [row] = await transaction.$queryRaw<{ place: bigint }[]>`
    SELECT nextval(pg_get_serial_sequence('change_log.changes', 'sequence')) AS place`
  if (!row) throw new Error('A sequence gave no value.')
  return row.place
}

/** Of what an event tells: of a credential, or of the environment itself. */
export interface EventOwner {
  readonly environmentId: string
  readonly credentialId: string | null
}

/** Writes an event; without a place, after all that the transaction has written. */
export const appendEvent = async (
  transaction: Transaction,
  { credentialId, environmentId }: EventOwner,
  topic: EventTopic,
  facts: Readonly<Record<string, Json>>,
  place?: LogPlace,
): Promise<void> => {
  const kept = place !== undefined
  await transaction.$executeRaw(sql`
    WITH logged AS (
      INSERT INTO change_log.changes
        (${raw(kept ? 'sequence, ' : '')}environment_id, credential_id, topic, kind, record)
      ${raw(kept ? 'OVERRIDING SYSTEM VALUE' : '')}
      VALUES (${kept ? sql`${place}, ` : Prisma.empty}${environmentId}::uuid, ${credentialId}::uuid,
        ${topic}, 'created', ${JSON.stringify({ ...(credentialId !== null && { credentialId }), ...facts })}::json))
    SELECT pg_notify(${CHANGES_CHANNEL}, '')`)
}

/**
 * Tells that the app no longer accepts a credential: once, however many of its resources find out.
 * Called before the failure is noted in the resource's own state.
 */
export const reportAuthenticationFailure = async (
  transaction: Transaction,
  owner: RecordOwner,
  facts: Readonly<Record<string, Json>>,
): Promise<void> => {
  const lock = `${owner.credentialId}/authentication`
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
  const known = await transaction.syncState.findFirst({
    where: { credentialId: owner.credentialId, failureCode: 'APP_AUTHENTICATION' },
    select: { topic: true },
  })
  if (!known) await appendEvent(transaction, owner, 'connection/authentication_failure', facts)
}
