/** Renews the leases of this process while their work runs, and aborts the work of a lease that is lost. */
import { createRepeater } from '../../repeater.ts'
import { type Lease, LeaseLostError } from './lease-sql.ts'

/** How long a lease is certainly valid, by `performance.now()` of this process. */
export interface LeaseTerm {
  /** Starts the term again. `sentMs`: when the statement that acquired or renewed the lease was sent. */
  extend(sentMs: number): void
  /** Negative or 0: other processes may have taken over. */
  remainingMs(): number
}

/** Creates the term of a lease that is not acquired yet. */
export const createLeaseTerm = (durationMs: number): LeaseTerm => {
  let endMs = Number.NEGATIVE_INFINITY
  return {
    extend: (sentMs) => {
      endMs = sentMs + durationMs
    },
    remainingMs: () => endMs - performance.now(),
  }
}

/** A lease that this process renews. */
export interface HeldLease {
  /** Aborted with a LeaseLostError when another process has taken over, or when the lease could not be renewed in time. */
  readonly signal: AbortSignal
  /** Stops renewing the lease. The last write of the work releases it in the database. */
  release(): void
}

export interface LeaseRenewalOptions<L extends Lease> {
  /** Duration of each lease. A third of it passes between renewals. */
  readonly durationMs: number
  /** Extends leases in the database. @returns the holders whose leases were not taken over */
  readonly renew: (leases: readonly L[]) => Promise<ReadonlySet<string>>
  /** Receives the error of a failed renewal. The leases stay valid until they expire. */
  readonly onFailure: (error: unknown) => void
}

/** Renews leases of one kind. One statement per interval renews all of them; without leases there is none. */
export const createLeaseRenewal = <L extends Lease>(options: LeaseRenewalOptions<L>) => {
  const { durationMs, renew, onFailure } = options
  const held = new Map<string, { lease: L; extend: (sentMs: number) => void; lose: () => void }>()

  const renewAll = async (): Promise<void> => {
    const sentMs = performance.now()
    const renewing = [...held.values()]
    const valid = await renew(renewing.map(({ lease }) => lease))
    // A lease that was released in the meantime is not lost.
    for (const one of renewing.filter(({ lease }) => held.has(lease.holder)))
      if (valid.has(one.lease.holder)) one.extend(sentMs)
      else one.lose()
  }
  const renewals = createRepeater({ step: renewAll, everyMs: durationMs / 3, onFailure })

  return {
    /**
     * Renews a lease until it is released. Call this only after the lease is acquired; otherwise the first renewal
     * reports it as lost. `sentMs`: when the statement that acquired it was sent, by `performance.now()`.
     */
    hold: (lease: L, sentMs: number): HeldLease => {
      const term = createLeaseTerm(durationMs)
      const lost = new AbortController()
      let expiry: NodeJS.Timeout | undefined
      const release = (): void => {
        clearTimeout(expiry)
        held.delete(lease.holder)
        if (held.size === 0) void renewals.stop()
      }
      const lose = (): void => {
        release()
        lost.abort(new LeaseLostError('The lease expired or was taken over by another process.'))
      }
      const extend = (extendedMs: number): void => {
        term.extend(extendedMs)
        clearTimeout(expiry)
        expiry = setTimeout(lose, Math.max(0, term.remainingMs()))
      }
      held.set(lease.holder, { lease, extend, lose })
      extend(sentMs)
      renewals.start()
      return { signal: lost.signal, release }
    },
  }
}

/** Renews a single lease until it is released. */
export const holdLease = <L extends Lease>(
  options: LeaseRenewalOptions<L>,
  lease: L,
  sentMs: number,
): HeldLease => createLeaseRenewal(options).hold(lease, sentMs)
