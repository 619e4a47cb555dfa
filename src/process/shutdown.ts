/** How a process stops: in the reverse order of its start, and within a limit. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { closeLog } from './log.ts'

export type Shutdown = ReturnType<typeof createShutdown>

export interface ShutdownOptions {
  readonly log: Logger
  /** Aborted when the process is told to stop: a start that is under way ends at its next step. */
  readonly asked?: AbortSignal | undefined
  /** For all that is to end, from the moment when the stop was asked for. */
  readonly limitMs?: number
}

interface Step {
  readonly name: string
  readonly stop: () => Promise<void>
  /** What it stops would outlive the process, so it is waited for however late it is. */
  readonly outlives: boolean
}

// Kubernetes leaves 30 s between SIGTERM and SIGKILL.
const LIMIT_MS = 25_000
// For each step once the limit is past: enough for one that waits for nothing.
const LEAST_MS = 100

/** Steps to stop, newest first: each is run even if another fails or does not end. */
export const createShutdown = ({ log, asked, limitMs = LIMIT_MS }: ShutdownOptions) => {
  const steps: Step[] = []
  let deadlineMs: number | undefined
  const beginLimit = (): number => {
    deadlineMs ??= performance.now() + limitMs
    return deadlineMs
  }
  const stalled = Promise.withResolvers<never>()
  stalled.promise.catch(() => {})
  const onAsked = (): void => {
    beginLimit()
    const error = new Error('The start was told to stop, and did not get to its next step.')
    setTimeout(() => stalled.reject(error), limitMs).unref()
  }
  asked?.addEventListener('abort', onAsked, { once: true })

  const run = async ({ name, stop, outlives }: Step): Promise<'stopped' | 'late'> => {
    const stopped = stop()
      .catch((error: unknown) => log.error({ err: error, step: name }, 'failed to stop'))
      .then(() => 'stopped' as const)
    if (outlives) return stopped
    const patienceMs = Math.max(beginLimit() - performance.now(), LEAST_MS)
    const over = new AbortController()
    const late = wait(patienceMs, 'late' as const, { signal: over.signal })
    const outcome = await Promise.race([stopped, late])
    over.abort()
    if (outcome === 'late') log.error({ step: name }, 'did not stop in time')
    return outcome
  }

  return {
    /** To be called before what it stops can fail. @throws the signal's reason if a stop was asked for */
    add: (name: string, stop: () => Promise<void>, { outlives = false } = {}): void => {
      steps.unshift({ name, stop, outlives })
      asked?.throwIfAborted()
    },
    /** What a start comes to; once it is told to stop, it is waited for no longer than the limit. */
    within: <Started>(start: Promise<Started>): Promise<Started> =>
      Promise.race([start, stalled.promise]),
    /** @returns whether all of it has stopped; what has not ends with the process */
    run: async (): Promise<boolean> => {
      beginLimit()
      let isStopped = true
      for (const step of steps.splice(0)) if ((await run(step)) === 'late') isStopped = false
      log.info(isStopped ? 'stopped' : 'stopped without waiting any longer')
      await closeLog(log)
      return isStopped
    },
  }
}
