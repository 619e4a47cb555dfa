/**
 * One writer of a record at a time, in whichever process: for apps that do not refuse a stale write
 * themselves, so that nothing comes between what is compared and what is written.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import {
  type ClaimedRecord,
  claimRecord,
  type RecordClaim,
  releaseRecord,
  renewRecordClaim,
} from '../store/record-claims.ts'

export interface WriterLimits {
  /** A process that is killed blocks the record so long. */
  readonly claimMs: number
  /** How long a write waits for those before it: its caller waits too. */
  readonly patienceMs: number
}

const LIMITS: WriterLimits = { claimMs: 30_000, patienceMs: 20_000 }
const FIRST_PAUSE_MS = 10
const MAX_PAUSE_MS = 200

/** @throws WRITE_IN_FLIGHT */
const take = async (database: Database, claim: RecordClaim, patienceMs: number): Promise<void> => {
  const endMs = performance.now() + patienceMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    if (await claimRecord(database, claim)) return
    if (performance.now() + pauseMs > endMs)
      throw new ApiError(
        'WRITE_IN_FLIGHT',
        'Another write to this record is still under way.',
        [],
        { retryAfterMs: 1000 },
      )
    await wait(pauseMs)
  }
}

/**
 * Does `work` while no other writer is at the record; what it reads before it is called, another may have
 * changed. @throws WRITE_IN_FLIGHT if those before it take too long, and what `work` throws
 */
export const asOnlyWriter = async <Result>(
  database: Database,
  record: ClaimedRecord,
  work: () => Promise<Result>,
  { claimMs, patienceMs }: WriterLimits = LIMITS,
): Promise<Result> => {
  const claim: RecordClaim = { ...record, holder: randomUUID(), durationMs: claimMs }
  await take(database, claim, patienceMs)
  // What cannot be renewed or given back runs out, as if this process had died.
  const renew = () => void renewRecordClaim(database, claim).catch(() => {})
  const renewal = setInterval(renew, claimMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await releaseRecord(database, claim).catch(() => {})
  }
}
