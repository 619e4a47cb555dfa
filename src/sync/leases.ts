/** The leases of this process's sync runs. */
import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import type { Database } from '../store/database/database.ts'
import { createLeaseRenewal, type HeldLease } from '../store/database/lease-renewal.ts'
import { renewLeases } from '../store/database/lease-sql.ts'
import { type AcquiredRun, acquireDueRuns, acquireRun } from '../store/sync/claims.ts'
import type { SyncKey } from '../store/sync/sync-key.ts'
import { SYNC_STATES, type SyncLease } from '../store/sync/sync-state.ts'

/** A run whose lease this process holds. `signal` is aborted by the stop signal too. */
export interface HeldRun extends AcquiredRun, HeldLease {
  /** When the lease was acquired, by `performance.now()`. */
  readonly acquiredMs: number
}

/** The dependencies and settings of the leases. */
export interface LeasesOptions {
  readonly database: Database
  readonly log: Log
  /** How long a killed process blocks its runs. */
  readonly durationMs: number
}

/** Creates the leases of a process. */
export const createLeases = ({ database, log, durationMs }: LeasesOptions) => {
  const renewal = createLeaseRenewal<SyncLease>({
    durationMs,
    renew: (leases) => renewLeases(database, SYNC_STATES, leases),
    onFailure: (error) => log.warn({ err: error }, 'the leases of sync runs could not be renewed'),
  })

  const leaseOf = (key: SyncKey): SyncLease => ({ key, holder: randomUUID(), durationMs })

  const hold = (run: AcquiredRun, sentMs: number, stop: AbortSignal): HeldRun => {
    const acquiredMs = performance.now()
    const { signal, release } = renewal.hold(run.lease, sentMs)
    return { ...run, acquiredMs, signal: AbortSignal.any([signal, stop]), release }
  }

  return {
    /** Acquires a lease and keeps it renewed. @returns undefined if another process holds it or the state was deleted */
    acquire: async (key: SyncKey, stop: AbortSignal): Promise<HeldRun | undefined> => {
      const sentMs = performance.now()
      const lease = leaseOf(key)
      const state = await acquireRun(database, lease)
      return state && hold({ lease, state }, sentMs, stop)
    },
    /** Acquires the leases of those keys that are still due and free, in one statement. */
    acquireDue: async (keys: readonly SyncKey[], stop: AbortSignal): Promise<HeldRun[]> => {
      const sentMs = performance.now()
      const runs = await acquireDueRuns(database, keys.map(leaseOf))
      return runs.map((run) => hold(run, sentMs, stop))
    },
  }
}
