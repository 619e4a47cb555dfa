/** The sync scheduler: each process runs syncs that are due, up to its concurrency. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Connector } from '../definition/connector.ts'
import { feedKey, isFeedKey, syncKeysOf } from '../definition/feed.ts'
import type { Log } from '../log.ts'
import type { AppClient } from '../outbound/http.ts'
import { type OpenCredential, readCredential } from '../store/accounts/credentials.ts'
import type { Database } from '../store/database/database.ts'
import { retryTemporary } from '../store/database/retry.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { retryFailed } from '../store/sync/claims.ts'
import { removeFormerFeeds } from '../store/sync/feeds.ts'
import { addMissingStates, listStates } from '../store/sync/state-rows.ts'
import type { SyncKey } from '../store/sync/sync-key.ts'
import { errorType, type SpanOptions, trace } from '../tracing.ts'
import type { OnRun, SyncContext } from './active-run.ts'
import { runFeed } from './feed-run.ts'
import { createLeases, type HeldRun } from './leases.ts'
import { runSync } from './run.ts'
import type { RunResult } from './run-end.ts'
import { createRunSlots } from './run-slots.ts'
import { LIMIT_REACHED, type StorageLimits } from './storage-limits.ts'

/** The dependencies and settings of the sync. */
export interface SyncOptions {
  readonly database: Database
  /** Decrypts the values of credentials. */
  readonly vault: Vault
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: Log
  /** Loads a credential with its values; by default from the store. */
  readonly loadCredential?: (credentialId: string) => Promise<OpenCredential | undefined>
  /** From the end of a run to the start of the next. Default: 15 s. */
  readonly intervalMs?: number
  /** Before a second listing confirms one that lacked half of the records or more. Default: 10 min. */
  readonly confirmAfterMs?: number
  /** Concurrent runs in this process, at most half of them for one end user. Default: 6. */
  readonly concurrency?: number
  /** How long after its process was killed another process may take a run over. Default: 15 s. */
  readonly leaseMs?: number
  /** How long a run may take while other runs wait; then it pauses after its current page. Default: 5 s. */
  readonly sliceMs?: number
  /** How much one credential may store. Default: no limit. */
  readonly limits?: StorageLimits
  /** Receives the end of each run. */
  readonly onRun?: OnRun | undefined
}

/** The sync of a process. */
export interface Sync {
  start(): Promise<void>
  /** Stores the current pages and pauses their runs. */
  stop(): Promise<void>
  /**
   * Polls the feeds and syncs every resource of a credential, or only those with these topics, and waits for the runs
   * to end.
   * @throws AggregateError of the failures; each is also recorded and retried like that of any run
   */
  syncNow(credentialId: string, topics?: readonly string[]): Promise<void>
}

const NO_LIMITS: StorageLimits = { maxRecords: Infinity, maxBytes: Infinity }
const POLL_HELD_MS = 100

/** Each run, or slice of one, is a trace of its own. */
const spanOf = ({ lease: { key } }: HeldRun): SpanOptions => ({
  name: `sync ${key.topic}`,
  parent: {},
  attributes: { 'trunkline.topic': key.topic, 'trunkline.credential_id': key.credentialId },
})

