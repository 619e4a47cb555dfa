/** The waits that an app requires: until its limits allow the next request, and until its lists show a change. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SyncDefinition } from '../../../src/definition/sync.ts'

/** The time in which the checks wait. */
export interface CheckClock {
  /** Milliseconds since 1970; never goes back. */
  nowMs(): number
  wait(ms: number): Promise<void>
}

/** The time of this machine. */
export const machineClock: CheckClock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  wait: (ms) => sleep(ms),
}

/** The options of waits. */
export interface WaitOptions {
  readonly clock: CheckClock
  /** Receives the reason and the maximum duration of each wait. */
  readonly onWait: (reason: string, ms: number) => void
}

// The maximum total wait. The checks do not wait for a limit of an hour or a day.
const MAX_PAUSES_MS = 15 * 60_000
const MIN_PAUSE_MS = 1_000
const STEP_MS = 5_000

/** The pause that rate limits require; undefined if anything else failed too. */
const pauseMsOf = (error: unknown): number | undefined => {
  const failures: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  const limits = failures.map(Object)
  if (!limits.every(({ code }) => code === 'APP_RATE_LIMITED')) return
  return Math.max(MIN_PAUSE_MS, ...limits.map(({ retryAfterMs }) => retryAfterMs ?? 0))
}

/**
 * Does the work again as long as the rate limits of the app, or the request budget, reject it.
 * @throws what the work throws for another reason, or for a limit that lasts longer than 15 minutes
 */
export const retryWithinLimits = async <T>(
  { clock, onWait }: WaitOptions,
  work: () => Promise<T>,
): Promise<T> => {
  for (let waitedMs = 0; ; ) {
    try {
      return await work()
    } catch (error) {
      const ms = pauseMsOf(error)
      if (ms === undefined || waitedMs + ms > MAX_PAUSES_MS) throw error
      onWait('the request limits of the app', ms)
      await clock.wait(ms)
      waitedMs += ms
    }
  }
}

/** How long a change may take to appear in a listing of changes, as the connector declares it. */
export const lagMsOf = ({ changes }: SyncDefinition): number =>
  changes.by === 'time' ? changes.overlapMs : 0

/** Whether the condition is met, at the latest after the lag of the app. */
export const untilShown = async (
  { clock, onWait }: WaitOptions,
  lagMs: number,
  isShown: () => Promise<boolean>,
): Promise<boolean> => {
  const endMs = clock.nowMs() + lagMs
  for (let isReported = false; ; isReported = true) {
    if (await isShown()) return true
    const leftMs = endMs - clock.nowMs()
    if (leftMs <= 0) return false
    if (!isReported) onWait('a change to appear in the lists of the app', leftMs)
    await clock.wait(Math.min(leftMs, STEP_MS))
  }
}
