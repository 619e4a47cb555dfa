/** The limits of a profile while a simulator runs. */
import type { Clock } from './clock.ts'
import type { Limit, LimitState } from './limits.ts'
import { type LimitedRequest, type LimitPolicy, RefusalError } from './profile.ts'

export interface LiveLimits {
  /** @throws if the profile has no limit of this name */
  of(name: string): Limit
  /** Replaces a limit by a tighter or wider one. */
  set(name: string, limit: Limit): void
  /** The states of the limits that apply to a request, by name. */
  states(request: LimitedRequest): Readonly<Record<string, LimitState>>
  /**
   * Counts a request against every limit that applies.
   * @returns the function that ends the request
   * @throws RefusalError if it exceeds one; then it counts against none
   */
  admit(request: LimitedRequest): () => void
}

interface Use {
  readonly name: string
  readonly key: string
  readonly cost: number
  readonly limit: Limit
}

export const createLiveLimits = (policies: readonly LimitPolicy[], clock: Clock): LiveLimits => {
  const limits = new Map(policies.map(({ name, limit }) => [name, limit(clock)]))
  const of = (name: string): Limit => {
    const limit = limits.get(name)
    if (!limit) throw new Error(`There is no limit ${name}: ${[...limits.keys()].join(', ')}`)
    return limit
  }
  const usesOf = (request: LimitedRequest): readonly Use[] =>
    policies.flatMap(({ name, key, cost }) => {
      const found = key(request)
      return found === undefined
        ? []
        : [{ name, key: found, cost: cost?.(request) ?? 1, limit: of(name) }]
    })
  return {
    of,
    set: (name, limit) => {
      of(name)
      limits.set(name, limit)
    },
    states: (request) =>
      Object.fromEntries(usesOf(request).map(({ name, key, limit }) => [name, limit.state(key)])),
    admit: (request) => {
      const uses = usesOf(request)
      for (const { name, key, cost, limit } of uses) {
        const retryAfterMs = limit.waitMs(key, cost)
        if (retryAfterMs > 0)
          throw new RefusalError({ reason: 'rate-limited', limit: name, retryAfterMs })
      }
      for (const { key, cost, limit } of uses) limit.take(key, cost)
      return () => {
        for (const { key, cost, limit } of uses) limit.end(key, cost)
      }
    },
  }
}
