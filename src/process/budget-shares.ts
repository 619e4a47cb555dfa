/** The lowest share that was left of each limit of an app, for a metric without labels of tenants. */

/** What was left of a limit. */
export interface LowestShare {
  readonly app: string
  readonly limit: string
  /** From 0 to 1. */
  readonly share: number
}

export interface LowestShares {
  readonly note: (app: string, limit: string, share: number) => void
  /** The lowest shares that were noted in the last minute or two. */
  readonly list: () => readonly LowestShare[]
}

const GENERATION_MS = 60_000

/** Creates the shares of a process. @param nowMs milliseconds of a clock that never goes back */
export const createLowestShares = (nowMs: () => number = () => performance.now()): LowestShares => {
  let startedMs = nowMs()
  let current = new Map<string, LowestShare>()
  let previous = current
  const advance = (): void => {
    const elapsedMs = nowMs() - startedMs
    if (elapsedMs < GENERATION_MS) return
    previous = elapsedMs < 2 * GENERATION_MS ? current : new Map()
    current = new Map()
    startedMs = nowMs()
  }
  return {
    note: (app, limit, share) => {
      advance()
      const name = `${app} ${limit}`
      const known = current.get(name)?.share ?? 1
      current.set(name, { app, limit, share: Math.min(known, share) })
    },
    list: () => {
      advance()
      const names = new Set([...current.keys(), ...previous.keys()])
      return [...names].flatMap((name) => {
        const shares = [current.get(name), previous.get(name)].filter((one) => one !== undefined)
        return shares.toSorted((a, b) => a.share - b.share).slice(0, 1)
      })
    },
  }
}
