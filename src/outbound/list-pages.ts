/**
 * The pages of one listing. The next pages are requested while earlier ones are stored, and several at the same time
 * where the connector allows it: the pages of different partitions, and those that it names in `prefetch`.
 */
import type {
  AppRequest,
  AppResponse,
  Connector,
  Json,
  ListPage,
  ResourceConnector,
} from '../definition/connector.ts'
import { cursorsOf } from '../definition/paging/pager.ts'
import { AppRateLimitedError, AppUnavailableError, factsOf } from './app-error.ts'
import type { AppCredential } from './compose-request.ts'
import type { AppClient } from './http.ts'
import type { createLoopGuard } from './loop-guard.ts'

/** One page as the app sent it. */
export interface AppPage extends ListPage {
  /** Time of the request by the clock of the app; undefined if its response has no date. */
  readonly appTime: string | undefined
  /** Time of the request by `performance.now()`. */
  readonly requestedMs: number
  /** The cursors at which the listing continues after this page and all earlier ones; empty after the last page. */
  readonly remaining: readonly Json[]
}

export interface Listing {
  readonly appClient: AppClient
  readonly connector: Connector
  readonly resource: ResourceConnector
  readonly credential: AppCredential
  readonly since: string | undefined
  /** The token of the previous listing; undefined: all records are listed. */
  readonly token?: Json | undefined
  /** The cursors at which the listing continues; empty: it starts. */
  readonly cursors: readonly Json[]
  /** How many requests may be in flight at the same time. */
  readonly pagesAtOnce: number
}

/** A response, with the time of its request by `performance.now()`. */
interface TimedResponse {
  readonly response: AppResponse
  readonly requestedMs: number
  readonly tookMs: number
}

/** Responses to requests that were sent early, by request; undefined if one failed. */
type Prefetched = ReadonlyMap<string, Promise<TimedResponse | undefined>>

/** A partition, at its next page. A listing that is not divided has one. */
interface Partition {
  readonly cursor: Json | undefined
  prefetched: Prefetched
  fetching: Promise<Fetched> | undefined
}

type FetchedPage = Omit<AppPage, 'remaining'>

type Fetched =
  | { readonly partition: Partition; readonly page: FetchedPage }
  | { readonly partition: Partition; readonly page: undefined; readonly error: unknown }

const NONE: Prefetched = new Map()

const partitionAt = (cursor: Json | undefined, prefetched = NONE): Partition => ({
  cursor,
  prefetched,
  fetching: undefined,
})

/** The date of the response minus its duration: later changes may be missing from the page. */
const timeOf = ({ headers }: AppResponse, tookMs: number): string | undefined => {
  const dateMs = Date.parse(headers.date ?? '')
  return Number.isNaN(dateMs) ? undefined : new Date(dateMs - tookMs).toISOString()
}

/** @throws Error if the last page of a partition lacks the token with which the next listing starts */
const checkToken = ({ sync }: ResourceConnector, page: ListPage): void => {
  if (sync.changes.by === 'token' && page.token === undefined && cursorsOf(page).length === 0)
    throw new Error('The last page has no token.')
}

const keyOf = (request: AppRequest): string => JSON.stringify(request)

/** Sends the requests of a listing and reads its pages. */
const createFetcher = (listing: Listing, signal: AbortSignal) => {
  const { appClient, connector, resource, credential, since, token } = listing

  const requestAt = (cursor: Json | undefined): AppRequest =>
    resource.listRequest({ since, token, cursor })

  const send = async (request: AppRequest): Promise<TimedResponse> => {
    const requestedMs = performance.now()
    const response = await appClient.send(connector, credential, { ...request, read: true }, signal)
    return { response, requestedMs, tookMs: performance.now() - requestedMs }
  }

  const fetchPage = async ({ cursor, prefetched }: Partition): Promise<FetchedPage> => {
    const request = requestAt(cursor)
    const early = prefetched.size > 0 ? await prefetched.get(keyOf(request)) : undefined
    const { response, requestedMs, tookMs } = early ?? (await send(request))
    try {
      const page = resource.readList(response, { since, token, cursor })
      checkToken(resource, page)
      return { ...page, appTime: timeOf(response, tookMs), requestedMs }
    } catch {
      // Without a cause: the error of a connector may quote the response.
      const reason = 'the response is not a page of records'
      throw new AppUnavailableError({ ...factsOf(connector, request), reason }, 'malformed')
    }
  }

  return {
    /** Never rejects. */
    fetch: (partition: Partition): Promise<Fetched> =>
      fetchPage(partition).then(
        (page) => ({ partition, page }),
        (error: unknown) => ({ partition, page: undefined, error }),
      ),
    /** Sends the requests for these pages, unless they were sent before. */
    prefetch: (
      { prefetched }: Partition,
      cursors: readonly Json[],
      onFailure: (error: unknown) => undefined,
    ): Prefetched =>
      new Map(
        cursors.map((cursor) => {
          const request = requestAt(cursor)
          const key = keyOf(request)
          // If the listing requires the page, its request is sent again.
          return [key, prefetched.get(key) ?? send(request).catch(onFailure)] as const
        }),
      ),
  }
}