/** Keeps the stored records of every credential in sync with its app. */
export const createSync = (options: SyncOptions): Sync => {
  const { database, vault, connectors, appClient, log, concurrency = 6 } = options
  const leases = createLeases({ database, log, durationMs: options.leaseMs ?? 15_000 })
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()

  const track = async <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => {})
    running.add(settled)
    try {
      return await work
    } finally {
      running.delete(settled)
    }
  }

  const context: SyncContext = {
    database,
    connectors,
    appClient,
    log,
    loadCredential: options.loadCredential ?? ((id) => readCredential(database, vault, id)),
    intervalMs: options.intervalMs ?? 15_000,
    confirmAfterMs: options.confirmAfterMs ?? 600_000,
    sliceMs: options.sliceMs ?? 5_000,
    limits: options.limits ?? NO_LIMITS,
    onRun: options.onRun,
    inBackground: (work) => void track(work(stopping.signal)),
  }

  const runHeld = (held: HeldRun): Promise<RunResult> =>
    trace(
      () => spanOf(held),
      async (span) => {
        const run = isFeedKey(held.lease.key.topic) ? runFeed : runSync
        const result = await run(context, held).finally(held.release)
        span?.set({ 'trunkline.outcome': result.outcome })
        if (result.outcome === 'failed') span?.fail(errorType(result.error))
        return result
      },
    )

  const acquireAndRun = async (key: SyncKey): Promise<RunResult> => {
    const held = await leases.acquire(key, stopping.signal)
    return held ? runHeld(held) : { outcome: 'held' }
  }

  const runOnce = (key: SyncKey): Promise<RunResult> => track(acquireAndRun(key))

  const slots = createRunSlots({
    database,
    log,
    concurrency,
    acquire: (keys) => leases.acquireDue(keys, stopping.signal),
    run: async (held) => {
      try {
        await runHeld(held)
      } catch (error) {
        // The failure is not stored. The run is due again once its lease expires.
        log.error({ ...held.lease.key, err: error }, 'sync run was interrupted')
      }
    },
  })

  /** Whether a run has ended since `before`, or the credential was deleted. */
  const hasEnded = async ({ credentialId, topic }: SyncKey, before: Date | null) => {
    const states = await listStates(database, credentialId)
    const state = states.find((other) => other.topic === topic)
    return !state || state.completedAt?.getTime() !== before?.getTime()
  }

  /**
   * Runs until the resource is listed completely, by this process or by another that holds its lease.
   * @param completedAt when its last run ended
   */
  const runToEnd = async (key: SyncKey, completedAt: Date | null): Promise<void> => {
    for (;;) {
      stopping.signal.throwIfAborted()
      const result = await runOnce(key)
      if (result.outcome === 'completed') return
      if (result.outcome === 'failed') throw result.error
      if (result.outcome === 'paused' && result.dueInMs > 0) return
      if (result.outcome === 'paused') continue
      await wait(POLL_HELD_MS)
      if (await hasEnded(key, completedAt)) return
    }
  }

  // A run that a database failure interrupted still holds its lease: the retry waits until that expires.
  const runToEndWithRetries = (key: SyncKey, completedAt: Date | null): Promise<void> =>
    retryTemporary(() => runToEnd(key, completedAt), {
      log,
      name: `sync ${key.topic}`,
      signal: stopping.signal,
    })

  return {
    start: async () => {
      const all = [...connectors.values()]
      const keysOf = (topicsOf: (connector: Connector) => readonly string[]) =>
        all.flatMap((connector) =>
          topicsOf(connector).map((topic) => ({ app: connector.app, topic })),
        )
      await addMissingStates(database, keysOf(syncKeysOf))
      await removeFormerFeeds(
        database,
        all.map(({ app }) => app),
        {
          feeds: keysOf(({ feeds = {} }) => Object.keys(feeds).map(feedKey)),
          resources: keysOf(({ feeds = {} }) =>
            Object.values(feeds).flatMap(({ topics }) => topics),
          ),
        },
      )
      // The operator may have raised the limit.
      await retryFailed(database, LIMIT_REACHED)
      await slots.start()
    },
    stop: async () => {
      stopping.abort(new Error('The sync is stopping.'))
      await slots.stop()
      await Promise.all(running)
    },
    syncNow: async (credentialId, topics) => {
      const all = await listStates(database, credentialId)
      const states = topics ? all.filter(({ topic }) => topics.includes(topic)) : all
      const resources = states.filter(({ topic }) => !isFeedKey(topic))
      const failures: unknown[] = []
      const sync = ({ topic, completedAt }: (typeof states)[number]): Promise<unknown> =>
        runToEndWithRetries({ credentialId, topic }, completedAt).catch((error: unknown) =>
          failures.push(error),
        )
      const work = async (): Promise<void> => {
        for (let state = resources.shift(); state !== undefined; state = resources.shift())
          await sync(state)
      }
      // Resources that are listed after the start of their feeds need no further poll.
      for (const state of states) if (isFeedKey(state.topic)) await sync(state)
      await Promise.all(Array.from({ length: concurrency }, work))
      if (failures.length > 0) throw new AggregateError(failures, 'Some resources were not synced.')
    },
  }
}
