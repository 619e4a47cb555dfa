/** Async iterators that can also be read in batches. */
import type { Change } from '../../store/changes/changes.ts'

/** A change that a subscription receives. */
export interface ChangeEvent {
  readonly change: Change
  /** Whether the record matches the filter after the change; false: it may have matched before. */
  readonly inFilter: boolean
}

/** A stream that is read value by value, or in batches of all values available. */
export interface BatchStream<Value> extends AsyncIterableIterator<Value> {
  /** The next values, at least one; undefined at the end. */
  nextBatch(): Promise<readonly Value[] | undefined>
  return(): Promise<IteratorReturnResult<undefined>>
}

/** The source of a stream. */
interface BatchSource<Value> {
  nextBatch(): Promise<readonly Value[] | undefined>
  close(): Promise<unknown>
}

/**
 * Creates a stream from a source. It is not a generator, because `return` of a generator waits for a pending
 * `next`, which may never resolve here.
 */
export const createBatchStream = <Value>({
  nextBatch,
  close,
}: BatchSource<Value>): BatchStream<Value> => {
  let rest: readonly Value[] = []
  let previous: Promise<unknown> = Promise.resolve()
  const take = async (): Promise<IteratorResult<Value, undefined>> => {
    if (rest.length === 0) rest = (await nextBatch()) ?? []
    const [value] = rest
    if (value === undefined) return { done: true, value: undefined }
    rest = rest.slice(1)
    return { value }
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    nextBatch,
    next: () => {
      // One after the other: a batch that arrives must not replace the rest of an earlier one.
      const result = previous.then(take, take)
      previous = result
      return result
    },
    return: async () => {
      await close()
      return { done: true, value: undefined }
    },
  }
}
