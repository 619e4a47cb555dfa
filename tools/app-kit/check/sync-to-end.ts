/** Syncs a credential until everything is stored, also if the app requires pauses. */
import type { Database } from '../../../src/store/database/database.ts'
import type { Sync } from '../../../src/sync/schedule.ts'
import { retryWithinLimits, type WaitOptions } from './waits.ts'

interface Unfinished {
  readonly topic: string
  readonly dueInMs: number
}

/** The resources whose last run has failed, or is paused. */
const readUnfinished = (
  { prisma }: Database,
  credentialId: string,
): Promise<readonly Unfinished[]> =>
  prisma.$queryRaw<Unfinished[]>`
    SELECT topic, extract(epoch FROM due_at - clock_timestamp())::double precision * 1000 AS "dueInMs"
    FROM sync_states WHERE credential_id = ${credentialId}::uuid AND (failures > 0 OR progress IS NOT NULL)`

/**
 * Syncs all resources, then those that are not finished: the polls of the others would spend the budget for history.
 * @throws AggregateError of the failed runs
 */
export const syncToEnd = async (
  {
    engine,
    database,
    waits,
  }: {
    readonly engine: Sync
    readonly database: Database
    readonly waits: WaitOptions
  },
  credentialId: string,
): Promise<void> => {
  let unfinished: readonly Unfinished[] | undefined
  const sync = async (): Promise<void> => {
    const topics = unfinished?.map(({ topic }) => topic)
    try {
      await engine.syncNow(credentialId, topics)
    } finally {
      unfinished = await readUnfinished(database, credentialId)
    }
  }
  for (;;) {
    await retryWithinLimits(waits, sync)
    if (!unfinished?.length) return
    const ms = Math.max(0, ...unfinished.map(({ dueInMs }) => dueInMs))
    waits.onWait('the app to prepare a listing', ms)
    await waits.clock.wait(ms)
  }
}
