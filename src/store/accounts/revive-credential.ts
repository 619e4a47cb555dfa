/** Reconnects an app: a credential gets new values and tokens, and keeps its id and records. */
import { Prisma } from '@prisma/client'
import type { Connector, CredentialValues } from '../../definition/connector.ts'
import type { TokenSet } from '../../definition/token-set.ts'
import type { Database } from '../database/database.ts'
import { checkSubscriptionNow } from '../inbound/subscriptions.ts'
import type { Vault } from '../secrets/vault.ts'
import { restartSyncs } from '../sync/sync-control.ts'
import { deleteTokens, putTokens } from './credential-tokens.ts'
import { sealValues } from './credential-values.ts'
import { hasTokens } from './credentials.ts'

const { sql } = Prisma

/** The result of connecting the app of an existing credential again. */
export interface RevivedCredential {
  readonly id: string
  readonly environmentId: string
  readonly connector: Connector
  readonly method: string
  readonly values: CredentialValues
  readonly tokens?: TokenSet | undefined
  /** The account's own name in the app; undefined: it stays as it is. */
  readonly label?: string | undefined
  /** Why the app did not respond to the check; undefined: it did. */
  readonly checkFailure?: string | undefined
}

/**
 * Stores new values and tokens of a credential, ends its failures and makes its syncs due immediately. It writes no
 * event: the next run of each failed sync reports its recovery.
 * @returns false if the credential was deleted
 */
export const reviveCredential = (
  database: Database,
  vault: Vault,
  { id, environmentId, connector, method, values, tokens, label, checkFailure }: RevivedCredential,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const place = { credentialId: id, environmentId }
    const updated = await transaction.prisma.$executeRaw(sql`
      UPDATE credentials SET method = ${method}, values = NULL,
        sealed_values = ${sealValues(vault, { id, environmentId }, values)},
        label = coalesce(${label ?? null}, label), check_failure = ${checkFailure ?? null},
        context_due_at = NULL, updated_at = clock_timestamp()
      WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid AND app = ${connector.app}`)
    if (updated === 0) return false
    if (hasTokens(connector, method)) await putTokens(transaction, vault, place, tokens)
    else await deleteTokens(transaction, place)
    await restartSyncs(transaction, id)
    await checkSubscriptionNow(transaction, id)
    return true
  })
