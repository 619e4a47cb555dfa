/** List requests and responses of the sandbox. */
import type { AppResponse, ListPage, ListPosition } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'

const PAGE_SIZE = 250 // maximum of the sandbox
const BEGINNING = '1970-01-01T00:00:00.000Z'

/** Reads one page. @throws Error if the response is not a page */
export const readList = ({ body }: AppResponse): ListPage => {
  const { items, next } = isObject(body) ? body : {}
  if (!Array.isArray(items) || !(typeof next === 'string' || next === null))
    throw new Error('The sandbox returned a page without items or next.')
  return { records: items, next: next ?? undefined }
}

/** Path and query of one page of a collection. */
export const listingPath = (kind: string, { since = BEGINNING, cursor }: ListPosition): string => {
  const query = new URLSearchParams({
    // NOTES "Without `modified_since`, deleted records are left out".
    modified_since: since,
    limit: String(PAGE_SIZE),
    ...(typeof cursor === 'string' && { after: cursor }),
  })
  return `/v1/${kind}?${query}`
}
