/** Fetches the pages of one listing: at most a given number at the same time, some before they are required. */
import type {
  AppRequest,
  AppResponse,
  Connector,
  Json,
  ListPage,
  ResourceConnector,
} from '../definition/connector.ts'
import { nextCursorsOf } from '../definition/paging/pager.ts'
import { AppRateLimitedError } from './app-error.ts'
import type { AppCredential } from './compose-request.ts'
import type { AppClient } from './http.ts'
import { malformedResponse } from './malformed-response.ts'

/** What a listing lists, and where. */
export interface ListingFacts {
  readonly appClient: AppClient
  readonly connector: Connector
  readonly resource: ResourceConnector
  readonly credential: AppCredential
  readonly since: string | undefined
  /** The token of the previous listing; undefined: all records are listed. */
  readonly token?: Json | undefined
  /** The context of the account; undefined if the connector declares none. */
  readonly context: Json | undefined
  /** How many requests may be in flight at the same time. */
  readonly pagesAtOnce: number
}

/** One page as the app sent it. */
export interface FetchedPage extends ListPage {
  /** Time of the request by the clock of the app; undefined if its response has no date. */
  readonly appTime: string | undefined
  /** Time of the request by `performance.now()`. */
  readonly requestedMs: number
}

/** A response, with the time of its request by `performance.now()`. */
interface TimedResponse {
  readonly response: AppResponse
  readonly requestedMs: number
  readonly tookMs: number
}

/** The responses to requests that were sent early, by request; undefined if one failed. */
export type Prefetched = ReadonlyMap<string, Promise<TimedResponse | undefined>>

/** The date of the response minus its duration: later changes may be missing from the page. */
const timeOf = ({ headers }: AppResponse, tookMs: number): string | undefined => {
  const dateMs = Date.parse(headers.date ?? '')
  return Number.isNaN(dateMs) ? undefined : new Date(dateMs - tookMs).toISOString()
}

/** @throws Error if the last page of a partition lacks the token for the next listing */
const checkToken = ({ sync }: ResourceConnector, page: ListPage): void => {
  if (sync.changes.by === 'token' && page.token === undefined && nextCursorsOf(page).length === 0)
    throw new Error('The last page has no token.')
}

const keyOf = (request: AppRequest): string => JSON.stringify(request)

/** Whether the budget did not allow a request now. */
export const isRefused = (error: unknown): boolean =>
  error instanceof AppRateLimitedError && !error.isSent

/** Creates a fetcher of the pages of a listing. */
export const createPageFetcher = (listing: ListingFacts, signal: AbortSignal) => {
  const { appClient, connector, resource, credential, since, token, context } = listing
  let limit = listing.pagesAtOnce
  /** Each is fulfilled when its request has ended. */
  const inFlight = new Set<Promise<void>>()

  const requestAt = (cursor: Json | undefined): AppRequest =>
    resource.listRequest({ since, token, cursor, context })

  const send = (request: AppRequest): Promise<TimedResponse> => {
    const requestedMs = performance.now()
    const sent = { ...request, read: true } as const
    const response = appClient
      .send(connector, credential, sent, signal)
      .then((response) => ({ response, requestedMs, tookMs: performance.now() - requestedMs }))
    const ended = response.then(
      () => void inFlight.delete(ended),
      (error: unknown) => {
        inFlight.delete(ended)
        // Continue with as many requests at the same time as the budget allows.
        if (isRefused(error)) limit = Math.max(1, inFlight.size)
      },
    )
    inFlight.add(ended)
    return response
  }

  return {
    /** Whether another request may be sent now. */
    hasRoom: (): boolean => inFlight.size < limit,
    /** How many requests may be in flight now. */
    limit: (): number => limit,
    /** The page at a cursor; undefined: the first one. @throws AppError */
    fetch: async (cursor: Json | undefined, prefetched: Prefetched): Promise<FetchedPage> => {
      const request = requestAt(cursor)
      const early = prefetched.size > 0 ? await prefetched.get(keyOf(request)) : undefined
      // Requests that were sent early may turn out to be of no use.
      if (!early) while (inFlight.size >= limit) await Promise.race(inFlight)
      const { response, requestedMs, tookMs } = early ?? (await send(request))
      try {
        const page = resource.readList(response, { since, token, cursor, context })
        checkToken(resource, page)
        return { ...page, appTime: timeOf(response, tookMs), requestedMs }
      } catch {
        throw malformedResponse(
          connector,
          { request, response },
          'the response is not a page of records',
        )
      }
    },
    /** Sends the requests at these cursors that were not sent before, as far as there is room. Responses to others are dropped. */
    prefetch: (cursors: readonly Json[], prefetched: Prefetched): Prefetched => {
      const sent = new Map<string, Promise<TimedResponse | undefined>>()
      for (const cursor of cursors) {
        const request = requestAt(cursor)
        const key = keyOf(request)
        const known = prefetched.get(key)
        if (known !== undefined) sent.set(key, known)
        // If the listing requires the page, a request that has failed is sent again.
        else if (inFlight.size < limit)
          sent.set(
            key,
            send(request).catch(() => undefined),
          )
      }
      return sent
    },
  }
}
