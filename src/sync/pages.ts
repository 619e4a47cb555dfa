/** The pages of one listing: the next is asked for while the one before it is stored. */
import { hash } from 'node:crypto'
import type {
  AppResponse,
  Connector,
  CredentialValues,
  Json,
  ListPage,
  ResourceConnector,
} from '../definition/connector.ts'
import { AppUnavailableError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'

/** The app's pages come round again and again: the listing has no end. */
export class ListingLoopError extends Error {
  override readonly name = 'ListingLoopError'
  readonly code = 'LISTING_LOOP'
}

/** One page as the app sent it. */
export interface AppPage extends ListPage {
  /** When it was asked for, by the app's own clock; undefined if the app does not tell the time. */
  readonly appTime: string | undefined
  /** When it was asked for, in milliseconds by this process's steady clock. */
  readonly askedMs: number
}

export interface Listing {
  readonly appClient: AppClient
  readonly connector: Connector
  readonly resource: ResourceConnector
  readonly credential: CredentialValues
  readonly since: string | undefined
  /** The page to begin with; undefined: the first. */
  readonly cursor: Json | undefined
}

/** The answer's own date less the time that it took: what changed in between is perhaps not in it. */
const timeOf = ({ headers }: AppResponse, tookMs: number): string | undefined => {
  const answeredMs = Date.parse(headers.date ?? '')
  return Number.isNaN(answeredMs) ? undefined : new Date(answeredMs - tookMs).toISOString()
}

const fetchPage = async (
  { appClient, connector, resource, credential, since }: Listing,
  cursor: Json | undefined,
  signal: AbortSignal,
): Promise<AppPage> => {
  const position = { since, cursor }
  const request = resource.listRequest(position)
  const askedMs = performance.now()
  const response = await appClient.send(connector, credential, { ...request, read: true }, signal)
  const tookMs = performance.now() - askedMs
  try {
    const { records, next } = resource.readList(response, position)
    return { records, next, appTime: timeOf(response, tookMs), askedMs }
  } catch {
    // The error of a connector may quote the answer.
    const facts = {
      app: connector.app,
      request: `${request.method} ${request.path.split('?', 1)[0]}`,
      reason: 'the answer is not a page of records',
    }
    throw new AppUnavailableError(facts, 'malformed')
  }
}

// In a row. An app that takes no notice of the page it is asked for sends the same one for ever; one
// that filters after it cuts its pages may well send many empty ones.
const MAX_REPEATED_PAGES = 20
const MAX_EMPTY_PAGES = 1000
const MAX_REMEMBERED = 20_000

/** Remembers marks and pages by their digests, so a listing of any length costs little. */
const createMemory = (): ((text: string) => boolean) => {
  const seen = new Set<string>()
  return (text) => {
    const digest = hash('sha256', text, 'base64')
    if (seen.has(digest)) return true
    if (seen.size >= MAX_REMEMBERED) seen.clear()
    seen.add(digest)
    return false
  }
}

/** Tells the end of a listing that has none. */
export const createLoopGuard = () => {
  const seesCursorAgain = createMemory()
  const seesPageAgain = createMemory()
  let repeated = 0
  let empty = 0
  return {
    /** @throws ListingLoopError if the app has given this mark before */
    checkCursor: (cursor: Json): void => {
      if (seesCursorAgain(JSON.stringify(cursor)))
        throw new ListingLoopError('The app pointed to a page that it had pointed to before.')
    },
    /** @throws ListingLoopError after many pages of records that all came before, or of none */
    checkPage: (remoteIds: readonly string[]): void => {
      empty = remoteIds.length === 0 ? empty + 1 : 0
      if (empty > MAX_EMPTY_PAGES)
        throw new ListingLoopError(`The app sent ${empty} empty pages in a row.`)
      if (remoteIds.length === 0) return
      repeated = seesPageAgain(remoteIds.join('\n')) ? repeated + 1 : 0
      if (repeated > MAX_REPEATED_PAGES)
        throw new ListingLoopError(
          `The app sent ${repeated} pages in a row that it had sent before.`,
        )
    },
  }
}

/**
 * The pages from the cursor to the last. Leaving the loop breaks off what is being fetched.
 * @throws AppError | ListingLoopError
 */
export async function* listPages(
  listing: Listing,
  guard: Pick<ReturnType<typeof createLoopGuard>, 'checkCursor'>,
  signal: AbortSignal,
): AsyncGenerator<AppPage, void, void> {
  const left = new AbortController()
  const either = AbortSignal.any([signal, left.signal])
  const ask = async (cursor: Json | undefined): Promise<AppPage> => {
    if (cursor !== undefined) guard.checkCursor(cursor)
    return fetchPage(listing, cursor, either)
  }
  try {
    let pending = ask(listing.cursor)
    for (;;) {
      const page = await pending
      if (page.next !== undefined) {
        pending = ask(page.next)
        // Met when it is awaited, after the page before it is stored.
        pending.catch(() => {})
      }
      yield page
      if (page.next === undefined) return
    }
  } finally {
    left.abort()
  }
}
