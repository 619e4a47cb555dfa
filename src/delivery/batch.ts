/** Changes that are told together: a subscriber has no more than these under way. */
import type { Change } from '../store/changes.ts'

const MAX_CHANGES = 100
/** Of the records' texts, in UTF-16 units; one change may have more. */
const MAX_LENGTH = 32_768

/** A batch to be filled. */
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

/** The changes in batches, in their order. */
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
