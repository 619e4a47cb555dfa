/** When runs happen: due states become jobs, jobs become runs, in any number of processes. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Connector } from '../definition/connector.ts'
import type { AppClient } from '../outbound/http.ts'
import { createRepeater } from '../repeater.ts'
import { type OpenCredential, readCredential } from '../store/credentials.ts'
import type { Database } from '../store/database.ts'
import type { SyncKey } from '../store/sync-key.ts'
import { addMissingStates, claimDueStates, listStates } from '../store/sync-state.ts'
import type { Vault } from '../store/vault.ts'
import type { SyncContext, SyncLog } from './active-run.ts'
import { createJobs } from './jobs.ts'
import { createLeases } from './leases.ts'
import { type RunResult, runSync } from './run.ts'

export interface SyncOptions {
  readonly database: Database
  /** Opens what the credentials hold. */
  readonly vault: Vault
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: SyncLog
  /** The credential with its values; unless given, as they stand in the store. */
  readonly loadCredential?: (credentialId: string) => Promise<OpenCredential | undefined>
  /** From the end of a run to the next: 15 s. */
  readonly intervalMs?: number
  /** From one listing of everything to the next, where only those show what was deleted: 1 h. */
  readonly fullListingIntervalMs?: number
  /** Before a listing that lacked half of the records or more is confirmed by another: 10 min. */
  readonly confirmAfterMs?: number
  /** Runs at once in this process: 4. */
  readonly concurrency?: number
  /** A run goes on elsewhere so long after its process was killed: 15 s. */
  readonly leaseMs?: number
  /** After so long a run makes room for others: 5 min. */
  readonly sliceMs?: number
}

export interface Sync {
  start(): Promise<void>
  /** The pages in hand are stored; their runs go on elsewhere or later. */
  stop(): Promise<void>
  /**
   * Runs every resource of a credential here and waits.
   * @throws AggregateError of what failed; the failures are settled as those of any run
   */
  syncNow(credentialId: string): Promise<void>
}

const TICK_MS = 1000
// Longer than a job waits for a worker, as a rule: a second job of the same run is not added anyway.
const LOST_JOB_MS = 60_000
const POLL_HELD_MS = 100

/** The actor that keeps the records of every credential as they are in its app. */
export const createSync = (options: SyncOptions): Sync => {
  const { database, vault, connectors, appClient, log, concurrency = 4 } = options
  const context: SyncContext = {
    ...{ database, connectors, appClient, log },
    loadCredential: options.loadCredential ?? ((id) => readCredential(database, vault, id)),
    intervalMs: options.intervalMs ?? 15_000,
    fullListingIntervalMs: options.fullListingIntervalMs ?? 3_600_000,
    confirmAfterMs: options.confirmAfterMs ?? 600_000,
    sliceMs: options.sliceMs ?? 300_000,
  }
  const leases = createLeases({ database, log, durationMs: options.leaseMs ?? 15_000 })
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  let jobsRunning = 0
  let wasStarted = false

  const takeAndRun = async (key: SyncKey): Promise<RunResult> => {
    const held = await leases.take(key, stopping.signal)
    if (!held) return { outcome: 'held' }
    try {
      return await runSync(context, held)
    } finally {
      held.release()
    }
  }

  const runOnce = async (key: SyncKey): Promise<RunResult> => {
    const running = takeAndRun(key)
    const settled = running.catch(() => {})
    underWay.add(settled)
    try {
      return await running
    } finally {
      underWay.delete(settled)
    }
  }

  const jobs = createJobs({
    ...{ url: database.url, concurrency, log },
    run: async (key) => {
      jobsRunning += 1
      try {
        await runOnce(key)
      } catch (error) {
        // The database did not take the failure down. The lease runs out, and the state is due again.
        log.error({ ...key, err: error }, 'a synchronisation was broken off')
      } finally {
        jobsRunning -= 1
        void claims.run()
      }
    },
  })

  const enqueueDue = async (): Promise<void> => {
    // No more than this process can soon take: the rest stays in order of its time, for any process.
    const room = (concurrency - jobsRunning) * 2
    if (room <= 0) return
    const claimed = await database.prisma.$transaction(async (transaction) => {
      const keys = await claimDueStates(transaction, room, LOST_JOB_MS)
      if (keys.length > 0) await jobs.enqueue(transaction, keys)
      return keys.length
    })
    if (claimed > 0) jobs.wake()
  }

  const claims = createRepeater({
    step: enqueueDue,
    everyMs: TICK_MS,
    onFailure: (error) => log.warn({ err: error }, 'due synchronisations were not claimed'),
  })

  /** When the last run ended: 0 if none has, undefined if the credential is gone. */
  const completedAt = async ({ credentialId, topic }: SyncKey): Promise<number | undefined> => {
    const states = await listStates(database, credentialId)
    const state = states.find((other) => other.topic === topic)
    return state && (state.completedAt?.getTime() ?? 0)
  }

  /** Runs until the resource was listed to its end, here or, if another process is at it, there. */
  const runToEnd = async (key: SyncKey): Promise<void> => {
    const before = await completedAt(key)
    for (;;) {
      stopping.signal.throwIfAborted()
      const result = await runOnce(key)
      if (result.outcome === 'completed') return
      if (result.outcome === 'failed') throw result.error
      if (result.outcome === 'paused' && result.dueInMs > 0) return
      if (result.outcome === 'paused') continue
      await wait(POLL_HELD_MS)
      if ((await completedAt(key)) !== before) return
    }
  }

  return {
    start: async () => {
      const resources = [...connectors.values()].flatMap(({ app, resources }) =>
        Object.keys(resources).map((topic) => ({ app, topic })),
      )
      await addMissingStates(database, resources)
      wasStarted = true
      await jobs.start()
      claims.start()
      await claims.run()
    },
    stop: async () => {
      stopping.abort(new Error('The synchronisation is being stopped.'))
      await claims.stop()
      if (wasStarted) await jobs.stop()
      await Promise.all(underWay)
    },
    syncNow: async (credentialId) => {
      const states = await listStates(database, credentialId)
      const topics = states.map(({ topic }) => topic)
      const failures: unknown[] = []
      const work = async (): Promise<void> => {
        for (let topic = topics.shift(); topic !== undefined; topic = topics.shift())
          await runToEnd({ credentialId, topic }).catch((error: unknown) => failures.push(error))
      }
      await Promise.all(Array.from({ length: concurrency }, work))
      if (failures.length > 0)
        throw new AggregateError(failures, 'Not every resource was synchronised.')
    },
  }
}
