/** The context of an account, stored with its credential. */
import { isDeepStrictEqual } from 'node:util'
import { Prisma } from '@prisma/client'
import type { Connector, Json } from '../../definition/connector.ts'
import type { Database } from '../database/database.ts'
import { msFromNow } from '../database/time-sql.ts'
import { relistCredential } from '../sync/sync-control.ts'

const { sql } = Prisma

const DAY_MS = 24 * 3_600_000

/** A context as it was last read. */
export interface StoredContext {
  /** The version of the definition that read it. */
  readonly version: number
  readonly value: Json
  /** Whether it should be read again. */
  readonly isDue: boolean
}

/** The columns of a context; null if it was never read. */
export interface ContextRow {
  readonly context: string | null
  readonly contextVersion: number | null
  readonly isContextDue: boolean | null
}

/** The columns of a `ContextRow` of the credential `c`. */
export const CONTEXT_COLUMNS = sql`c.context, c.context_version AS "contextVersion",
  c.context_due_at <= clock_timestamp() AS "isContextDue"`

/** The context of a row; undefined: it was never read. */
export const storedContext = ({
  context,
  contextVersion: version,
  isContextDue,
}: ContextRow): StoredContext | undefined =>
  context === null || version === null
    ? undefined
    : // Safe: `saveContext` wrote JSON.
      { version, value: JSON.parse(context) as Json, isDue: isContextDue !== false }

/** A credential with its context. */
interface WithContext {
  readonly context?: StoredContext
}

/** The context that a connector uses; undefined if it declares none, or none of its version is stored. */
export const contextOf = (
  { context: declared }: Pick<Connector, 'context'>,
  { context: stored }: WithContext,
): Json | undefined =>
  declared !== undefined && stored?.version === declared.version ? stored.value : undefined

/** The claim of a run that is about to read a context. */
export interface ContextClaim {
  /** The version of the stored context; undefined: it was never read. */
  readonly storedVersion: number | undefined
  /** Whether the connector cannot use the stored one. */
  readonly isMissing: boolean
  /** For how long no other run reads it. */
  readonly claimMs: number
}

/**
 * Records that the caller reads the context of a credential.
 * @returns false if it is not due, or if another run reads it or has read it
 */
export const claimContextRead = async (
  { prisma }: Database,
  credentialId: string,
  { storedVersion, isMissing, claimMs }: ContextClaim,
): Promise<boolean> => {
  const until = msFromNow(claimMs)
  const claimed = await prisma.$executeRaw(sql`
    UPDATE credentials SET context_due_at = ${until}
    WHERE id = ${credentialId}::uuid
      AND context_version IS NOT DISTINCT FROM ${storedVersion ?? null}::integer
      AND (context_due_at IS NULL OR context_due_at <= clock_timestamp()
        -- Later than any claim: the next daily read of a context that this version cannot use.
        OR ${isMissing} AND context_due_at > ${until})`)
  return claimed > 0
}

/** Makes the context of a credential due again, after it could not be read. */
export const releaseContextRead = async (
  { prisma }: Database,
  credentialId: string,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE credentials SET context_due_at = NULL WHERE id = ${credentialId}::uuid`)
}

/** A context that was read. */
export interface NewContext {
  readonly version: number
  readonly value: Json
}

/**
 * Stores a context that was read. If it differs from the previous one, every resource that has listed records is listed
 * in full, in the same transaction. A context of an earlier version than the stored one is ignored: a process of a later
 * version has read that.
 * @param previous the context that was stored before
 * @returns whether resources are listed again
 */
export const saveContext = (
  database: Database,
  credentialId: string,
  { version, value }: NewContext,
  previous: StoredContext | undefined,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    // First the credential, then the sync states: a reconnection locks them in this order.
    const updated = await transaction.prisma.$executeRaw(sql`
      UPDATE credentials SET context = ${JSON.stringify(value)}, context_version = ${version},
        context_read_at = clock_timestamp(), context_due_at = ${msFromNow(DAY_MS)}
      WHERE id = ${credentialId}::uuid AND coalesce(context_version, 0) <= ${version}`)
    const isSame = previous?.version === version && isDeepStrictEqual(previous.value, value)
    return updated > 0 && !isSame && relistCredential(transaction, credentialId)
  })
