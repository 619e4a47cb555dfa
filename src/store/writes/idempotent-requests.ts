/**
 * Requests with an `Idempotency-Key`. A request claims its row before it does its work and stores its response
 * there afterwards. The claim is renewed while the work runs. An expired claim means that the process died;
 * the next attempt takes it over. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { inOneTransaction } from '../database/one-transaction.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

/** How long the stored response is returned. */
const KEPT_HOURS = 24
const CLAIM_SECONDS = 30

export interface RequestKey {
  readonly environmentId: string
  readonly key: string
}

export interface StoredResponse {
  readonly status: number
  readonly body: string
}

/** A claim, valid until another attempt takes it over. */
export interface HeldClaim {
  readonly id: string
  readonly tries: number
}

export type RequestClaim =
  /** `interruptedSince`: start of an interrupted earlier attempt, whose outcome is unknown. */
  | ({ readonly state: 'claimed'; readonly interruptedSince: Date | undefined } & HeldClaim)
  | { readonly state: 'answered'; readonly answer: StoredResponse }
  | { readonly state: 'in-flight' }
  /** The key was used for a different request. */
  | { readonly state: 'other' }

const claimEnd = sql`clock_timestamp() + ${CLAIM_SECONDS} * interval '1 second'`
const isRow = ({ environmentId, key }: RequestKey): Prisma.Sql =>
  sql`environment_id = ${environmentId}::uuid AND key = ${key}`

const isHeld = (request: RequestKey, { id, tries }: HeldClaim): Prisma.Sql =>
  sql`${isRow(request)} AND id = ${id}::uuid AND tries = ${tries} AND status IS NULL`

interface ClaimedRow extends HeldClaim {
  readonly startedAt: Date
}

interface ExistingRow {
  readonly id: string
  readonly fingerprint: string
  readonly status: number | null
  readonly sealedBody: Uint8Array | null
}

export interface IdempotentRequests {
  /** Claims a request. One statement for a new key, two for an existing one. */
  claim(request: RequestKey, fingerprint: string): Promise<RequestClaim>
  /** Extends the claim while the work runs. */
  renew(request: RequestKey, claim: HeldClaim): Promise<void>
  /** Stores the response, which is returned when the request is sent again. */
  keep(request: RequestKey, claim: HeldClaim, answer: StoredResponse): Promise<void>
  /**
   * Runs work that only uses the database and stores its response in the same transaction, so that no crash
   * separates the two. @throws TakenOverError, after a rollback, if another attempt has taken over the claim
   */
  complete(
    request: RequestKey,
    claim: HeldClaim,
    work: (bound: Database) => Promise<StoredResponse>,
  ): Promise<StoredResponse>
  /** Releases the claim. `forget`: no work was done, so the next attempt counts as the first. */
  release(request: RequestKey, claim: HeldClaim, forget: boolean): Promise<void>
}

/** The claim expired, and another attempt has taken it over. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError'
  readonly code = 'TAKEN_OVER'
}

/** Creates the store of idempotent requests. Responses are encrypted, because they may contain one-time secrets. */
export const createIdempotentRequests = (database: Database, vault: Vault): IdempotentRequests => {
  const { prisma } = database

  /** Stores a response. @returns whether the claim was still valid */
  const write = async (
    { prisma }: Pick<Database, 'prisma'>,
    request: RequestKey,
    claim: HeldClaim,
    { status, body }: StoredResponse,
  ): Promise<boolean> => {
    const { environmentId } = request
    const sealed = vault.seal({ kind: 'answer', environmentId, id: claim.id }, body)
    const count = await prisma.$executeRaw(sql`
      UPDATE idempotent_requests SET held_until = NULL, status = ${status}, sealed_body = ${sealed}
      WHERE ${isHeld(request, claim)}`)
    return count > 0
  }

  return {
    claim: async (request, fingerprint) => {
      const { environmentId, key } = request
      // An expired row is treated as missing and is reset in place.
      const isPast = sql`r.expires_at <= clock_timestamp()`
      const [claimed] = await prisma.$queryRaw<ClaimedRow[]>(sql`
      INSERT INTO idempotent_requests AS r
        (id, environment_id, key, fingerprint, started_at, held_until, expires_at)
      VALUES (gen_random_uuid(), ${environmentId}::uuid, ${key}, ${fingerprint}, clock_timestamp(),
        ${claimEnd}, clock_timestamp() + ${KEPT_HOURS} * interval '1 hour')
      ON CONFLICT (environment_id, key) DO UPDATE SET
        fingerprint = excluded.fingerprint, held_until = excluded.held_until,
        status = NULL, sealed_body = NULL,
        started_at = CASE WHEN ${isPast} THEN excluded.started_at ELSE r.started_at END,
        expires_at = CASE WHEN ${isPast} THEN excluded.expires_at ELSE r.expires_at END,
        tries = CASE WHEN ${isPast} THEN 1 ELSE r.tries + 1 END
      WHERE ${isPast} OR (r.fingerprint = excluded.fingerprint AND r.status IS NULL
        AND (r.held_until IS NULL OR r.held_until <= clock_timestamp()))
      RETURNING id::text, tries, started_at AS "startedAt"`)
      if (claimed) {
        const interruptedSince = claimed.tries === 1 ? undefined : claimed.startedAt
        const { id, tries } = claimed
        return { state: 'claimed', id, tries, interruptedSince }
      }
      const [existing] = await prisma.$queryRaw<ExistingRow[]>(sql`
      SELECT id::text, fingerprint, status, sealed_body AS "sealedBody"
      FROM idempotent_requests WHERE ${isRow(request)}`)
      if (existing && existing.fingerprint !== fingerprint) return { state: 'other' }
      if (existing?.status == null || existing.sealedBody === null) return { state: 'in-flight' }
      const body = vault.open(
        { kind: 'answer', environmentId, id: existing.id },
        existing.sealedBody,
      )
      return { state: 'answered', answer: { status: existing.status, body } }
    },

    renew: async (request, claim) => {
      await prisma.$executeRaw(sql`
      UPDATE idempotent_requests SET held_until = ${claimEnd}
      WHERE ${isHeld(request, claim)} AND held_until IS NOT NULL`)
    },

    keep: async (request, claim, answer) => {
      await write(database, request, claim, answer)
    },

    complete: (request, claim, work) =>
      inOneTransaction(database, async (bound) => {
        const answer = await work(bound)
        if (!(await write(bound, request, claim, answer))) throw new TakenOverError()
        return answer
      }),

    release: async (request, claim, forget) => {
      await prisma.$executeRaw(
        forget
          ? sql`DELETE FROM idempotent_requests WHERE ${isHeld(request, claim)}`
          : sql`UPDATE idempotent_requests SET held_until = NULL WHERE ${isHeld(request, claim)}`,
      )
    },
  }
}

/** Deletes expired requests in batches. @returns how many */
export const purgeIdempotentRequests = async ({ prisma }: Database): Promise<number> =>
  prisma.$executeRaw(sql`
    DELETE FROM idempotent_requests WHERE (environment_id, key) IN (
      SELECT environment_id, key FROM idempotent_requests
      WHERE expires_at <= clock_timestamp() LIMIT 10000)`)
