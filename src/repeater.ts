/** A step that is done again and again, never twice at once. */

export interface RepeaterOptions {
  /** The signal is aborted when it is to end soon: the repeater is being stopped. */
  readonly step: (signal: AbortSignal) => Promise<unknown>
  readonly everyMs: number
  /** Told of a step that failed, unless it was stopped; the next comes in its time. */
  readonly onFailure: (error: unknown) => void
}

export interface Repeater {
  /** The first step comes after the time between two. */
  start(): void
  /** Does the step now, unless it is under way or nothing is to be done any more; ends with it, and never rejects. */
  run(): Promise<void>
  /** Ends with the step that is under way. It may be started again. */
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
