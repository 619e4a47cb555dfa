/**
 * The tokens of credentials whose app issues them. A process renews them under the lease of their row, so that
 * there is one renewal per expiry. Each renewal raises the version.
 */
import { Prisma } from '@prisma/client'
import type { StoredTokens, TokenSet } from '../../definition/token-set.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import {
  acquired,
  isFree,
  isHeldBy,
  isRow,
  type Lease,
  type LeaseTable,
  RELEASED,
} from '../database/lease-sql.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

/** The credential that tokens belong to. */
export interface TokenPlace {
  readonly credentialId: string
  readonly environmentId: string
}

/** The columns of a row, as `TOKEN_COLUMNS` selects them. */
export interface TokenRow {
  readonly version: number
  readonly sealedTokens: Uint8Array | null
  readonly storedAt: Date
  readonly tokenFailure: string | null
}

/** The columns of the row `t`, for `openTokens`. */
export const TOKEN_COLUMNS = sql`t.version, t.sealed_tokens AS "sealedTokens", t.stored_at AS "storedAt",
  t.failure AS "tokenFailure"`

interface TokenKey {
  readonly credentialId: string
}

/** The tokens as leased rows. */
const CREDENTIAL_TOKENS: LeaseTable<TokenKey> = {
  name: 'credential_tokens',
  key: { credentialId: ['credential_id', 'uuid'] },
  isScheduled: false,
}

/** The right to renew the tokens of a credential. */
export type RenewalLease = Lease<TokenKey>

const contextOf = ({ credentialId, environmentId }: TokenPlace) =>
  ({ kind: 'tokens', environmentId, id: credentialId }) as const

const seal = (vault: Vault, place: TokenPlace, tokens: TokenSet): Uint8Array<ArrayBuffer> =>
  vault.seal(contextOf(place), JSON.stringify(tokens))

/** Decrypts the tokens of a row. @throws VaultError */
export const openTokens = (
  vault: Vault,
  place: TokenPlace,
  { version, sealedTokens, storedAt, tokenFailure }: TokenRow,
): StoredTokens => ({
  version,
  storedMs: storedAt.getTime(),
  failure: tokenFailure ?? undefined,
  tokens:
    sealedTokens === null
      ? undefined
      : // JSON that `seal` wrote.
        (JSON.parse(vault.open(contextOf(place), sealedTokens)) as TokenSet),
})

/**
 * Stores the tokens of a new or reconnected credential, in place of earlier ones. Without tokens, the first
 * request obtains them.
 */
export const putTokens = async (
  { prisma }: Transaction,
  vault: Vault,
  place: TokenPlace,
  tokens: TokenSet | undefined,
): Promise<void> => {
  const sealed = tokens ? seal(vault, place, tokens) : null
  await prisma.$executeRaw(sql`
    INSERT INTO credential_tokens AS t (credential_id, environment_id, sealed_tokens, expires_at)
    VALUES (${place.credentialId}::uuid, ${place.environmentId}::uuid, ${sealed},
      ${tokens?.expiresAt ?? null}::timestamptz)
    ON CONFLICT (credential_id) DO UPDATE SET sealed_tokens = excluded.sealed_tokens,
      expires_at = excluded.expires_at, version = t.version + 1, stored_at = clock_timestamp(),
      failure = NULL, ${RELEASED}`)
}

/** Deletes the tokens of a credential, if it has any. */
export const deleteTokens = async (
  { prisma }: Transaction,
  { credentialId }: TokenPlace,
): Promise<void> => {
  await prisma.$executeRaw(
    sql`DELETE FROM credential_tokens WHERE credential_id = ${credentialId}::uuid`,
  )
}

/** Reads the tokens of a credential; undefined if it has none or was deleted. @throws VaultError */
export const readTokens = async (
  { prisma }: Queryable,
  vault: Vault,
  place: TokenPlace,
): Promise<StoredTokens | undefined> => {
  const [row] = await prisma.$queryRaw<TokenRow[]>(sql`
    SELECT ${TOKEN_COLUMNS} FROM credential_tokens t
    WHERE ${isRow(CREDENTIAL_TOKENS, place)}`)
  return row && openTokens(vault, place, row)
}

/**
 * Acquires the right to renew tokens of a version.
 * @returns false if another process holds it, the version is no longer the current one, or the app issues no more
 */
export const acquireRenewal = async (
  { prisma }: Database,
  { key, holder, durationMs }: RenewalLease,
  version: number,
): Promise<boolean> => {
  const count = await prisma.$executeRaw(sql`
    UPDATE credential_tokens t SET ${acquired(CREDENTIAL_TOKENS, sql`${holder}::uuid`, durationMs)}
    WHERE ${isRow(CREDENTIAL_TOKENS, key)} AND version = ${version} AND failure IS NULL
      AND ${isFree('t')}`)
  return count > 0
}

/** Stores renewed tokens and releases the lease. @returns false if another process has taken over */
export const saveRenewal = async (
  { prisma }: Database,
  vault: Vault,
  lease: RenewalLease,
  { environmentId, tokens }: { readonly environmentId: string; readonly tokens: TokenSet },
): Promise<boolean> => {
  const place = { credentialId: lease.key.credentialId, environmentId }
  const count = await prisma.$executeRaw(sql`
    UPDATE credential_tokens SET sealed_tokens = ${seal(vault, place, tokens)},
      expires_at = ${tokens.expiresAt ?? null}::timestamptz, version = version + 1,
      stored_at = clock_timestamp(), ${RELEASED}
    WHERE ${isHeldBy(CREDENTIAL_TOKENS, lease)}`)
  return count > 0
}

/** Releases the lease without a renewal: the next request tries again. */
export const releaseRenewal = async ({ prisma }: Database, lease: RenewalLease): Promise<void> => {
  await prisma.$executeRaw(
    sql`UPDATE credential_tokens SET ${RELEASED} WHERE ${isHeldBy(CREDENTIAL_TOKENS, lease)}`,
  )
}

/** Stores that the app issues no more tokens, and why, as a new version. @returns false if another process has taken over */
export const failRenewal = async (
  { prisma }: Transaction,
  lease: RenewalLease,
  failure: string,
): Promise<boolean> => {
  const count = await prisma.$executeRaw(sql`
    UPDATE credential_tokens SET failure = ${failure}, version = version + 1, ${RELEASED}
    WHERE ${isHeldBy(CREDENTIAL_TOKENS, lease)}`)
  return count > 0
}
