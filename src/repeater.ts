/** A step that runs at an interval, one run at a time. */

export interface RepeaterOptions {
  /** One run. The signal is aborted when the repeater is stopped, so that a long run ends soon. */
  readonly step: (signal: AbortSignal) => Promise<unknown>
  readonly everyMs: number
  /** Receives the error of a run that failed, unless the repeater was stopped. The next run starts as planned. */
  readonly onFailure: (error: unknown) => void
}

export interface Repeater {
  /** Starts the interval; the first run is after `everyMs`. */
  start(): void
  /** Runs the step now, or joins the current run, if started. Resolves when the run has ended; never rejects. */
  run(): Promise<void>
  /** Stops the interval; resolves when the current run has ended. The repeater can be started again. */
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
