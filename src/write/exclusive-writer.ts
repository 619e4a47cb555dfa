/**
 * A lock on a record for one writer at a time, across processes. It protects the comparison and the write in
 * apps that do not reject stale writes themselves.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Database } from '../store/database/database.ts'
import { holdLease } from '../store/database/lease-renewal.ts'
import { LeaseLostError, renewLeases } from '../store/database/lease-sql.ts'
import {
  type ClaimedRecord,
  claimRecord,
  RECORD_CLAIMS,
  type RecordClaim,
  releaseRecord,
} from '../store/writes/record-claims.ts'

/** The time limits of an exclusive writer. */
export interface WriterLimits {
  /** How long a killed process blocks the record. */
  readonly claimMs: number
  /** How long a write waits for earlier ones, while its caller waits for the response. */
  readonly timeoutMs: number
}

const LIMITS: WriterLimits = { claimMs: 30_000, timeoutMs: 20_000 }
const FIRST_PAUSE_MS = 10
const MAX_PAUSE_MS = 200

const inFlight = (): ApiError =>
  new ApiError(
    'WRITE_IN_FLIGHT',
    'Another write to this record is in progress. Retry after the delay in Retry-After.',
    [],
    { retryAfterMs: 1000 },
  )

/**
 * Claims a record, waiting for earlier writers.
 * @returns when the claim was requested, by `performance.now()`
 * @throws WRITE_IN_FLIGHT if they take too long
 */
const acquireClaim = async (
  database: Database,
  claim: RecordClaim,
  timeoutMs: number,
): Promise<number> => {
  const endMs = performance.now() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const sentMs = performance.now()
    if (await claimRecord(database, claim)) return sentMs
    if (performance.now() + pauseMs > endMs) throw inFlight()
    await wait(pauseMs)
  }
}

/**
 * Runs `work` while no other writer can claim the record. Values read before `work` starts may be stale. The
 * signal is aborted when the claim is lost: `work` checks it before it writes.
 * @throws WRITE_IN_FLIGHT if earlier writers take too long or the claim was lost before the write, and what
 *   `work` throws
 */
export const withExclusiveWriter = async <Result>(
  database: Database,
  record: ClaimedRecord,
  work: (claim: AbortSignal) => Promise<Result>,
  { claimMs, timeoutMs }: WriterLimits = LIMITS,
): Promise<Result> => {
  const claim: RecordClaim = { key: record, holder: randomUUID(), durationMs: claimMs }
  const sentMs = await acquireClaim(database, claim, timeoutMs)
  const held = holdLease(
    {
      durationMs: claimMs,
      renew: (claims: readonly RecordClaim[]) => renewLeases(database, RECORD_CLAIMS, claims),
      // The next renewal may succeed; otherwise the claim expires.
      onFailure: () => {},
    },
    claim,
    sentMs,
  )
  try {
    return await work(held.signal)
  } catch (error) {
    throw error instanceof LeaseLostError ? inFlight() : error
  } finally {
    held.release()
    // A claim that cannot be released expires, as if this process had been killed.
    await releaseRecord(database, claim).catch(() => {})
  }
}
