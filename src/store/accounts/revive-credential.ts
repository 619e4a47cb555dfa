/** Reconnects an app: a credential gets new values and tokens, and keeps its id and records. */
import { Prisma } from '@prisma/client'
import { methodOf } from '../../definition/authenticate.ts'
import type { Connector, CredentialValues } from '../../definition/connector.ts'
import type { TokenSet } from '../../definition/token-set.ts'
import type { Database } from '../database/database.ts'
import { checkSubscriptionNow } from '../inbound/subscriptions.ts'
import type { Vault } from '../secrets/vault.ts'
import { relistCredential, restartSyncs } from '../sync/sync-control.ts'
import { deleteTokens, putTokens } from './credential-tokens.ts'
import { openValues, sealValues } from './credential-values.ts'
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

/** The credential before it is reconnected. */
interface EarlierRow {
  readonly label: string | null
  readonly sealedValues: Uint8Array | null
  readonly values: unknown
}

/**
 * Whether the new values belong to another account of the app. Values that are no secrets, such as the address of a
 * shop, say which account it is. Where an app has only secrets, the account's own name does; otherwise another name may
 * be that of a renamed account.
 */
const compareAccounts = (
  { connector, method, values, label }: RevivedCredential,
  earlier: CredentialValues,
  earlierLabel: string | null,
): 'same' | 'renamed' | 'another' => {
  const isRenamed = label !== undefined && earlierLabel !== null && label !== earlierLabel
  const fields = Object.entries(methodOf(connector.auth, method)?.fields ?? {})
  const names = fields.flatMap(([name, { secret }]) => (secret ? [] : [name]))
  if (names.some((name) => values[name] !== earlier[name])) return 'another'
  if (!isRenamed) return 'same'
  return names.length > 0 ? 'renamed' : 'another'
}

/**
 * Stores new values and tokens of a credential, ends its failures and makes its syncs due immediately. If the
 * account may be another one, all records are listed again, because the changes since the last run are those of
 * the earlier account; if it is another one, the records that it does not have are deleted then. It writes no
 * event: the next run of each failed sync reports its recovery.
 * @returns false if the credential was deleted
 */
export const reviveCredential = (
  database: Database,
  vault: Vault,
  revived: RevivedCredential,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const { id, environmentId, connector, method, values, tokens, label, checkFailure } = revived
    const place = { credentialId: id, environmentId }
    const [earlier] = await transaction.prisma.$queryRaw<EarlierRow[]>(sql`
      SELECT label, sealed_values AS "sealedValues", values FROM credentials
      WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid AND app = ${connector.app}
      FOR UPDATE`)
    if (!earlier) return false
    await transaction.prisma.$executeRaw(sql`
      UPDATE credentials SET method = ${method}, values = NULL,
        sealed_values = ${sealValues(vault, { id, environmentId }, values)},
        label = coalesce(${label ?? null}, label), check_failure = ${checkFailure ?? null},
        context_due_at = NULL, updated_at = clock_timestamp()
      WHERE id = ${id}::uuid`)
    if (hasTokens(connector, method)) await putTokens(transaction, vault, place, tokens)
    else await deleteTokens(transaction, place)
    await restartSyncs(transaction, id)
    const earlierValues = openValues(vault, { id, environmentId, ...earlier })
    const account = compareAccounts(revived, earlierValues, earlier.label)
    if (account !== 'same')
      await relistCredential(transaction, id, { accountChanged: account === 'another' })
    await checkSubscriptionNow(transaction, id)
    return true
  })
