/** Pages that arrive while others are stored are stored together: a transaction costs the same for many. */
import type { AppPage } from './pages.ts'

/**
 * The pages in their order, in groups: all that have arrived when the next group is asked for, at least one.
 * Fetching goes on meanwhile until `maxRecords` wait. A failure comes after the pages before it.
 */
export async function* gatherPages(
  pages: AsyncGenerator<AppPage, void, void>,
  maxRecords: number,
): AsyncGenerator<readonly [AppPage, ...AppPage[]], void, void> {
  let waiting: AppPage[] = []
  let size = 0
  let left = false
  let outcome: { readonly error?: unknown } | undefined
  let arrived = Promise.withResolvers<void>()
  let taken = Promise.withResolvers<void>()

  const fetchAll = async (): Promise<void> => {
    try {
      for await (const page of pages) {
        waiting.push(page)
        size += page.records.length
        arrived.resolve()
        while (size >= maxRecords && !left) await taken.promise
        if (left) return
      }
      outcome = {}
    } catch (error) {
      outcome = { error }
    }
    arrived.resolve()
  }

  const fetching = fetchAll()
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
    left = true
    taken.resolve()
    // Breaks off the page that is being fetched.
    await pages.return()
    await fetching
  }
}
