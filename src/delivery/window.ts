/** The newest part of the change log, once a process: whoever follows it holds a place in it, and no copy. */
import type { Change } from '../store/changes.ts'

export interface WindowLimits {
  readonly changes: number
  /** Of the records' texts, in UTF-16 units. */
  readonly length: number
}

export interface ChangeWindow {
  /** The place of the oldest change that is kept. */
  readonly start: number
  /** The place of the next change to come. */
  readonly end: number
  /** The change at a place from `start` to before `end`. */
  at(place: number): Change
  append(changes: readonly Change[]): void
}

const lengthOf = ({ record }: Change): number => record?.length ?? 0

export const createChangeWindow = (limits: WindowLimits): ChangeWindow => {
  let kept: Change[] = []
  let start = 0
  let length = 0
  return {
    get start() {
      return start
    },
    get end() {
      return start + kept.length
    },
    at: (place) => {
      const change = kept[place - start]
      if (change === undefined) throw new RangeError(`The window has no place ${place}.`)
      return change
    },
    append: (changes) => {
      for (const change of changes) length += lengthOf(change)
      kept.push(...changes)
      let over = 0
      while (
        kept.length - over > limits.changes ||
        (length > limits.length && over < kept.length)
      ) {
        const oldest = kept[over]
        if (oldest === undefined) break
        length -= lengthOf(oldest)
        over += 1
      }
      if (over === 0) return
      kept = kept.slice(over)
      start += over
    },
  }
}
