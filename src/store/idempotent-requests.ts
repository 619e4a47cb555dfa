/**
 * Requests that were sent with an Idempotency-Key. A row is claimed before the work and holds the answer
 * after it. While the work is under way the claim is renewed; a claim that ran out was broken off, with
 * its process, and is the next one's to take over. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database } from './database.ts'
import { inOneTransaction } from './one-transaction.ts'
import type { Vault } from './vault.ts'

const { sql } = Prisma

/** For so long the same answer is given. */
const KEPT_HOURS = 24
const CLAIM_SECONDS = 30

export interface RequestKey {
  readonly environmentId: string
  readonly key: string
}

export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/** A claim as long as no other try has taken it over. */
export interface HeldClaim {
  readonly id: string
  readonly tries: number
}

export type Claim =
  /** `brokenOffSince`: an earlier try began then, and what became of it is not known. */
  | ({ readonly state: 'claimed'; readonly brokenOffSince: Date | undefined } & HeldClaim)
  | { readonly state: 'answered'; readonly answer: KeptAnswer }
  | { readonly state: 'in-flight' }
  /** The key stands for another request. */
  | { readonly state: 'other' }

const claimEnd = sql`clock_timestamp() + ${CLAIM_SECONDS} * interval '1 second'`
const isRow = ({ environmentId, key }: RequestKey): Prisma.Sql =>
  sql`environment_id = ${environmentId}::uuid AND key = ${key}`

const isHeld = (request: RequestKey, { id, tries }: HeldClaim): Prisma.Sql =>
  sql`${isRow(request)} AND id = ${id}::uuid AND tries = ${tries} AND status IS NULL`

interface ClaimedRow extends HeldClaim {
  readonly startedAt: Date
}

interface KnownRow {
  readonly id: string
  readonly fingerprint: string
  readonly status: number | null
  readonly sealedBody: Uint8Array | null
}

export interface IdempotentRequests {
  /** Claims a request for this caller. One statement for a new key, two for one that is known. */
  claim(request: RequestKey, fingerprint: string): Promise<Claim>
  /** Keeps the claim of work that takes its time. */
  renew(request: RequestKey, claim: HeldClaim): Promise<void>
  /** Keeps the answer: it is given to whoever sends the request again. */
  keep(request: RequestKey, claim: HeldClaim, answer: KeptAnswer): Promise<void>
  /**
   * Does work on the database alone and keeps its answer, all in one transaction: no try is broken off
   * between the two. @throws TakenOverError, and nothing is done, if another try has taken over
   */
  complete(
    request: RequestKey,
    claim: HeldClaim,
    work: (bound: Database) => Promise<KeptAnswer>,
  ): Promise<KeptAnswer>
  /** Gives the claim up. `forget`: nothing was done, so the next try is a first one. */
  release(request: RequestKey, claim: HeldClaim, forget: boolean): Promise<void>
}

/** The claim had run out, and another try has taken it over. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError'
  readonly code = 'TAKEN_OVER'
}

/** The requests of one database; answers are sealed, for they may hold what is shown only once. */
export const createIdempotentRequests = (database: Database, vault: Vault): IdempotentRequests => {
  const { prisma } = database

  /** @returns whether the claim was still this one's */
  const write = async (
    { prisma }: Pick<Database, 'prisma'>,
    request: RequestKey,
    claim: HeldClaim,
    { status, body }: KeptAnswer,
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
      // A row past its time is as good as none, and is made anew in place.
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
        const brokenOffSince = claimed.tries === 1 ? undefined : claimed.startedAt
        const { id, tries } = claimed
        return { state: 'claimed', id, tries, brokenOffSince }
      }
      const [known] = await prisma.$queryRaw<KnownRow[]>(sql`
      SELECT id::text, fingerprint, status, sealed_body AS "sealedBody"
      FROM idempotent_requests WHERE ${isRow(request)}`)
      if (known && known.fingerprint !== fingerprint) return { state: 'other' }
      if (known?.status == null || known.sealedBody === null) return { state: 'in-flight' }
      const body = vault.open({ kind: 'answer', environmentId, id: known.id }, known.sealedBody)
      return { state: 'answered', answer: { status: known.status, body } }
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

/** Deletes what is past its time, some at a time. @returns how many */
export const purgeIdempotentRequests = async ({ prisma }: Database): Promise<number> =>
  prisma.$executeRaw(sql`
    DELETE FROM idempotent_requests WHERE (environment_id, key) IN (
      SELECT environment_id, key FROM idempotent_requests
      WHERE expires_at <= clock_timestamp() LIMIT 10000)`)
