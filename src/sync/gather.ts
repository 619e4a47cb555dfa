/** Batches items as they arrive: pages that arrive during a transaction are stored together in the next. */

/**
 * Yields the items of a source in order, in batches of all that have arrived, at least one. The source keeps
 * running between batches until the waiting items reach `limit` in total size. Its error is thrown after the
 * items that precede it. Leaving the loop aborts the source.
 */
export async function* batchAvailable<Item>(
  open: (signal: AbortSignal) => AsyncIterable<Item>,
  sizeOf: (item: Item) => number,
  limit: number,
): AsyncGenerator<readonly [Item, ...Item[]], void, void> {
  const cancelled = new AbortController()
  let waiting: Item[] = []
  let size = 0
  let outcome: { readonly error?: unknown } | undefined
  let arrived = Promise.withResolvers<void>()
  let drained = Promise.withResolvers<void>()

  const readAll = async (): Promise<void> => {
    try {
      for await (const item of open(cancelled.signal)) {
        waiting.push(item)
        size += sizeOf(item)
        arrived.resolve()
        while (size >= limit && !cancelled.signal.aborted) await drained.promise
        if (cancelled.signal.aborted) return
      }
      outcome = {}
    } catch (error) {
      outcome = { error }
    }
    arrived.resolve()
  }

  const reading = readAll()
  try {
    for (;;) {
      await arrived.promise
      const [first, ...rest] = waiting
      if (first === undefined) {
        if (outcome && 'error' in outcome) throw outcome.error
        return
      }
      waiting = []
      size = 0
      if (outcome === undefined) arrived = Promise.withResolvers()
      drained.resolve()
      drained = Promise.withResolvers()
      yield [first, ...rest]
    }
  } finally {
    // A source that has ended needs no signal, and creating its reason is expensive.
    if (outcome === undefined) cancelled.abort()
    drained.resolve()
    await reading
  }
}
