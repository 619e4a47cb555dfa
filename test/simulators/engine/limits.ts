/** Limits on calls: counts in a period, concurrent calls, and buckets of points. */
import type { Clock } from './clock.ts'

/** The used part of a limit, for one key. */
export interface LimitState {
  readonly max: number
  readonly used: number
  /** Milliseconds until the whole limit is available again. */
  readonly resetMs: number
}

export interface Limit {
  state(key: string): LimitState
  /** Milliseconds until this cost fits; 0: it fits now. */
  waitMs(key: string, cost: number): number
  /** Uses this cost. Call it only after `waitMs` returned 0. */
  take(key: string, cost: number): void
  /** Ends a call that `take` admitted, which matters to limits of concurrent calls alone. */
  end(key: string, cost: number): void
}

/** A limit in points. A call can return the points that it did not cost. */
export interface Bucket extends Limit {
  giveBack(key: string, cost: number): void
}

/** At most `max` in any period of this length. */
export const createWindow = (
  clock: Pick<Clock, 'steadyMs'>,
  { max, periodMs }: { readonly max: number; readonly periodMs: number },
): Limit => {
  const uses = new Map<string, { readonly atMs: number; readonly cost: number }[]>()
  const currentUses = (key: string) => {
    const found = uses.get(key) ?? []
    const startMs = clock.steadyMs() - periodMs
    while (found[0] !== undefined && found[0].atMs <= startMs) found.shift()
    uses.set(key, found)
    return found
  }
  const endOf = ({ atMs }: { readonly atMs: number }) => atMs + periodMs - clock.steadyMs()
  const usedOf = (key: string) => currentUses(key).reduce((sum, { cost }) => sum + cost, 0)
  return {
    state: (key) => {
      const last = currentUses(key).at(-1)
      return { max, used: usedOf(key), resetMs: last ? endOf(last) : 0 }
    },
    waitMs: (key, cost) => {
      let excess = usedOf(key) + cost - max
      if (excess <= 0) return 0
      const freeing = currentUses(key).find((use) => {
        excess -= use.cost
        return excess <= 0
      })
      return freeing ? endOf(freeing) : periodMs
    },
    take: (key, cost) => void currentUses(key).push({ atMs: clock.steadyMs(), cost }),
    end: () => undefined,
  }
}

/** At most `max` in each period; periods follow each other from midnight UTC, e.g. for limits per day. */
export const createFixedWindow = (
  clock: Pick<Clock, 'steadyMs'>,
  { max, periodMs }: { readonly max: number; readonly periodMs: number },
): Limit => {
  const uses = new Map<string, { readonly period: number; used: number }>()
  const currentCount = (key: string) => {
    const period = Math.floor(clock.steadyMs() / periodMs)
    const found = uses.get(key)
    const valid = found?.period === period ? found : { period, used: 0 }
    uses.set(key, valid)
    return valid
  }
  const resetMs = () => periodMs - (clock.steadyMs() % periodMs)
  return {
    state: (key) => ({ max, used: currentCount(key).used, resetMs: resetMs() }),
    waitMs: (key, cost) => (currentCount(key).used + cost > max ? resetMs() : 0),
    take: (key, cost) => {
      currentCount(key).used += cost
    },
    end: () => undefined,
  }
}

/** At most `max` calls at the same time. */
export const createConcurrency = ({ max }: { readonly max: number }): Limit => {
  const running = new Map<string, number>()
  const usedOf = (key: string) => running.get(key) ?? 0
  return {
    state: (key) => ({ max, used: usedOf(key), resetMs: 0 }),
    // The end of a running call is unknown, so the wait is a guess of one second.
    waitMs: (key, cost) => (usedOf(key) + cost > max ? 1000 : 0),
    take: (key, cost) => void running.set(key, usedOf(key) + cost),
    end: (key, cost) => void running.set(key, usedOf(key) - cost),
  }
}

/** A bucket of points that fills steadily. */
export const createBucket = (
  clock: Pick<Clock, 'steadyMs'>,
  { max, restoredPerSecond }: { readonly max: number; readonly restoredPerSecond: number },
): Bucket => {
  const buckets = new Map<string, { used: number; atMs: number }>()
  const currentBucket = (key: string) => {
    const atMs = clock.steadyMs()
    const bucket = buckets.get(key) ?? { used: 0, atMs }
    const restored = ((atMs - bucket.atMs) * restoredPerSecond) / 1000
    bucket.used = Math.max(0, bucket.used - restored)
    bucket.atMs = atMs
    buckets.set(key, bucket)
    return bucket
  }
  const msFor = (points: number) => Math.ceil((points * 1000) / restoredPerSecond)
  return {
    state: (key) => ({
      max,
      used: currentBucket(key).used,
      resetMs: msFor(currentBucket(key).used),
    }),
    waitMs: (key, cost) => Math.max(0, msFor(currentBucket(key).used + cost - max)),
    take: (key, cost) => {
      currentBucket(key).used += cost
    },
    end: () => undefined,
    giveBack: (key, cost) => {
      const bucket = currentBucket(key)
      bucket.used = Math.max(0, bucket.used - cost)
    },
  }
}
