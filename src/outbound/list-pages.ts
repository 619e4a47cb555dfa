/**
 * The pages of one listing. The next page is requested while earlier ones are stored, and several at the same time
 * where the connector allows it: those of different partitions, and those that it names in `prefetch`.
 */
import type { Json } from '../definition/connector.ts'
import { nextCursorsOf } from '../definition/paging/pager.ts'
import {
  createPageFetcher,
  type FetchedPage,
  isRefused,
  type ListingFacts,
  type Prefetched,
} from './fetch-pages.ts'
import type { createLoopGuard } from './loop-guard.ts'

export interface Listing extends ListingFacts {
  /** The cursors at which the listing continues; empty: it starts. */
  readonly cursors: readonly Json[]
}

/** One page, and what is left of the listing. */
export interface AppPage extends FetchedPage {
  /** The cursors at which the listing continues after this page and all earlier ones; empty after the last page. */
  readonly remaining: readonly Json[]
}

/** A partition, at its next page. A listing that is not divided has one. */
interface Partition {
  readonly cursor: Json | undefined
  prefetched: Prefetched
  /** Never rejects. Undefined: the page has not been requested. */
  fetching: Promise<Fetched> | undefined
}

/** The next page of a partition, or why it could not be fetched. */
interface Fetched {
  readonly partition: Partition
  readonly page?: FetchedPage
  readonly error?: unknown
}

const NONE: Prefetched = new Map()

/** The cursors of partitions. A listing that starts has none. */
const cursorsAt = (partitions: readonly Partition[]): readonly Json[] =>
  partitions.map(({ cursor }) => cursor).filter((at) => at !== undefined)

/**
 * The pages from the cursors to the end, or to a page after which the app needs time; those of one partition in order.
 * Leaving the loop aborts the requests in flight.
 * @throws AppError | ListingLoopError
 */
export async function* listPages(
  { cursors, ...listing }: Listing,
  guard: Pick<ReturnType<typeof createLoopGuard>, 'checkCursor'>,
  signal: AbortSignal,
): AsyncGenerator<AppPage, void, void> {
  const leaving = new AbortController()
  const fetcher = createPageFetcher(listing, AbortSignal.any([signal, leaving.signal]))
  let hasPrefetched = false

  const partitionAt = (cursor: Json | undefined, prefetched = NONE): Partition => ({
    cursor,
    prefetched,
    fetching: undefined,
  })
  let partitions: readonly Partition[] =
    cursors.length > 0 ? cursors.map((cursor) => partitionAt(cursor)) : [partitionAt(undefined)]

  const fetchNext = (partition: Partition): Promise<Fetched> =>
    fetcher.fetch(partition.cursor, partition.prefetched).then(
      (page) => ({ partition, page }),
      (error: unknown) => ({ partition, error }),
    )

  /** Requests the next pages of as many partitions as possible, at least of one. */
  const fetchAll = (): void => {
    let isFetching = partitions.some(({ fetching }) => fetching)
    for (const partition of partitions) {
      if (partition.fetching || (isFetching && !fetcher.hasRoom())) continue
      partition.fetching = fetchNext(partition)
      isFetching = true
    }
  }

  /** The partition at a cursor that a page has returned. A loop is reported after the page. */
  const continueAt = (cursor: Json, prefetched?: Prefetched): Partition => {
    const partition = partitionAt(cursor, prefetched)
    try {
      guard.checkCursor(cursor)
    } catch (error) {
      partition.fetching = Promise.resolve({ partition, error })
    }
    return partition
  }

  /** Replaces the partition of a page by what follows the page, and requests it. */
  const advance = (partition: Partition, page: FetchedPage): void => {
    const { next, partitions: others = [], prefetch = [] } = page
    const rest = next === undefined ? undefined : continueAt(next, partition.prefetched)
    const following = [...(rest ? [rest] : []), ...others.map((cursor) => continueAt(cursor))]
    partitions = partitions.flatMap((other) => (other === partition ? following : [other]))
    fetchAll()
    // The next page itself has been requested.
    const share = Math.max(0, Math.floor(fetcher.limit() / partitions.length) - 1)
    if (rest) rest.prefetched = fetcher.prefetch(prefetch.slice(0, share), rest.prefetched)
    hasPrefetched ||= (rest?.prefetched.size ?? 0) > 0
  }

  try {
    while (partitions.length > 0) {
      fetchAll()
      const pending = partitions.flatMap(({ fetching }) => fetching ?? [])
      const { partition, page, error } = await Promise.race(pending)
      if (page?.waitMs !== undefined) {
        const others = partitions.filter((other) => other !== partition)
        yield { ...page, remaining: [...nextCursorsOf(page), ...cursorsAt(others)] }
        return
      }
      if (page) {
        advance(partition, page)
        yield { ...page, remaining: cursorsAt(partitions) }
      } else if (isRefused(error) && pending.length > 1) partition.fetching = undefined
      else throw error
    }
  } finally {
    // Without requests in flight, a signal is not needed, and creating its reason is expensive.
    if (partitions.length > 0 || hasPrefetched) leaving.abort()
  }
}
