/** A seeded random number generator: the same seed gives the same sequence. */
import { hash } from 'node:crypto'

/** A sequence of random values. */
export interface Random {
  /** An integer from `min` to `max`, inclusive. */
  integer(min: number, max: number): number
  /** One entry of the list. @throws RangeError if the list is empty */
  pick<T>(list: readonly T[]): T
  /** Up to `count` distinct entries of the list, in random order. */
  some<T>(list: readonly T[], count: number): T[]
  /** True with a probability of `percent`. */
  chance(percent: number): boolean
  /** The pattern with a random digit for each `#`. */
  digits(pattern: string): string
}

/** Numbers from 0 to below 1, by the generator mulberry32. */
const fractions = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const first = Math.imul(state ^ (state >>> 15), state | 1)
    const second = first ^ (first + Math.imul(first ^ (first >>> 7), first | 61))
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Creates a generator seeded with the scope: a different scope gives a different sequence. */
export const createRandom = (...scope: readonly (string | number)[]): Random => {
  const next = fractions(hash('sha256', scope.join('\n'), 'buffer').readUInt32LE())
  const below = (end: number): number => Math.floor(next() * end)
  return {
    integer: (min, max) => min + below(max - min + 1),
    pick: (list) => {
      if (list.length === 0) throw new RangeError('pick expects a list with at least one entry.')
      // Safe cast: the index is below the length.
      return list[below(list.length)] as (typeof list)[number]
    },
    some: (list, count) => {
      const rest = [...list]
      return Array.from({ length: Math.min(count, list.length) }, () =>
        // Never more entries than the list has.
        rest.splice(below(rest.length), 1),
      ).flat()
    },
    chance: (percent) => below(100) < percent,
    digits: (pattern) => pattern.replace(/#/g, () => String(below(10))),
  }
}
