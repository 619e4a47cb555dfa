/** How every collection of the sandbox is listed. */
import type { AppResponse, ListPage, ListPosition } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'

const PAGE_SIZE = 250 // the most that the sandbox gives
const BEGINNING = '1970-01-01T00:00:00.000Z'

/** What a page holds. @throws Error if the answer is no listing */
export const readList = ({ body }: AppResponse): ListPage => {
  const { items, next } = isObject(body) ? body : {}
  if (!Array.isArray(items) || !(typeof next === 'string' || next === null))
    throw new Error('The sandbox answered a listing without items and next.')
  return { records: items, next: next ?? undefined }
}

/** Where a page of a collection is asked for. */
export const listingPath = (kind: string, { since = BEGINNING, cursor }: ListPosition): string => {
  const query = new URLSearchParams({
    // NOTES 2: without it, deleted records are left out.
    modified_since: since,
    limit: String(PAGE_SIZE),
    ...(typeof cursor === 'string' && { after: cursor }),
  })
  return `/v1/${kind}?${query}`
}
