/**
 * Waits until stored records are as current as a caller requires. A sync that is older is made due, and any process
 * that runs syncs runs it, under its lease and within the request budget: so callers of all processes share one run.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../store/database/database.ts'
import { readSyncAges, requestRuns, type SyncAge } from '../store/sync/sync-age.ts'
import type { SyncKey } from '../store/sync/sync-key.ts'

/** How long a request waits. Afterwards it returns what is stored: the run continues, and the next request finds it. */
const MAX_WAIT_MS = 5000
// Processes look for due runs once a second.
const POLL_MS = 200

export interface Freshness {
  /**
   * Waits, up to 5 s, for a run of each credential whose last one started more than `maxStalenessSeconds` ago; not for
   * syncs that are paused, fail or do not exist. One statement if all are current.
   * @returns the start of the oldest last run; null if a credential has none. It is read before the caller reads the
   * records, so they are at least that current.
   */
  refresh(
    topic: string,
    credentialIds: readonly string[],
    maxStalenessSeconds: number,
  ): Promise<Date | null>
}

/** A request that waits for a run. */
interface Waiter {
  readonly key: SyncKey
  /** The run must have started at this time or later. */
  readonly since: Date
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const nameOf = ({ credentialId, topic }: SyncKey): string => `${credentialId}/${topic}`

const isCurrent = ({ syncedAt }: SyncAge, since: Date): boolean =>
  syncedAt !== null && syncedAt >= since

/** The start of the oldest last run; null if a credential has none. */
const oldestOf = (ages: readonly SyncAge[], credentialIds: readonly string[]): Date | null => {
  const times = ages.flatMap(({ syncedAt }) => (syncedAt === null ? [] : [syncedAt.getTime()]))
  const isComplete = times.length > 0 && times.length === credentialIds.length
  return isComplete ? new Date(Math.min(...times)) : null
}

/** Creates the freshness of a process: one loop reads the states that its requests wait for. */
export const createFreshness = (database: Database, maxWaitMs = MAX_WAIT_MS): Freshness => {
  const waiters = new Set<Waiter>()
  let isPolling = false

  const poll = async (): Promise<void> => {
    const keys = [...new Map([...waiters].map(({ key }) => [nameOf(key), key])).values()]
    const read = await readSyncAges(database, keys)
    const ages = new Map(read.map((age) => [nameOf(age), age]))
    const waiting = new Set<SyncAge>()
    for (const waiter of waiters) {
      const age = ages.get(nameOf(waiter.key))
      if (!age || age.isStopped || isCurrent(age, waiter.since)) waiter.resolve()
      else waiting.add(age)
    }
    // A run that was in progress may have started too early.
    const idle = [...waiting].filter(({ isIdle }) => isIdle)
    if (idle.length > 0) await requestRuns(database, idle)
  }

  const pollAll = async (): Promise<void> => {
    if (isPolling) return
    isPolling = true
    while (waiters.size > 0) {
      try {
        await poll()
      } catch (error) {
        for (const { reject } of waiters) reject(error)
      }
      await wait(POLL_MS)
    }
    isPolling = false
  }

  const waitForRun = async (key: SyncKey, since: Date): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { key, since, resolve, reject }
    const timer = setTimeout(resolve, maxWaitMs)
    waiters.add(waiter)
    void pollAll()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      waiters.delete(waiter)
    }
  }

  return {
    refresh: async (topic, credentialIds, maxStalenessSeconds) => {
      const keys = credentialIds.map((credentialId) => ({ credentialId, topic }))
      const ages = await readSyncAges(database, keys)
      const stale = ages.flatMap((age) => {
        const since = new Date(age.now.getTime() - maxStalenessSeconds * 1000)
        return age.isStopped || isCurrent(age, since) ? [] : [{ age, since }]
      })
      if (stale.length === 0) return oldestOf(ages, credentialIds)
      await Promise.all(stale.map(({ age, since }) => waitForRun(age, since)))
      return oldestOf(await readSyncAges(database, keys), credentialIds)
    },
  }
}
