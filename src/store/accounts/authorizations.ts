/**
 * Authorizations of apps by OAuth: a ticket opens one in a browser, a state returns to it once, and a choice among
 * the accounts may follow. Each step is taken once, by one statement, whatever the number of processes.
 */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { AppAccount, CredentialValues } from '../../definition/auth.ts'
import { isUuid } from '../../definition/identity.ts'
import type { TokenSet } from '../../definition/token-set.ts'
import type { Database, Queryable } from '../database/database.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

const LIFETIME_MS = 10 * 60_000
/** How long before the expiry of an access token the choice of an account ends. */
const TOKEN_MARGIN = sql`interval '2 minutes'`
/** How long the result of an authorization can be read after its expiry. */
const READABLE = sql`interval '1 hour'`

/** `expired`: it did not end in time. It ends as `connected`, `denied`, `failed` or `expired`. */
export type AuthorizationState =
  | 'pending'
  | 'choosing'
  | 'connected'
  | 'denied'
  | 'failed'
  | 'expired'

/** The encrypted part of an authorization. */
export interface AuthorizationFlow {
  /** The entered values; with `tokens`, also those that came with the code. */
  readonly values: CredentialValues
  /** The code verifier (RFC 7636); absent for apps without PKCE. */
  readonly verifier?: string
  readonly tokens?: TokenSet
  /** The accounts to choose from. */
  readonly accounts?: readonly AppAccount[]
}

/** What an authorization is for. */
export interface AuthorizationPurpose {
  readonly environmentId: string
  readonly userId: string
  readonly app: string
  readonly method: string
  /** The credential to reconnect; null: a new one. */
  readonly credentialId: string | null
}

export interface StoredAuthorization extends AuthorizationPurpose {
  readonly id: string
  readonly state: AuthorizationState
  /** Why it failed; null: it did not. */
  readonly reason: string | null
  /** The credential that it created or reconnected; null before that. */
  readonly resultId: string | null
  readonly expiresAt: Date
  /** Undefined once it has ended. */
  readonly flow: AuthorizationFlow | undefined
}

interface AuthorizationRow extends Omit<StoredAuthorization, 'flow'> {
  readonly sealedFlow: Uint8Array | null
}

const columns = sql`id::text, environment_id::text AS "environmentId", user_id::text AS "userId", app, method,
  credential_id::text AS "credentialId", reason, result_id::text AS "resultId", expires_at AS "expiresAt",
  sealed_flow AS "sealedFlow", CASE WHEN status IN ('pending', 'choosing')
    AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END AS state`

const isOpen = sql`expires_at > clock_timestamp()`

const seal = (
  vault: Vault,
  { id, environmentId }: { readonly id: string; readonly environmentId: string },
  flow: AuthorizationFlow,
): Uint8Array<ArrayBuffer> =>
  vault.seal({ kind: 'authorization', environmentId, id }, JSON.stringify(flow))

const fromRow = (vault: Vault, { sealedFlow, ...row }: AuthorizationRow): StoredAuthorization => {
  const { id, environmentId } = row
  const flow =
    sealedFlow === null
      ? undefined
      : // JSON that `seal` wrote.
        (JSON.parse(
          vault.open({ kind: 'authorization', environmentId, id }, sealedFlow),
        ) as AuthorizationFlow)
  return { ...row, flow }
}

const one = async (
  { prisma }: Queryable,
  vault: Vault,
  statement: Prisma.Sql,
): Promise<StoredAuthorization | undefined> => {
  const [row] = await prisma.$queryRaw<AuthorizationRow[]>(statement)
  return row && fromRow(vault, row)
}

/** Stores an authorization whose ticket has this hash. One statement. */
export const createAuthorization = async (
  database: Database,
  vault: Vault,
  purpose: AuthorizationPurpose & { readonly ticketHash: string },
  flow: AuthorizationFlow,
): Promise<StoredAuthorization> => {
  const id = randomUUID()
  const { environmentId, userId, app, method, credentialId, ticketHash } = purpose
  const sealed = seal(vault, { id, environmentId }, flow)
  const created = await one(
    database,
    vault,
    sql`
    INSERT INTO authorizations (id, environment_id, user_id, app, method, credential_id, ticket_hash,
      sealed_flow, expires_at)
    VALUES (${id}::uuid, ${environmentId}::uuid, ${userId}::uuid, ${app}, ${method},
      ${credentialId}::uuid, ${ticketHash}, ${sealed}, ${msFromNow(LIFETIME_MS)})
    RETURNING ${columns}`,
  )
  if (created === undefined) throw new Error('The authorization was not returned.')
  return created
}

