/** Streams of changes, which come in batches and can be taken so. */
import type { Change } from '../../store/changes.ts'

/** A change that somebody has subscribed to. */
export interface ChangeEvent {
  readonly change: Change
  /** Whether the record is in the list of the filter now; false: it may have been until now. */
  readonly inFilter: boolean
}

/** A stream whose values can be taken one by one, or as many at once as are there. */
export interface BatchStream<Value> extends AsyncIterableIterator<Value> {
  /** The next values, one at least; undefined at the end. */
  nextBatch(): Promise<readonly Value[] | undefined>
  return(): Promise<IteratorReturnResult<undefined>>
}

/** What a stream is made of: where its values come from, and how it is closed. */
interface BatchSource<Value> {
  nextBatch(): Promise<readonly Value[] | undefined>
  close(): Promise<unknown>
}

/**
 * The stream of a source. Not a generator: the `return` of one waits until its `next` has come, which here
 * may be never.
 */
export const createBatchStream = <Value>({
  nextBatch,
  close,
}: BatchSource<Value>): BatchStream<Value> => {
  let rest: readonly Value[] = []
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    nextBatch,
    next: async () => {
      if (rest.length === 0) rest = (await nextBatch()) ?? []
      const [value] = rest
      if (value === undefined) return { done: true, value: undefined }
      rest = rest.slice(1)
      return { value }
    },
    return: async () => {
      await close()
      return { done: true, value: undefined }
    },
  }
}
