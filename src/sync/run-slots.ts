/** The run slots of a process: a fixed number of concurrent runs, shared fairly between end users. */
import type { Log } from '../log.ts'
import { createRepeater } from '../repeater.ts'
import type { Database } from '../store/database/database.ts'
import { type DueRun, listDueRuns } from '../store/sync/claims.ts'
import type { SyncKey } from '../store/sync/sync-key.ts'
import type { HeldRun } from './leases.ts'

/** How often a process looks for due runs. A run that has been due for longer is waiting for a slot. */
export const TICK_MS = 1000
/** Less than a tick: a run that waits for another run, and is due after this time, is found by the next tick. */
export const NEXT_TICK_MS = TICK_MS / 2
// Due runs are read in batches, because the cost of a read grows with their number.
const RUNS_PER_READ = 100

/** The dependencies and settings of the run slots. */
export interface RunSlotsOptions {
  readonly database: Database
  readonly log: Log
  /** Slots in this process. One end user gets at most half of them, so that some stay free for others. */
  readonly concurrency: number
  /** Acquires the leases of those runs that are still due. */
  readonly acquire: (keys: readonly SyncKey[]) => Promise<readonly HeldRun[]>
  /** Never rejects. */
  readonly run: (held: HeldRun) => Promise<void>
}

/** The run slots of a process. */
export interface RunSlots {
  start(): Promise<void>
  /** Starts no more runs. Resolves once the current ones have ended. */
  stop(): Promise<void>
}

const nameOf = ({ credentialId, topic }: SyncKey): string => `${credentialId}/${topic}`

/** Creates the run slots of a process. */
export const createRunSlots = (options: RunSlotsOptions): RunSlots => {
  const { database, log, concurrency, acquire, run } = options
  const maxPerUser = Math.max(1, Math.floor(concurrency / 2))
  /** The current runs, each with its end user. */
  const running = new Map<Promise<void>, string>()
  let dueRuns: readonly DueRun[] = []
  let listedMs = Number.NEGATIVE_INFINITY
  /** Whether the list had all due runs when it was read. */
  let isComplete = false
  let hasFreedSlot = false

  /** Removes the next due runs for the free slots from the list, respecting the limit of each user. */
  const chooseRuns = (): DueRun[] => {
    const chosen: DueRun[] = []
    const users = [...running.values()]
    const rest: DueRun[] = []
    for (const dueRun of dueRuns) {
      const isFull = users.length >= concurrency
      const userRuns = users.filter((userId) => userId === dueRun.userId).length
      if (isFull || userRuns >= maxPerUser) rest.push(dueRun)
      else {
        chosen.push(dueRun)
        users.push(dueRun.userId)
      }
    }
    dueRuns = rest
    return chosen
  }

  const occupy = (held: HeldRun, userId: string): void => {
    const ending = run(held).finally(() => {
      running.delete(ending)
      hasFreedSlot = true
      void repeater.run()
    })
    running.set(ending, userId)
  }

  /** Starts the next runs. @returns how many runs were chosen, and how many of their leases were acquired */
  const startRuns = async (): Promise<{ chosen: number; acquired: number }> => {
    const chosen = chooseRuns()
    if (chosen.length === 0) return { chosen: 0, acquired: 0 }
    const users = new Map(chosen.map((dueRun) => [nameOf(dueRun), dueRun.userId]))
    const leases = await acquire(chosen)
    for (const held of leases) occupy(held, users.get(nameOf(held.lease.key)) ?? '')
    return { chosen: chosen.length, acquired: leases.length }
  }

  const fill = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && running.size < concurrency) {
      const isStale = performance.now() - listedMs >= TICK_MS
      if (!isStale && (await startRuns()).chosen > 0) continue
      // The rest of the list waits for its users' slots; a list that was complete a moment ago has ended.
      if (!isStale && (isComplete || dueRuns.length > 0)) return
      dueRuns = await listDueRuns(database, RUNS_PER_READ)
      listedMs = performance.now()
      isComplete = dueRuns.length < RUNS_PER_READ
      // Other processes acquire runs at the same time: the next tick reads which are left.
      if (signal.aborted || (await startRuns()).acquired === 0 || isComplete) return
    }
  }

  const repeater = createRepeater({
    everyMs: TICK_MS,
    step: async (signal) => {
      // Every tick reads the due runs; a freed slot only if the list is old.
      if (!hasFreedSlot) listedMs = Number.NEGATIVE_INFINITY
      do {
        hasFreedSlot = false
        await fill(signal)
      } while (hasFreedSlot && !signal.aborted)
    },
    onFailure: (error) => log.warn({ err: error }, 'due sync runs could not be acquired'),
  })

  return {
    start: async () => {
      repeater.start()
      await repeater.run()
    },
    stop: async () => {
      await repeater.stop()
      await Promise.all(running.keys())
    },
  }
}
