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

/** Numbers of 32 bits: the parts of hashes of the seed and a counter. */
const randomWords = (seed: string): (() => number) => {
  let count = 0
  let words = Buffer.alloc(0)
  return () => {
    const position = count++ % 8
    if (position === 0) words = hash('sha256', `${seed}\n${count}`, 'buffer')
    return words.readUInt32LE(position * 4)
  }
}

/** Creates a generator seeded with the scope: a different scope gives a different sequence. */
export const createRandom = (...scope: readonly (string | number)[]): Random => {
  const next = randomWords(scope.join('\n'))
  const below = (end: number): number => Math.floor((next() / 2 ** 32) * end)
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
