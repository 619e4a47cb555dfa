/**
 * An app that counts its requests in sliding windows, as strictly as any vendor: it rejects a request over a limit
 * with 429 and Retry-After, and records each request that should not have been sent.
 */

/** A limit of the app, counted separately for each value of the request header `key`. */
export interface AppLimit {
  readonly name: string
  readonly key: string
  readonly max: number
  readonly windowMs: number
}

export interface CountingAppOptions {
  readonly nowMs: () => number
  readonly limits: readonly AppLimit[]
  /** How many requests may be in flight at the same time, for each value of the header `key`. */
  readonly concurrency?: { readonly key: string; readonly max: number }
  /** Simulates the duration of a request. */
  readonly work?: () => Promise<void>
  /** Rejects a request although no limit is reached: the seconds of its Retry-After; undefined: accepts it. */
  readonly throttle?: () => number | undefined
}

/** The times of the accepted requests of one key, oldest first. */
interface Window {
  readonly times: number[]
  /** Number of times that have left the window. */
  expired: number
}

export interface CountingApp {
  handle(request: Request): Promise<Response>
  /** Requests that should not have been sent, in words. */
  readonly violations: string[]
  /** Number of accepted requests, by value of the header. */
  accepted(header: string): ReadonlyMap<string, number>
  /** The largest number of requests in a window, by name of the limit. */
  readonly largestWindows: ReadonlyMap<string, number>
}

export const createCountingApp = (options: CountingAppOptions): CountingApp => {
  const { nowMs, limits, concurrency, work, throttle } = options
  const windows = new Map<string, Window>()
  const inFlight = new Map<string, number>()
  /** The end of the Retry-After that a credential has received, once the response has been sent. */
  const waits = new Map<string, { readonly fromMs: number; readonly untilMs: number }>()
  const accepted: Headers[] = []
  const violations: string[] = []
  const largestWindows = new Map<string, number>()

  const windowOf = ({ name, key, windowMs }: AppLimit, headers: Headers): Window => {
    const id = `${name} ${headers.get(key)}`
    const window = windows.get(id) ?? { times: [], expired: 0 }
    windows.set(id, window)
    while ((window.times[window.expired] ?? Number.POSITIVE_INFINITY) <= nowMs() - windowMs)
      window.expired++
    return window
  }

  /** The seconds to wait; undefined: the request is accepted and counted. */
  const count = (headers: Headers): number | undefined => {
    const counted = limits.map((limit) => ({ limit, window: windowOf(limit, headers) }))
    const over = counted.find(
      ({ limit, window }) => window.times.length - window.expired >= limit.max,
    )
    if (over) {
      violations.push(`${headers.get('x-purpose')} exceeds ${over.limit.name} at ${nowMs()}`)
      const oldest = over.window.times[over.window.expired] ?? nowMs()
      return Math.ceil((oldest + over.limit.windowMs - nowMs()) / 1000)
    }
    const seconds = throttle?.()
    if (seconds !== undefined) return seconds
    for (const { limit, window } of counted) {
      window.times.push(nowMs())
      const size = window.times.length - window.expired
      largestWindows.set(limit.name, Math.max(largestWindows.get(limit.name) ?? 0, size))
    }
    accepted.push(headers)
    return
  }

  return {
    violations,
    largestWindows,
    accepted: (header) => {
      const counts = new Map<string, number>()
      for (const headers of accepted) {
        const value = headers.get(header) ?? ''
        counts.set(value, (counts.get(value) ?? 0) + 1)
      }
      return counts
    },
    handle: async ({ headers }) => {
      const credential = headers.get('x-credential') ?? ''
      const wait = waits.get(credential)
      // A request that was sent before the response arrived could not obey it.
      if (wait && nowMs() > wait.fromMs && nowMs() < wait.untilMs)
        violations.push(`${headers.get('x-purpose')} before Retry-After at ${nowMs()}`)
      const concurrencyKey = headers.get(concurrency?.key ?? '') ?? ''
      const open = (inFlight.get(concurrencyKey) ?? 0) + 1
      inFlight.set(concurrencyKey, open)
      if (concurrency && open > concurrency.max)
        violations.push(`${open} requests in flight at ${nowMs()}`)
      const seconds = count(headers)
      await work?.()
      inFlight.set(concurrencyKey, (inFlight.get(concurrencyKey) ?? 1) - 1)
      if (seconds === undefined) return Response.json({})
      const earlier = waits.get(credential)
      const isWaiting = earlier !== undefined && nowMs() < earlier.untilMs
      waits.set(credential, {
        fromMs: isWaiting ? earlier.fromMs : nowMs(),
        untilMs: Math.max(earlier?.untilMs ?? 0, nowMs() + seconds * 1000),
      })
      return Response.json({}, { status: 429, headers: { 'retry-after': String(seconds) } })
    },
  }
}
