/** Events of connections, syncs and webhooks in the change log. */
import { Prisma } from '@prisma/client'
import type { EventTopic } from '../../definition/change.ts'
import type { Json } from '../../definition/connector.ts'
import { activeSpan } from '../../tracing.ts'
import type { Transaction } from '../database/database.ts'
import { CHANGES_CHANNEL } from './change-signal.ts'

const { sql, raw } = Prisma

/** A sequence number in the change log that is reserved for a later row. */
export type LogPosition = bigint

/**
 * Reserves a sequence number before the changes that follow. A start event precedes its changes in the log,
 * but whether to write it is known only after them.
 */
export const reserveLogPosition = async (transaction: Transaction): Promise<LogPosition> => {
  const [row] = await transaction.prisma.$queryRaw<{ position: bigint }[]>`
    SELECT nextval(pg_get_serial_sequence('change_log.changes', 'sequence')) AS position`
  if (!row) throw new Error('The sequence of the change log returned no value.')
  return row.position
}

/** The owner of an event: a credential, or the environment itself. */
export interface EventOwner {
  readonly environmentId: string
  readonly credentialId: string | null
}

/** Appends an event: at the reserved position, or after everything that the transaction has written. */
export const appendEvent = async (
  transaction: Transaction,
  { credentialId, environmentId }: EventOwner,
  topic: EventTopic,
  facts: Readonly<Record<string, Json>>,
  position?: LogPosition,
): Promise<void> => {
  const isReserved = position !== undefined
  await transaction.prisma.$executeRaw(sql`
    WITH logged AS (
      INSERT INTO change_log.changes
        (${raw(isReserved ? 'sequence, ' : '')}environment_id, credential_id, topic, kind, record, traceparent)
      ${raw(isReserved ? 'OVERRIDING SYSTEM VALUE' : '')}
      VALUES (${isReserved ? sql`${position}, ` : Prisma.empty}${environmentId}::uuid, ${credentialId}::uuid,
        ${topic}, 'created', ${JSON.stringify({ ...(credentialId !== null && { credentialId }), ...facts })}::json,
        ${activeSpan()?.traceparent ?? null}))
    SELECT pg_notify(${CHANGES_CHANNEL}, '')`)
}
