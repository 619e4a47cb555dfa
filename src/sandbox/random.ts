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

const WORD = 2 ** 32

/** sfc32: the small fast counter generator of PractRand, 128 bits of state. @see https://pracrand.sourceforge.net */
const randomWords = (seed: string): (() => number) => {
  const digest = hash('sha256', seed, 'buffer')
  let a = digest.readUInt32LE(0)
  let b = digest.readUInt32LE(4)
  let c = digest.readUInt32LE(8)
  let counter = digest.readUInt32LE(12)
  return () => {
    const result = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + result) >>> 0
    return result
  }
}

/** Creates a generator seeded with the scope: a different scope gives a different sequence. */
export const createRandom = (...scope: readonly (string | number)[]): Random => {
  const next = randomWords(scope.join('\n'))
  const below = (end: number): number => Math.floor((next() / WORD) * end)
  const random: Random = {
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
  return random
}
