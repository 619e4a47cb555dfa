/** Reads of one event stream at the same time. */
import { expect, test } from 'vitest'
import { createBatchStream } from '../../src/api/graphql/event-stream.ts'

test('concurrent reads lose no value and keep the order', async () => {
  const batches = [[1, 2], [3], [4, 5, 6]]
  const stream = createBatchStream<number>({
    nextBatch: async () => batches.shift(),
    close: async () => {},
  })
  const results = await Promise.all(Array.from({ length: 7 }, () => stream.next()))
  expect(results.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6, undefined])
})
