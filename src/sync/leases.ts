/** The leases that this process holds, renewed while their runs last. */

import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import { createRepeater } from '../repeater.ts'
import type { Database } from '../store/database/database.ts'
import { acquireDueRuns, acquireRun } from '../store/sync/claims.ts'
import type { SyncKey } from '../store/sync/sync-key.ts'
import { type Lease, LeaseLostError, renewRuns, type SyncState } from '../store/sync/sync-state.ts'

/** A lease that this process holds and renews. */
export interface HeldLease {
  readonly lease: Lease
  /** The sync state when the lease was acquired. */
  readonly state: SyncState
  /** When the lease was acquired, by `performance.now()`. */
  readonly acquiredMs: number
  /** Aborted by the stop signal, or with a LeaseLostError when another process took the run over. */
  readonly signal: AbortSignal
  /** Stops renewing the lease; the run itself releases it in the database. */
  release(): void
}

/** The dependencies and settings of the leases. */
export interface LeasesOptions {
  readonly database: Database
  readonly log: Log
  /** How long a killed process blocks its runs. */
  readonly durationMs: number
}

/** Creates the leases of a process. One statement per interval renews all of them. */
export const createLeases = ({ database, log, durationMs }: LeasesOptions) => {
  const held = new Map<string, { lease: Lease; lost: AbortController }>()

  const renew = async (): Promise<void> => {
    const renewing = [...held.values()]
    const renewed = await renewRuns(
      database,
      renewing.map(({ lease }) => lease),
    )
    for (const { lease, lost } of renewing)
      if (!renewed.has(lease.holder) && held.has(lease.holder))
        lost.abort(new LeaseLostError('Another process has taken the run over.'))
  }
  const renewals = createRepeater({
    step: renew,
    everyMs: durationMs / 3,
    // The leases may still be valid: each commit of a run checks its own.
    onFailure: (error) => log.warn({ err: error }, 'the leases of sync runs could not be renewed'),
  })

  const leaseOf = (key: SyncKey): Lease => ({ key, holder: randomUUID(), durationMs })

  // Call this only once the lease is acquired: a renewal would report any other as lost.
  const hold = (lease: Lease, state: SyncState, stop: AbortSignal): HeldLease => {
    const acquiredMs = performance.now()
    const lost = new AbortController()
    held.set(lease.holder, { lease, lost })
    renewals.start()
    return {
      lease,
      state,
      acquiredMs,
      signal: AbortSignal.any([lost.signal, stop]),
      release: () => {
        held.delete(lease.holder)
        if (held.size === 0) void renewals.stop()
      },
    }
  }

  return {
    /** Acquires a lease and keeps it renewed. @returns undefined if another process holds it or the state was deleted */
    acquire: async (key: SyncKey, stop: AbortSignal): Promise<HeldLease | undefined> => {
      const lease = leaseOf(key)
      const state = await acquireRun(database, lease)
      return state && hold(lease, state, stop)
    },
    /** Acquires the leases of those keys that are still due and free, in one statement. */
    acquireDue: async (keys: readonly SyncKey[], stop: AbortSignal): Promise<HeldLease[]> => {
      const acquired = await acquireDueRuns(database, keys.map(leaseOf))
      return acquired.map(({ lease, state }) => hold(lease, state, stop))
    },
  }
}
