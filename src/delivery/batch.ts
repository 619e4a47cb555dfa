/** Batches of changes for a subscriber, which has at most one batch in flight. */
import type { Change } from '../store/changes/changes.ts'

const MAX_CHANGES = 100
/** Length of the records' texts in UTF-16 units; a single longer change is a batch. */
const MAX_LENGTH = 32_768

/** Creates an empty batch. */
export const createBatch = () => {
  const changes: Change[] = []
  let length = 0
  return {
    changes: changes as readonly Change[],
    get isFull() {
      return changes.length >= MAX_CHANGES || length >= MAX_LENGTH
    },
    add: (change: Change): void => {
      changes.push(change)
      length += change.record?.length ?? 0
    },
  }
}

/** Splits changes into batches, in order. */
export function* inBatches(changes: Iterable<Change>): Generator<readonly Change[], void> {
  let batch = createBatch()
  for (const change of changes) {
    batch.add(change)
    if (!batch.isFull) continue
    yield batch.changes
    batch = createBatch()
  }
  if (batch.changes.length > 0) yield batch.changes
}
