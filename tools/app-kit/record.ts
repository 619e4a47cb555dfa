/** Records the pages of listings as fixtures, for tests of mappings and pagers without the app. */
import type {
  AppRequest,
  AppResponse,
  Json,
  ListPosition,
  ResourceConnector,
} from '../../src/definition/connector.ts'
import { createRedactor } from '../../src/outbound/read-response.ts'

/** A response; its headers may be left out if no pager reads them. */
export type RecordedResponse = Pick<AppResponse, 'status' | 'body'> &
  Partial<Pick<AppResponse, 'headers'>>

/** A page of a listing: its position and the response. */
export interface RecordedPage {
  /** Null: the first page. */
  readonly cursor: Json
  readonly response: RecordedResponse
}

/** Every page of a listing from a start, each with its position. @throws Error if a response is not a page */
export const recordListing = async (
  resource: ResourceConnector,
  send: (request: AppRequest) => Promise<RecordedResponse>,
  { since, context }: Partial<Omit<ListPosition, 'cursor'>> = {},
): Promise<readonly RecordedPage[]> => {
  const pages: RecordedPage[] = []
  for (let cursor: Json | undefined; ; ) {
    const position: ListPosition = { since, cursor, context }
    const response = await send(resource.listRequest(position))
    pages.push({ cursor: cursor ?? null, response })
    const { next } = resource.readList({ headers: {}, ...response }, position)
    if (next === undefined) return pages
    cursor = next
  }
}

/** A fixture as the text of a file, without cookies and the secrets of the credential. */
export const fixtureText = (value: unknown, secrets: readonly string[] = []): string =>
  `${createRedactor(secrets)(
    JSON.stringify(value, (name, part) => (name === 'set-cookie' ? undefined : part), 2),
  )}\n`
