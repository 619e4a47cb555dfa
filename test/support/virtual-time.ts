/** A virtual clock that advances only while every task waits, so that a simulated day takes as long as its work. */

interface Timer {
  readonly atMs: number
  readonly resume: () => void
}

export interface VirtualTime {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Waits inside of a task. */
  wait(ms: number): Promise<void>
  /** Runs a task. Time stands still while it does anything but wait. */
  run(task: () => Promise<void>): Promise<void>
}

export const createVirtualTime = (startMs: number): VirtualTime => {
  let nowMs = startMs
  let active = 0
  /** Sorted by time, latest first. */
  const timers: Timer[] = []

  const advance = (): void => {
    if (active > 0) return
    const next = timers.at(-1)
    if (next === undefined) return
    nowMs = Math.max(nowMs, next.atMs)
    while (timers.length > 0 && (timers.at(-1)?.atMs ?? 0) <= nowMs) {
      active++
      timers.pop()?.resume()
    }
  }
  const becomeIdle = (): void => {
    active--
    if (active === 0) setImmediate(advance)
  }
  const insert = (timer: Timer): void => {
    let low = 0
    let high = timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((timers[middle]?.atMs ?? 0) > timer.atMs) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
  }

  return {
    nowMs: () => nowMs,
    wait: (ms) =>
      new Promise((resolve) => {
        insert({ atMs: nowMs + Math.max(0, ms), resume: resolve })
        becomeIdle()
      }),
    run: async (task) => {
      active++
      try {
        await task()
      } finally {
        becomeIdle()
      }
    },
  }
}
