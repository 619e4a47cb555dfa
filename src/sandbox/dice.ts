/** Chance that is the same every time: what a name and a seed decide. */
import { hash } from 'node:crypto'

/** Throws, one after the other. */
export interface Dice {
  /** A whole number from `min` to `max`, both possible. */
  integer(min: number, max: number): number
  /** One of the list. @throws RangeError if it is empty. */
  pick<T>(list: readonly T[]): T
  /** Several of the list, each at most once, in a random order. */
  some<T>(list: readonly T[], count: number): T[]
  /** True in `percent` of 100 throws. */
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

/** Dice whose throws follow from the scope: another word in it, other throws. */
export const createDice = (...scope: readonly (string | number)[]): Dice => {
  const next = randomWords(scope.join('\n'))
  const below = (end: number): number => Math.floor((next() / WORD) * end)
  const dice: Dice = {
    integer: (min, max) => min + below(max - min + 1),
    pick: (list) => {
      if (list.length === 0) throw new RangeError('Nothing to pick from.')
      // Below the length of a list that is not empty, there is an entry.
      return list[below(list.length)] as (typeof list)[number]
    },
    some: (list, count) => {
      const rest = [...list]
      return Array.from({ length: Math.min(count, list.length) }, () =>
        // As many are taken as there are.
        rest.splice(below(rest.length), 1),
      ).flat()
    },
    chance: (percent) => below(100) < percent,
    digits: (pattern) => pattern.replace(/#/g, () => String(below(10))),
  }
  return dice
}
