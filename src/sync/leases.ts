/** The leases that this process holds, kept alive while their runs last. */
import { randomUUID } from 'node:crypto'
import { createRepeater } from '../repeater.ts'
import type { Database } from '../store/database.ts'
import type { SyncKey } from '../store/sync-key.ts'
import {
  acquireRun,
  type Lease,
  LeaseLostError,
  renewRuns,
  type SyncState,
} from '../store/sync-state.ts'
import type { SyncLog } from './active-run.ts'

export interface HeldLease {
  readonly lease: Lease
  /** Where the synchronisation stood when the lease was taken. */
  readonly state: SyncState
  /** When that was, in milliseconds by this process's steady clock. */
  readonly takenUpMs: number
  /** Aborted with a LeaseLostError when another took the run over, or by the signal that was given. */
  readonly signal: AbortSignal
  /** Ends the renewal; the run itself has given the lease back. */
  release(): void
}

export interface LeasesOptions {
  readonly database: Database
  readonly log: SyncLog
  /** A process that is killed blocks its runs so long. */
  readonly durationMs: number
}

/** One statement a beat renews every lease of the process. */
export const createLeases = ({ database, log, durationMs }: LeasesOptions) => {
  const held = new Map<string, { lease: Lease; lost: AbortController }>()

  const renew = async (): Promise<void> => {
    const asked = [...held.values()]
    const still = await renewRuns(
      database,
      asked.map(({ lease }) => lease),
    )
    for (const { lease, lost } of asked)
      if (!still.has(lease.holder) && held.has(lease.holder))
        lost.abort(new LeaseLostError('Another process has taken the run over.'))
  }
  const renewals = createRepeater({
    step: renew,
    everyMs: durationMs / 3,
    // Not lost yet: what a run commits says whether it still holds.
    onFailure: (error) =>
      log.warn({ err: error }, 'the leases of the running synchronisations were not renewed'),
  })

  return {
    /** Takes a lease and renews it from then on. @returns undefined while another holds it, or if there is none */
    take: async (key: SyncKey, stop: AbortSignal): Promise<HeldLease | undefined> => {
      const lease: Lease = { key, holder: randomUUID(), durationMs }
      const state = await acquireRun(database, lease)
      if (!state) return
      const takenUpMs = performance.now()
      // Not before: a beat that does not find it yet would take it for lost.
      const lost = new AbortController()
      held.set(lease.holder, { lease, lost })
      renewals.start()
      return {
        ...{ lease, state, takenUpMs },
        signal: AbortSignal.any([lost.signal, stop]),
        release: () => {
          held.delete(lease.holder)
          if (held.size === 0) void renewals.stop()
        },
      }
    },
  }
}
