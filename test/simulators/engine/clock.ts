/** The vendor's clock, which tests move. */

export interface Clock {
  /** The time that the vendor shows: record times and the `Date` header, in milliseconds since 1970. */
  nowMs(): number
  /** Time without the skew: expiry of tokens, limits and retries count in it. */
  steadyMs(): number
  /** Advances the time: new records have later times, tokens expire, limits reset. */
  advance(ms: number): void
  /** Sets the error of the vendor's clock in milliseconds; 0 corrects it. Durations do not change. */
  skew(ms: number): void
  /** Stops the clock, so that only `advance` moves it. */
  freeze(): void
  /** Lets a stopped clock run. */
  resume(): void
}

export interface ClockOptions {
  /** Default: the host's time. */
  readonly startMs?: number | undefined
  /** Whether the clock stands still until it is advanced. Default: it runs. */
  readonly frozen?: boolean | undefined
}

export const createClock = ({ startMs = Date.now(), frozen = false }: ClockOptions = {}): Clock => {
  let baseMs = startMs
  let skewMs = 0
  let runningSinceMs: number | undefined = frozen ? undefined : performance.now()

  const steadyMs = (): number =>
    Math.floor(baseMs + (runningSinceMs === undefined ? 0 : performance.now() - runningSinceMs))

  return {
    nowMs: () => steadyMs() + skewMs,
    steadyMs,
    advance: (ms) => {
      baseMs += ms
    },
    skew: (ms) => {
      skewMs = ms
    },
    freeze: () => {
      baseMs = steadyMs()
      runningSinceMs = undefined
    },
    resume: () => {
      runningSinceMs ??= performance.now()
    },
  }
}
