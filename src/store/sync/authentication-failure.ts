/** The event of an app that no longer accepts a credential. */
import type { Json } from '../../definition/connector.ts'
import { appendEvent } from '../changes/events.ts'
import { lockName } from '../database/advisory-lock.ts'
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
  await lockName(transaction, `${owner.credentialId}/authentication`)
  const reported = await transaction.prisma.syncState.findFirst({
    where: { credentialId: owner.credentialId, failureCode: 'APP_AUTHENTICATION' },
    select: { topic: true },
  })
  if (!reported) await appendEvent(transaction, owner, 'connection/authentication_failure', facts)
}
