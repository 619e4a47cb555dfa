/** The event of an app that no longer accepts a credential. */
import type { Json } from '../../definition/connector.ts'
import { appendEvent } from '../changes/events.ts'
import type { Transaction } from '../database/database.ts'
import type { RecordOwner } from '../records/apply-changes.ts'

/**
 * Logs that the app no longer accepts a credential: once, even if several of its resources fail. Call it before
 * the failure is stored in the resource's sync state.
 */
export const reportAuthenticationFailure = async (
  transaction: Transaction,
  owner: RecordOwner,
  facts: Readonly<Record<string, Json>>,
): Promise<void> => {
  const lock = `${owner.credentialId}/authentication`
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
  const reported = await transaction.syncState.findFirst({
    where: { credentialId: owner.credentialId, failureCode: 'APP_AUTHENTICATION' },
    select: { topic: true },
  })
  if (!reported) await appendEvent(transaction, owner, 'connection/authentication_failure', facts)
}