/** The owner of authorizations: an environment, or one of its end users. */
export interface AuthorizationOwner {
  readonly environmentId: string
  readonly userId: string | undefined
}

/** Reads an authorization; undefined if the owner does not have it. One statement. */
export const findAuthorization = async (
  database: Queryable,
  vault: Vault,
  { environmentId, userId }: AuthorizationOwner,
  authorizationId: string,
): Promise<StoredAuthorization | undefined> => {
  const id = authorizationId.toLowerCase()
  if (!isUuid(id)) return
  return one(
    database,
    vault,
    sql`
    SELECT ${columns} FROM authorizations WHERE id = ${id}::uuid
      AND environment_id = ${environmentId}::uuid
      ${userId === undefined ? Prisma.empty : sql`AND user_id = ${userId}::uuid`}`,
  )
}

/**
 * Uses the ticket of an authorization, and binds it to a state and a browser.
 * @returns undefined if the ticket is unknown, used or expired
 */
export const openAuthorization = (
  database: Database,
  vault: Vault,
  {
    ticketHash,
    stateHash,
    cookieHash,
  }: { readonly ticketHash: string; readonly stateHash: string; readonly cookieHash: string },
): Promise<StoredAuthorization | undefined> =>
  one(
    database,
    vault,
    sql`
    UPDATE authorizations SET ticket_hash = NULL, state_hash = ${stateHash}, cookie_hash = ${cookieHash}
    WHERE ticket_hash = ${ticketHash} AND status = 'pending' AND ${isOpen} RETURNING ${columns}`,
  )

/**
 * Uses the state of an authorization.
 * @returns undefined if it is unknown, used or expired, or belongs to another browser
 */
export const returnToAuthorization = (
  database: Database,
  vault: Vault,
  { stateHash, cookieHash }: { readonly stateHash: string; readonly cookieHash: string },
): Promise<StoredAuthorization | undefined> =>
  one(
    database,
    vault,
    sql`
    UPDATE authorizations SET state_hash = NULL, cookie_hash = NULL
    WHERE state_hash = ${stateHash} AND cookie_hash = ${cookieHash} AND status = 'pending' AND ${isOpen}
    RETURNING ${columns}`,
  )

/**
 * Lets the end user choose an account, until shortly before the access token expires: a renewal would end the refresh
 * token, and its successor would be stored nowhere. @returns whether the authorization was still pending
 */
export const offerAccounts = async (
  { prisma }: Queryable,
  vault: Vault,
  authorization: StoredAuthorization,
  flow: AuthorizationFlow,
): Promise<boolean> => {
  const { id } = authorization
  const changed = await prisma.$executeRaw(sql`
    UPDATE authorizations SET status = 'choosing', sealed_flow = ${seal(vault, authorization, flow)},
      expires_at = least(${msFromNow(LIFETIME_MS)},
        ${flow.tokens?.expiresAt ?? null}::timestamptz - ${TOKEN_MARGIN})
    WHERE id = ${id}::uuid AND status = 'pending' AND ${isOpen}`)
  return changed > 0
}

/** The end of an authorization. */
export type AuthorizationEnd =
  | { readonly state: 'connected'; readonly credentialId: string }
  | { readonly state: 'denied' }
  | { readonly state: 'failed'; readonly reason: string }

/** Ends an authorization and deletes its secrets. @returns whether it was still in this state */
export const endAuthorization = async (
  { prisma }: Queryable,
  { id, state }: Pick<StoredAuthorization, 'id' | 'state'>,
  end: AuthorizationEnd,
): Promise<boolean> => {
  const reason = end.state === 'failed' ? end.reason : null
  const resultId = end.state === 'connected' ? end.credentialId : null
  const changed = await prisma.$executeRaw(sql`
    UPDATE authorizations SET status = ${end.state}, reason = ${reason}, result_id = ${resultId}::uuid,
      ticket_hash = NULL, state_hash = NULL, cookie_hash = NULL, sealed_flow = NULL
    WHERE id = ${id}::uuid AND status = ${state} AND ${isOpen}`)
  return changed > 0
}

/** Deletes authorizations that expired an hour ago, and the secrets of those that have expired. */
export const purgeAuthorizations = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`
    DELETE FROM authorizations WHERE expires_at < clock_timestamp() - ${READABLE}`)
  await prisma.$executeRaw(sql`
    UPDATE authorizations SET ticket_hash = NULL, state_hash = NULL, cookie_hash = NULL, sealed_flow = NULL
    WHERE expires_at < clock_timestamp() AND sealed_flow IS NOT NULL`)
}
