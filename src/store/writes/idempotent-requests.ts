/**
 * Requests with an `Idempotency-Key`. A request acquires the lease of its row before it does its work and stores
 * its response there afterwards. An expired lease means that the process died; the next attempt takes it over.
 */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { namedUuid } from '../../definition/identity.ts'
import type { Database, Queryable } from '../database/database.ts'
import {
  isFree,
  isHeldBy,
  isRow,
  type Lease,
  LeaseLostError,
  type LeaseTable,
  RELEASED,
  renewLeases,
  TAKEN_OVER,
} from '../database/lease-sql.ts'
import { inOneTransaction } from '../database/one-transaction.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

/** How long the stored response is returned. */
const RETENTION_HOURS = 24

/** How long a killed process blocks its requests. */
export const REQUEST_LEASE_MS = 30_000

export interface RequestKey {
  readonly environmentId: string
  readonly key: string
}

export interface StoredResponse {
  readonly status: number
  readonly body: string
}

const REQUESTS: LeaseTable<RequestKey> = {
  name: 'idempotent_requests',
  key: { environmentId: ['environment_id', 'uuid'], key: ['key', 'text'] },
  isScheduled: false,
}

/** The right of an attempt to do the work of a request. */
export interface RequestLease extends Lease<RequestKey> {
  /** Id of the row. */
  readonly id: string
}

export type RequestClaim =
  /** `interruptedSince`: start of an interrupted earlier attempt, whose outcome is unknown. */
  | {
      readonly state: 'claimed'
      readonly lease: RequestLease
      readonly interruptedSince: Date | undefined
      /** A UUID that every attempt at the request has, and no other request. */
      readonly attemptKey: string
    }
  | { readonly state: 'completed'; readonly response: StoredResponse }
  | { readonly state: 'in-flight' }
  /** The key was used for a different request. */
  | { readonly state: 'other' }

interface ClaimedRow {
  readonly id: string
  readonly tries: number
  readonly startedAt: Date
}

interface ExistingRow {
  readonly id: string
  readonly fingerprint: string
  readonly status: number | null
  readonly sealedBody: Uint8Array | null
}

export interface IdempotencyStore {
  /** Claims a request. One statement for a new key, two for an existing one. */
  claim(request: RequestKey, fingerprint: string): Promise<RequestClaim>
  /** Extends leases while their work runs. @returns the holders whose leases were not taken over */
  renew(leases: readonly RequestLease[]): Promise<ReadonlySet<string>>
  /**
   * Stores the response, which is returned when the request is sent again, and releases the lease. Stores
   * nothing if another attempt has taken over.
   */
  store(lease: RequestLease, response: StoredResponse): Promise<void>
  /**
   * Runs work that only uses the database and stores its response in the same transaction, so that no crash
   * separates the two. @throws LeaseLostError, after a rollback, if another attempt has taken over
   */
  complete(
    lease: RequestLease,
    work: (bound: Database) => Promise<StoredResponse>,
  ): Promise<StoredResponse>
  /** Releases the lease. `forget`: no work was done, so the next attempt counts as the first. */
  release(lease: RequestLease, forget: boolean): Promise<void>
}

/** Creates the store of idempotent requests. Responses are encrypted, because they may contain one-time secrets. */
export const createIdempotencyStore = (database: Database, vault: Vault): IdempotencyStore => {
  const { prisma } = database

  /** Stores a response. @returns false if another attempt has taken over */
  const write = async (
    { prisma }: Queryable,
    lease: RequestLease,
    { status, body }: StoredResponse,
  ): Promise<boolean> => {
    const { environmentId } = lease.key
    const sealed = vault.seal({ kind: 'answer', environmentId, id: lease.id }, body)
    const count = await prisma.$executeRaw(sql`
      UPDATE idempotent_requests SET ${RELEASED}, status = ${status}, sealed_body = ${sealed}
      WHERE ${isHeldBy(REQUESTS, lease)}`)
    return count > 0
  }

  return {
    claim: async (request, fingerprint) => {
      const { environmentId, key } = request
      const holder = randomUUID()
      // An expired row is treated as missing and is reset in place.
      const isPast = sql`r.expires_at <= clock_timestamp()`
      const [claimed] = await prisma.$queryRaw<ClaimedRow[]>(sql`
      INSERT INTO idempotent_requests AS r
        (id, environment_id, key, fingerprint, started_at, holder, held_until, expires_at)
      VALUES (gen_random_uuid(), ${environmentId}::uuid, ${key}, ${fingerprint}, clock_timestamp(),
        ${holder}::uuid, ${msFromNow(REQUEST_LEASE_MS)}, clock_timestamp() + ${RETENTION_HOURS} * interval '1 hour')
      ON CONFLICT (environment_id, key) DO UPDATE SET
        fingerprint = excluded.fingerprint, ${TAKEN_OVER}, status = NULL, sealed_body = NULL,
        started_at = CASE WHEN ${isPast} THEN excluded.started_at ELSE r.started_at END,
        expires_at = CASE WHEN ${isPast} THEN excluded.expires_at ELSE r.expires_at END,
        tries = CASE WHEN ${isPast} THEN 1 ELSE r.tries + 1 END
      WHERE ${isPast} OR (r.fingerprint = excluded.fingerprint AND r.status IS NULL AND ${isFree('r')})
      RETURNING id::text, tries, started_at AS "startedAt"`)
      if (claimed) {
        const { id, tries, startedAt } = claimed
        const lease = { id, key: request, holder, durationMs: REQUEST_LEASE_MS }
        return {
          state: 'claimed',
          lease,
          interruptedSince: tries === 1 ? undefined : startedAt,
          // An expired row is used again for another request.
          attemptKey: namedUuid(`request ${id} ${startedAt.toISOString()}`),
        }
      }
      const [existing] = await prisma.$queryRaw<ExistingRow[]>(sql`
      SELECT id::text, fingerprint, status, sealed_body AS "sealedBody"
      FROM idempotent_requests WHERE ${isRow(REQUESTS, request)}`)
      if (existing && existing.fingerprint !== fingerprint) return { state: 'other' }
      if (existing?.status == null || existing.sealedBody === null) return { state: 'in-flight' }
      const body = vault.open(
        { kind: 'answer', environmentId, id: existing.id },
        existing.sealedBody,
      )
      return { state: 'completed', response: { status: existing.status, body } }
    },

    renew: (leases) => renewLeases(database, REQUESTS, leases),

    store: async (lease, response) => {
      await write(database, lease, response)
    },

    complete: (lease, work) =>
      inOneTransaction(database, async (bound) => {
        const response = await work(bound)
        if (!(await write(bound, lease, response)))
          throw new LeaseLostError('Another attempt has taken the request over.')
        return response
      }),

    release: async (lease, forget) => {
      const held = isHeldBy(REQUESTS, lease)
      await prisma.$executeRaw(
        forget
          ? sql`DELETE FROM idempotent_requests WHERE ${held}`
          : sql`UPDATE idempotent_requests SET ${RELEASED} WHERE ${held}`,
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