/** Whether the budget did not allow a request now. */
const isRefused = (error: unknown): boolean => error instanceof AppRateLimitedError && !error.isSent

/**
 * The pages from the cursors to the end. The pages of one partition are in order. Leaving the loop aborts the
 * current requests.
 * @throws AppError | ListingLoopError
 */
export async function* listPages(
  listing: Listing,
  guard: Pick<ReturnType<typeof createLoopGuard>, 'checkCursor'>,
  signal: AbortSignal,
): AsyncGenerator<AppPage, void, void> {
  const leaving = new AbortController()
  const fetcher = createFetcher(listing, AbortSignal.any([signal, leaving.signal]))
  const start: readonly (Json | undefined)[] =
    listing.cursors.length > 0 ? listing.cursors : [undefined]
  let partitions: readonly Partition[] = start.map((cursor) => partitionAt(cursor))
  let { pagesAtOnce } = listing
  let hasPrefetched = false

  const fetchNext = (): void => {
    for (const partition of partitions.slice(0, pagesAtOnce))
      partition.fetching ??= fetcher.fetch(partition)
  }

  /** Sends early what the partition probably requires after its next page. */
  const prefetch = (partition: Partition, cursors: readonly Json[]): void => {
    const count = Math.max(0, Math.floor(pagesAtOnce / partitions.length) - 1)
    if (partition.prefetched.size === 0 && (count === 0 || cursors.length === 0)) return
    hasPrefetched = true
    partition.prefetched = fetcher.prefetch(partition, cursors.slice(0, count), (error) => {
      if (isRefused(error)) pagesAtOnce = 1
      return undefined
    })
  }

  /** The partition at a cursor that a page has returned. A loop is reported after the page. */
  const continueAt = (cursor: Json, prefetched?: Prefetched): Partition => {
    const partition = partitionAt(cursor, prefetched)
    try {
      guard.checkCursor(cursor)
    } catch (error) {
      partition.fetching = Promise.resolve({ partition, page: undefined, error })
    }
    return partition
  }

  /** Replaces the partition of a page by what follows the page. */
  const advance = (partition: Partition, page: FetchedPage): void => {
    const { next, partitions: others = [], prefetch: likely = [] } = page
    const rest = next === undefined ? [] : [continueAt(next, partition.prefetched)]
    const following = [...rest, ...others.map((cursor) => continueAt(cursor))]
    partitions = partitions.flatMap((other) => (other === partition ? following : [other]))
    fetchNext()
    for (const one of rest) prefetch(one, likely)
  }

  try {
    while (partitions.length > 0) {
      fetchNext()
      const pending = partitions.flatMap(({ fetching }) => fetching ?? [])
      const fetched = await Promise.race(pending)
      const { partition, page } = fetched
      if (page === undefined) {
        if (!isRefused(fetched.error) || pending.length === 1) throw fetched.error
        // Continue with as many requests at a time as the budget allows.
        partition.fetching = undefined
        pagesAtOnce = pending.length - 1
        continue
      }
      advance(partition, page)
      const remaining = partitions.map(({ cursor }) => cursor).filter((at) => at !== undefined)
      yield { ...page, remaining }
    }
  } finally {
    // Without requests in flight, a signal is not needed, and creating its reason is expensive.
    if (partitions.length > 0 || hasPrefetched) leaving.abort()
  }
}
