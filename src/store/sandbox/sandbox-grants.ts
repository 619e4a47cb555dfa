/**
 * Storage of the sandbox's authorization server: what users of the sandbox have allowed, in the table of its
 * records. Only hashes of codes and tokens are stored.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'

const { sql } = Prisma

// Names of tenants never start with an underscore.
const isGrant = sql`tenant = '_oauth' AND kind = 'grant'`
/** How long a grant waits for its code to be used, at least. */
const UNUSED = sql`interval '1 hour'`

/** A permission of a user of the sandbox. Times are milliseconds since 1970. */
export interface SandboxGrant {
  /** The companies that its tokens open. */
  readonly tenants: readonly string[]
  /** The authorization code. */
  readonly code: {
    readonly hash: string
    readonly redirectUri: string
    /** S256. */
    readonly challenge: string
    readonly expiresAtMs: number
  }
  /** The hash of the current refresh token; null until the code is used. */
  readonly refreshHash: string | null
  /** The access tokens that have not expired. */
  readonly accessTokens: readonly { readonly hash: string; readonly expiresAtMs: number }[]
}

/** Stores a grant, and deletes those whose code was not used within an hour. */
export const createSandboxGrant = async (
  { prisma }: Database,
  id: string,
  grant: SandboxGrant,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    DELETE FROM sandbox_records WHERE ${isGrant} AND body->>'refreshHash' IS NULL
      AND created_at < clock_timestamp() - ${UNUSED}`)
  await prisma.$executeRaw(sql`
    INSERT INTO sandbox_records (tenant, kind, id, created_at, updated_at, body)
    VALUES ('_oauth', 'grant', ${id}, clock_timestamp(), clock_timestamp(),
      ${JSON.stringify(grant)}::jsonb)`)
}

/** Reads a grant; undefined if it does not exist or was revoked. One statement. */
export const getSandboxGrant = async (
  { prisma }: Database,
  id: string,
): Promise<SandboxGrant | undefined> => {
  const [row] = await prisma.$queryRaw<{ body: SandboxGrant }[]>(
    sql`SELECT body FROM sandbox_records WHERE ${isGrant} AND id = ${id}`,
  )
  return row?.body
}

/**
 * Locks a grant and replaces it with the result of `change`; `revoked` deletes it.
 * @returns the result; undefined if there is no such grant
 */
export const changeSandboxGrant = (
  database: Database,
  id: string,
  change: (grant: SandboxGrant) => SandboxGrant | 'revoked',
): Promise<SandboxGrant | 'revoked' | undefined> =>
  database.transaction(async ({ prisma }) => {
    const [row] = await prisma.$queryRaw<{ body: SandboxGrant }[]>(
      sql`SELECT body FROM sandbox_records WHERE ${isGrant} AND id = ${id} FOR UPDATE`,
    )
    if (row === undefined) return
    const changed = change(row.body)
    await prisma.$executeRaw(
      changed === 'revoked'
        ? sql`DELETE FROM sandbox_records WHERE ${isGrant} AND id = ${id}`
        : sql`UPDATE sandbox_records SET body = ${JSON.stringify(changed)}::jsonb,
            updated_at = clock_timestamp() WHERE ${isGrant} AND id = ${id}`,
    )
    return changed
  })
