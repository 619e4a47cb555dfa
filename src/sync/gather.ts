/** What arrives while earlier pages are stored is stored together: a transaction costs the same for many. */

/**
 * The items in their order, in groups: all that have arrived when the next group is asked for, at least one.
 * The source goes on meanwhile until items of `limit` in all are waiting. A failure of it comes after the
 * items before it. Leaving the loop aborts the source.
 */
export async function* gather<Item>(
  open: (signal: AbortSignal) => AsyncIterable<Item>,
  sizeOf: (item: Item) => number,
  limit: number,
): AsyncGenerator<readonly [Item, ...Item[]], void, void> {
  const left = new AbortController()
  let waiting: Item[] = []
  let size = 0
  let outcome: { readonly error?: unknown } | undefined
  let arrived = Promise.withResolvers<void>()
  let taken = Promise.withResolvers<void>()

  const readAll = async (): Promise<void> => {
    try {
      for await (const item of open(left.signal)) {
        waiting.push(item)
        size += sizeOf(item)
        arrived.resolve()
        while (size >= limit && !left.signal.aborted) await taken.promise
        if (left.signal.aborted) return
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
      taken.resolve()
      taken = Promise.withResolvers()
      yield [first, ...rest]
    }
  } finally {
    left.abort()
    taken.resolve()
    await reading
  }
}
