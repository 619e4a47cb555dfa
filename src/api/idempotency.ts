/**
 * Idempotency-Key: a mutating request that is sent twice runs once. The stored response is replayed for
 * 24 hours; a second request during the first is rejected. Work in the local database commits in one
 * transaction with its response. For other work, a retry first checks the outcome of an interrupted attempt.
 */
import { hash } from 'node:crypto'
import { MAX_JSON_LEVELS } from '../definition/json-depth.ts'
import { ApiError, type ErrorCode, invalidParameter } from '../errors.ts'
import type { Database } from '../store/database/database.ts'
import { holdLease } from '../store/database/lease-renewal.ts'
import { LeaseLostError } from '../store/database/lease-sql.ts'
import {
  type IdempotencyStore,
  REQUEST_LEASE_MS,
  type RequestKey,
  type RequestLease,
  type StoredResponse,
} from '../store/writes/idempotent-requests.ts'
import type { Caller } from './auth/caller.ts'

/** A request that may be an attempt to repeat an earlier one. */
export interface IdempotentRequest {
  readonly caller: Caller
  /** The Idempotency-Key header; undefined: every request is new. */
  readonly key: string | undefined
  /** Separates uses of one key: the API (REST or GraphQL), and the mutation field. */
  readonly scope: string
  /** The whole request as JSON; its hash is the fingerprint. */
  readonly content: unknown
  /** Whether all work happens in the local database, over the connection of the attempt. */
  readonly isLocal: boolean
  /** Validation that calls other systems, and therefore runs before the transaction. */
  readonly check?: () => Promise<unknown>
}

export interface Attempt {
  /** Start of an earlier attempt with the same key whose outcome is unknown. */
  readonly interruptedSince: Date | undefined
  /** A UUID that every attempt with the same Idempotency-Key has; undefined without one. */
  readonly key?: string
  /** Registers an effect that runs after the changes are committed, and never if the attempt fails. */
  readonly onCommit: (effect: () => void) => void
  /** What the check returned. */
  readonly checked?: unknown
  /** The transaction to work in, if the response is stored in the same one. */
  readonly database?: Database
}

/** The attempt of a read, whose response is not stored. */
export const READ_ATTEMPT: Attempt = { interruptedSince: undefined, onCommit: (effect) => effect() }

export interface IdempotentResponse extends StoredResponse {
  /** Whether this is the stored response of an earlier request. */
  readonly replayed: boolean
}

// Printable ASCII without the space: valid in a header without encoding.
const KEY = /^[\x21-\x7e]{1,255}$/

/** @throws INVALID_PARAMETER */
export const readIdempotencyKey = (header: string | string[] | undefined): string | undefined => {
  if (header === undefined) return
  if (typeof header !== 'string' || !KEY.test(header))
    throw invalidParameter(
      'Idempotency-Key',
      '1 to 255 printable ASCII characters, none of them a space',
    )
  return header
}

/** Deeper than any valid input: the objects around a JSON field add levels of their own. */
const MAX_LEVELS = MAX_JSON_LEVELS + 16

/**
 * The JSON with sorted keys. The value is not validated yet and may be nested too deeply to recurse into:
 * levels below those of any valid input are left out, because validation rejects them.
 */
const canonical = (value: unknown, levels = MAX_LEVELS): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((entry) => canonical(entry, levels - 1))
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]) => [name, canonical(entry, levels - 1)]),
  )
}

/** Failures without effect that a retry may resolve: their responses are not stored. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'APP_UNAVAILABLE',
  'APP_RATE_LIMITED',
  'RATE_LIMITED',
  'WRITE_IN_FLIGHT',
])

const inFlight = (): ApiError =>
  new ApiError(
    'IDEMPOTENCY_KEY_IN_FLIGHT',
    'A request with this Idempotency-Key is still in progress. Retry after the time in Retry-After.',
    [],
    { retryAfterMs: 1000 },
  )

/** Whether an error is permanent, so that its response is stored. After any other failure the outcome is unknown. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && !transientCodes.has(error.code)

/**
 * Runs `work` once for each key. `responseTo` builds the response to a permanent error, which is stored too.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, and what `work` throws
 */
export const runIdempotently = async (
  requests: IdempotencyStore,
  { caller, key, scope, content, isLocal, check = async () => {} }: IdempotentRequest,
  work: (attempt: Attempt) => Promise<StoredResponse>,
  responseTo: (error: ApiError) => StoredResponse,
): Promise<IdempotentResponse> => {
  const effects: (() => void)[] = []
  const onCommit = (effect: () => void): void => void effects.push(effect)
  const done = (response: StoredResponse): IdempotentResponse => {
    for (const effect of effects) effect()
    return { ...response, replayed: false }
  }
  if (key === undefined) {
    const checked = await check()
    return done(await work({ interruptedSince: undefined, onCommit, checked }))
  }
  const callerName = caller.kind === 'user' ? `user ${caller.userId}` : 'key'
  const request: RequestKey = {
    environmentId: caller.environmentId,
    key: `${callerName} ${scope} ${key}`,
  }
  const fingerprint = hash('sha256', JSON.stringify([scope, canonical(content)]), 'hex')
  const sentMs = performance.now()
  const claim = await requests.claim(request, fingerprint)
  switch (claim.state) {
    case 'completed':
      return { ...claim.response, replayed: true }
    case 'other':
      throw new ApiError(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used for a different request within the last 24 hours. Use a new key.',
      )
    case 'in-flight':
      throw inFlight()
    case 'claimed':
  }
  const { lease, interruptedSince, attemptKey } = claim
  // The work is not aborted when the lease is lost, because the app may have the request already: the attempt
  // that takes over checks its outcome, and this one stores nothing.
  const held = holdLease<RequestLease>(
    // If all renewals fail, the lease expires, as it would after a crash.
    { durationMs: REQUEST_LEASE_MS, renew: requests.renew, onFailure: () => {} },
    lease,
    sentMs,
  )
  try {
    const checked = await check()
    if (isLocal) {
      const complete = (database: Database) =>
        work({ interruptedSince, key: attemptKey, onCommit, checked, database })
      return done(await requests.complete(lease, complete))
    }
    const response = await work({ interruptedSince, key: attemptKey, onCommit, checked })
    // The work is done even if storing the response fails: a retry then checks the outcome.
    await requests.store(lease, response).catch(() => {})
    return done(response)
  } catch (error) {
    // The response of the attempt that took over is returned to the next one.
    if (error instanceof LeaseLostError) throw inFlight()
    if (isFinal(error)) {
      const response = responseTo(error)
      await requests.store(lease, response)
      return { ...response, replayed: false }
    }
    const isTransient = error instanceof ApiError && transientCodes.has(error.code)
    // If this fails, the attempt counts as interrupted once the lease expires.
    await requests.release(lease, isTransient && interruptedSince === undefined).catch(() => {})
    throw error
  } finally {
    held.release()
  }
}
