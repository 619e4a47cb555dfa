/** The shutdown of a process: in the reverse order of its start, within a time limit. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { closeLog } from './log.ts'

export type Shutdown = ReturnType<typeof createShutdown>

export interface ShutdownOptions {
  readonly log: Logger
  /** Aborted when the process is to stop. A start in progress then ends at its next step. */
  readonly signal?: AbortSignal | undefined
  /** Total time allowed for the shutdown, counted from the stop request. */
  readonly limitMs?: number
}

interface Step {
  readonly name: string
  readonly stop: () => Promise<void>
  /** Whether the stopped part would outlive the process; such a step is awaited without a limit. */
  readonly outlivesProcess: boolean
}

// Kubernetes leaves 30 s between SIGTERM and SIGKILL.
const LIMIT_MS = 25_000
// Time for each step after the limit: enough for a step that does not wait.
const LEAST_MS = 100

/** The steps of a shutdown, newest first. Each runs even if another fails or does not end. */
export const createShutdown = ({ log, signal, limitMs = LIMIT_MS }: ShutdownOptions) => {
  const steps: Step[] = []
  let deadlineMs: number | undefined
  const beginLimit = (): number => {
    deadlineMs ??= performance.now() + limitMs
    return deadlineMs
  }
  const stalled = Promise.withResolvers<never>()
  stalled.promise.catch(() => {})
  const onStopRequest = (): void => {
    beginLimit()
    const error = new Error('The start did not reach its next step in time after the stop request.')
    setTimeout(() => stalled.reject(error), limitMs).unref()
  }
  signal?.addEventListener('abort', onStopRequest, { once: true })

  const run = async ({ name, stop, outlivesProcess }: Step): Promise<'stopped' | 'late'> => {
    const stopped = stop()
      .catch((error: unknown) => log.error({ err: error, step: name }, 'failed to stop'))
      .then(() => 'stopped' as const)
    if (outlivesProcess) return stopped
    const timeLeftMs = Math.max(beginLimit() - performance.now(), LEAST_MS)
    const settled = new AbortController()
    const late = wait(timeLeftMs, 'late' as const, { signal: settled.signal })
    const outcome = await Promise.race([stopped, late])
    settled.abort()
    if (outcome === 'late') log.error({ step: name }, 'did not stop in time')
    return outcome
  }

  return {
    /** Aborted when the process is to stop. */
    signal,
    /** Adds a step; call it before the started part can fail. @throws the signal's reason after a stop request */
    add: (name: string, stop: () => Promise<void>, { outlivesProcess = false } = {}): void => {
      steps.unshift({ name, stop, outlivesProcess })
      signal?.throwIfAborted()
    },
    /** The result of a start. After a stop request it is awaited no longer than the limit. */
    within: <Started>(start: Promise<Started>): Promise<Started> =>
      Promise.race([start, stalled.promise]),
    /** Runs all steps. @returns whether each stopped in time; the rest ends with the process */
    run: async (): Promise<boolean> => {
      beginLimit()
      let isStopped = true
      for (const step of steps.splice(0)) if ((await run(step)) === 'late') isStopped = false
      log.info(isStopped ? 'stopped' : 'stopped; some steps did not end in time')
      await closeLog(log)
      return isStopped
    },
  }
}
