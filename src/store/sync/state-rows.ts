/** Adds, lists and deletes the rows of sync states. */
import { Prisma } from '@prisma/client'
import type { Database, Transaction } from '../database/database.ts'

const { sql } = Prisma

/** Adds the states of resources and feeds that a connector gained after its credentials were created; paused if all others are. */
export const addMissingStates = async (
  { prisma }: Database,
  resources: readonly { readonly app: string; readonly topic: string }[],
): Promise<number> =>
  prisma.$executeRaw(sql`
    INSERT INTO sync_states (credential_id, topic, due_at, paused_at)
    SELECT c.id, r.topic,
      CASE WHEN (SELECT bool_and(s.due_at = 'infinity') FROM sync_states s WHERE s.credential_id = c.id)
        THEN 'infinity' ELSE clock_timestamp() END,
      (SELECT max(s.paused_at) FROM sync_states s WHERE s.credential_id = c.id)
    FROM credentials c
    JOIN unnest(${resources.map(({ app }) => app)}::text[], ${resources.map(({ topic }) => topic)}::text[])
      AS r(app, topic) ON r.app = c.app
    -- The subqueries above read the other states of the credential only for missing ones.
    WHERE NOT EXISTS (SELECT FROM sync_states s WHERE s.credential_id = c.id AND s.topic = r.topic)
    ON CONFLICT DO NOTHING`)

/** Lists the topics of a credential with the end of their last run. */
export const listStates = (
  { prisma }: Database,
  credentialId: string,
): Promise<{ topic: string; completedAt: Date | null }[]> =>
  prisma.syncState.findMany({
    where: { credentialId },
    select: { topic: true, completedAt: true },
    orderBy: { topic: 'asc' },
  })

/** Deletes the states of credentials that will be deleted. */
export const deleteStates = async (
  transaction: Transaction,
  credentialIds: readonly string[],
): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    WITH held AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM sync_states s
      WHERE s.credential_id = ANY (${credentialIds}::uuid[])
      -- The lock order of renewals: prevents deadlocks.
      ORDER BY s.credential_id, s.topic FOR UPDATE OF s
    )
    DELETE FROM sync_states s USING held h
    WHERE s.credential_id = h.credential_id AND s.topic = h.topic`)
}
