/** A step that is done again and again, never twice at once. */

export interface RepeaterOptions {
  /** The signal is aborted when the repeater is being stopped: a long step ends soon then. */
  readonly step: (signal: AbortSignal) => Promise<unknown>
  readonly everyMs: number
  /** Told of a step that failed, unless it was stopped; the next comes in its time. */
  readonly onFailure: (error: unknown) => void
}

export interface Repeater {
  /** The first step comes after `everyMs`. */
  start(): void
  /** Does the step now, unless it is under way or the repeater is not started. Resolves once it has ended; never rejects. */
  run(): Promise<void>
  /** Resolves once the step that is under way has ended. It may be started again. */
  stop(): Promise<void>
}

export const createRepeater = ({ step, everyMs, onFailure }: RepeaterOptions): Repeater => {
  let timer: NodeJS.Timeout | undefined
  let stopping = new AbortController()
  let current: Promise<void> | undefined

  const attempt = async (signal: AbortSignal): Promise<void> => {
    try {
      await step(signal)
    } catch (error) {
      if (!signal.aborted) onFailure(error)
    }
  }

  const run = async (): Promise<void> => {
    if (timer === undefined) return
    current ??= attempt(stopping.signal).finally(() => {
      current = undefined
    })
    await current
  }

  return {
    start: () => {
      if (timer !== undefined) return
      stopping = new AbortController()
      timer = setInterval(run, everyMs)
    },
    run,
    stop: async () => {
      clearInterval(timer)
      timer = undefined
      stopping.abort()
      await current
    },
  }
}
