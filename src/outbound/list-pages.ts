/** The pages of one listing. The next page is fetched while the current one is stored. */
import { hash } from 'node:crypto'
import type {
  AppResponse,
  Connector,
  Json,
  ListPage,
  ResourceConnector,
} from '../definition/connector.ts'
import { AppUnavailableError, factsOf } from './app-error.ts'
import type { AppCredential } from './compose-request.ts'
import type { AppClient } from './http.ts'

/** A listing without an end: the app returns the same pages again and again. */
export class ListingLoopError extends Error {
  override readonly name = 'ListingLoopError'
  readonly code = 'LISTING_LOOP'
}

/** One page as the app sent it. */
export interface AppPage extends ListPage {
  /** Time of the request by the clock of the app; undefined if its response has no date. */
  readonly appTime: string | undefined
  /** Time of the request by `performance.now()`. */
  readonly requestedMs: number
}

export interface Listing {
  readonly appClient: AppClient
  readonly connector: Connector
  readonly resource: ResourceConnector
  readonly credential: AppCredential
  readonly since: string | undefined
  /** The token of the previous listing; undefined: all records are listed. */
  readonly token?: Json | undefined
  /** The cursor of the first page to fetch; undefined: the start of the listing. */
  readonly cursor: Json | undefined
  /** The context of the account; undefined if the connector declares none. */
  readonly context: Json | undefined
}

/** The date of the response minus its duration: later changes may be missing from the page. */
const timeOf = ({ headers }: AppResponse, tookMs: number): string | undefined => {
  const dateMs = Date.parse(headers.date ?? '')
  return Number.isNaN(dateMs) ? undefined : new Date(dateMs - tookMs).toISOString()
}

/** @throws Error if the last page lacks the token with which the next listing starts */
const checkToken = ({ sync }: ResourceConnector, { next, token }: ListPage): void => {
  if (sync.changes.by === 'token' && next === undefined && token === undefined)
    throw new Error('The last page has no token.')
}

const fetchPage = async (
  { appClient, connector, resource, credential, since, token, context }: Listing,
  cursor: Json | undefined,
  signal: AbortSignal,
): Promise<AppPage> => {
  const position = { since, token, cursor, context }
  const request = resource.listRequest(position)
  const requestedMs = performance.now()
  const response = await appClient.send(connector, credential, { ...request, read: true }, signal)
  const tookMs = performance.now() - requestedMs
  try {
    const page = resource.readList(response, position)
    checkToken(resource, page)
    return { ...page, appTime: timeOf(response, tookMs), requestedMs }
  } catch {
    // Without a cause: the error of a connector may quote the response.
    const reason = 'the response is not a page of records'
    throw new AppUnavailableError({ ...factsOf(connector, request), reason }, 'malformed')
  }
}

// Limits of consecutive pages. An app that ignores the cursor repeats the same page forever; an app that
// filters after paging may send many empty pages.
const MAX_REPEATED_PAGES = 20
const MAX_EMPTY_PAGES = 1000
const MAX_REMEMBERED = 20_000
// 96 bits.
const DIGEST_LENGTH = 16

// Digests that one slice of a listing passes to the next: enough to detect a cycle of that many pages.
const MAX_HANDED_OVER = 200

/** A set of digests of texts, so that a listing of any length needs little memory. */
const createDigestSet = (known: readonly string[]) => {
  const seen = new Set(known)
  const digestOf = (text: string): string => hash('sha256', text, 'base64').slice(0, DIGEST_LENGTH)
  return {
    /** Adds a text. @returns whether it was seen before */
    addAndCheck: (text: string): boolean => {
      const digest = digestOf(text)
      if (seen.has(digest)) return true
      if (seen.size >= MAX_REMEMBERED) seen.clear()
      seen.add(digest)
      return false
    },
    /** The last digests, up to the digest of `end` (exclusive). */
    last: (end?: string): string[] => {
      const all = [...seen]
      const index = end === undefined ? -1 : all.indexOf(digestOf(end))
      return all.slice(0, index < 0 ? undefined : index).slice(-MAX_HANDED_OVER)
    },
  }
}

/** The state of a loop guard, for the guard of the next slice. */
export interface LoopGuardState {
  readonly cursors: readonly string[]
  readonly pages: readonly string[]
  readonly repeated: number
  readonly empty: number
}

/** Creates a guard that detects a listing without an end. @param before the state of the previous slice's guard */
export const createLoopGuard = (before?: LoopGuardState) => {
  const cursors = createDigestSet(before?.cursors ?? [])
  const pages = createDigestSet(before?.pages ?? [])
  let repeated = before?.repeated ?? 0
  let empty = before?.empty ?? 0
  return {
    /** @throws ListingLoopError if the app returned this cursor before */
    checkCursor: (cursor: Json): void => {
      if (cursors.addAndCheck(JSON.stringify(cursor)))
        throw new ListingLoopError(
          'The app returned the same cursor twice, so the listing has no end.',
        )
    },
    /** @throws ListingLoopError after too many consecutive repeated or empty pages */
    checkPage: (remoteIds: readonly string[]): void => {
      empty = remoteIds.length === 0 ? empty + 1 : 0
      if (empty > MAX_EMPTY_PAGES)
        throw new ListingLoopError(`The app returned ${empty} empty pages in a row.`)
      if (remoteIds.length === 0) return
      repeated = pages.addAndCheck(remoteIds.join('\n')) ? repeated + 1 : 0
      if (repeated > MAX_REPEATED_PAGES)
        throw new ListingLoopError(
          `The app returned ${repeated} pages in a row that it had returned before.`,
        )
    },
    /** The state before the page of this cursor, at which the next slice starts. */
    memory: (next: Json): LoopGuardState => ({
      cursors: cursors.last(JSON.stringify(next)),
      pages: pages.last(),
      repeated,
      empty,
    }),
  }
}

/**
 * The pages from the cursor to the end. Leaving the loop aborts the current request.
 * @throws AppError | ListingLoopError
 */
export async function* listPages(
  listing: Listing,
  guard: Pick<ReturnType<typeof createLoopGuard>, 'checkCursor'>,
  signal: AbortSignal,
): AsyncGenerator<AppPage, void, void> {
  const leaving = new AbortController()
  const either = AbortSignal.any([signal, leaving.signal])
  let isLast = false
  const fetchNext = async (cursor: Json | undefined): Promise<AppPage> => {
    if (cursor !== undefined) guard.checkCursor(cursor)
    return fetchPage(listing, cursor, either)
  }
  try {
    let pending = fetchNext(listing.cursor)
    for (;;) {
      const page = await pending
      if (page.next !== undefined) {
        pending = fetchNext(page.next)
        // A rejection is handled at the await, after the current page is stored.
        pending.catch(() => {})
      }
      isLast = page.next === undefined
      yield page
      if (isLast) return
    }
  } finally {
    // After the last page nothing is pending, and creating the reason of a signal is expensive.
    if (!isLast) leaving.abort()
  }
}
