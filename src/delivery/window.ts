/** The newest changes of the log, in memory once per process. Followers hold an index into it, not a copy. */
import type { Change } from '../store/changes/changes.ts'

export interface WindowLimits {
  readonly changes: number
  /** Maximum memory of the changes: two bytes per UTF-16 unit of a record, and a fixed size per change. */
  readonly bytes: number
}

export interface ChangeWindow {
  /** Index of the oldest change in the window. Indexes count from the start of the process. */
  readonly start: number
  /** Index of the next change to be appended. */
  readonly end: number
  /** The change at an index from `start` (inclusive) to `end` (exclusive). */
  at(index: number): Change
  append(changes: readonly Change[]): void
}

/** Memory of a change without its record: an object, ids, a date and the position in the log. */
const OVERHEAD_BYTES = 1024

const bytesOf = ({ record }: Change): number => OVERHEAD_BYTES + 2 * (record?.length ?? 0)

export const createChangeWindow = (limits: WindowLimits): ChangeWindow => {
  let current: Change[] = []
  let start = 0
  let bytes = 0
  return {
    get start() {
      return start
    },
    get end() {
      return start + current.length
    },
    at: (index) => {
      const change = current[index - start]
      if (change === undefined)
        throw new RangeError(
          `The window has no change at index ${index}; expected ${start} to ${start + current.length - 1}.`,
        )
      return change
    },
    append: (changes) => {
      for (const change of changes) bytes += bytesOf(change)
      current.push(...changes)
      let over = 0
      while (
        current.length - over > limits.changes ||
        (bytes > limits.bytes && over < current.length)
      ) {
        const oldest = current[over]
        if (oldest === undefined) break
        bytes -= bytesOf(oldest)
        over += 1
      }
      if (over === 0) return
      current = current.slice(over)
      start += over
    },
  }
}
