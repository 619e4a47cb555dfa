/**
 * A lock on a record for one writer at a time, across processes. It protects the comparison and the write in
 * apps that do not reject stale writes themselves.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Database } from '../store/database/database.ts'
import {
  type ClaimedRecord,
  claimRecord,
  type RecordClaim,
  releaseRecord,
  renewRecordClaim,
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

/** Claims a record, waiting for earlier writers. @throws WRITE_IN_FLIGHT if they take too long */
const acquireClaim = async (
  database: Database,
  claim: RecordClaim,
  timeoutMs: number,
): Promise<void> => {
  const endMs = performance.now() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    if (await claimRecord(database, claim)) return
    if (performance.now() + pauseMs > endMs)
      throw new ApiError(
        'WRITE_IN_FLIGHT',
        'Another write to this record is in progress. Retry after the delay in Retry-After.',
        [],
        { retryAfterMs: 1000 },
      )
    await wait(pauseMs)
  }
}

/**
 * Runs `work` while no other writer can claim the record. Values read before `work` starts may be stale.
 * @throws WRITE_IN_FLIGHT if earlier writers take too long, and what `work` throws
 */
export const withExclusiveWriter = async <Result>(
  database: Database,
  record: ClaimedRecord,
  work: () => Promise<Result>,
  { claimMs, timeoutMs }: WriterLimits = LIMITS,
): Promise<Result> => {
  const claim: RecordClaim = { ...record, holder: randomUUID(), durationMs: claimMs }
  await acquireClaim(database, claim, timeoutMs)
  // A claim that cannot be renewed or released expires, as if this process had been killed.
  const renew = () => void renewRecordClaim(database, claim).catch(() => {})
  const renewal = setInterval(renew, claimMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await releaseRecord(database, claim).catch(() => {})
  }
}
