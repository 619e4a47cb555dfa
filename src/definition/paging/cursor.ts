/** Pages by a cursor that the app returns: in the body, in a header, as a link, or in a GraphQL connection. */
import type { Pager } from '../connector.ts'
import type { Json } from '../json.ts'
import type { AppRequest, AppResponse } from '../steps.ts'
import { isObject } from '../value.ts'
import {
  type FromResponse,
  type ListStart,
  memberOf,
  type PageReader,
  pageReader,
  valueReader,
} from './pager.ts'

/** The facts of a listing with cursors. */
export interface CursorFacts {
  /** The request for the page of this cursor; undefined: for the first page. */
  request(at: ListStart & { readonly after: string | number | undefined }): AppRequest
  readonly records: PageReader
  /** The cursor of the next page. Missing, null, empty or false after the last one. */
  readonly next: FromResponse<Json | undefined>
}

/** The cursor as a text or number; undefined after the last page. @throws Error if it is neither */
const cursorIn = (value: unknown): string | number | undefined => {
  if (value === undefined || value === null || value === '' || value === false) return undefined
  if (typeof value === 'string' || typeof value === 'number') return value
  throw new Error('The cursor of the next page is neither text nor a number.')
}

const afterOf = (cursor: Json | undefined): string | number | undefined => {
  const after = memberOf(cursor, 'after')
  return typeof after === 'string' || typeof after === 'number' ? after : undefined
}

/** Pages by a cursor of the app: `{ "data": […], "meta": { "next": "b2Zmc2V0" } }`. */
export const cursorPages = ({ request, ...facts }: CursorFacts): Pager => {
  const read = pageReader(facts.records)
  const readNext = valueReader(facts.next)
  return {
    listRequest: ({ cursor, ...start }) => request({ ...start, after: afterOf(cursor) }),
    readList: (response, position) => {
      const after = cursorIn(readNext(response))
      return { ...read(response, position), next: after === undefined ? undefined : { after } }
    },
  }
}

/** The value of a response header: `header('x-next-page')`. */
export const header =
  (name: string) =>
  ({ headers }: AppResponse): string | undefined =>
    headers[name]

/**
 * The link with this relation in the `Link` header (RFC 8288):
 * `<https://shop.example.com/items?page=2>; rel="next"`.
 */
export const linkHeader =
  (relation = 'next') =>
  ({ headers }: AppResponse): string | undefined => {
    // A target contains no angle bracket, so each one ends its target.
    for (const link of (headers.link ?? '').split('<').slice(1)) {
      const end = link.indexOf('>')
      const relations = /;\s{0,9}rel="?([^",;]{1,200})/i.exec(link.slice(end + 1))?.[1] ?? ''
      if (end >= 0 && relations.toLowerCase().split(' ').includes(relation))
        return link.slice(0, end)
    }
    return undefined
  }

/** The facts of a listing with links. */
export interface LinkedFacts {
  /** The request for the first page: a GET. */
  request(at: ListStart): AppRequest
  readonly records: PageReader
  /** The link to the next page: a path of the body, `linkHeader()` or a function. */
  readonly next: FromResponse<string | undefined>
  /**
   * The query parameters that authenticate, for an app that repeats them in its links. They are removed from a link
   * before it is stored; the engine adds them to the request again.
   */
  readonly secretParameters?: readonly string[]
}

/** The link without some parameters of its query. */
const withoutParameters = (link: string, names: readonly string[]): string => {
  const start = link.indexOf('?')
  if (start < 0 || names.length === 0) return link
  const rest = link
    .slice(start + 1)
    .split('&')
    .filter((part) => ![...new URLSearchParams(part).keys()].some((name) => names.includes(name)))
  return `${link.slice(0, start)}?${rest.join('&')}`
}

/** Pages by links of the app, such as `nextUrl`. A link out of the base URL of the credential is not followed. */
export const linkedPages = ({ request, secretParameters = [], ...facts }: LinkedFacts): Pager => {
  const read = pageReader(facts.records)
  const readNext = valueReader(facts.next)
  return {
    listRequest: ({ cursor, ...start }) => {
      const link = memberOf(cursor, 'link')
      return typeof link === 'string' ? { ...request(start), link } : request(start)
    },
    readList: (response, position) => {
      const link = cursorIn(readNext(response))
      return {
        ...read(response, position),
        next:
          link === undefined
            ? undefined
            : { link: withoutParameters(String(link), secretParameters) },
      }
    },
  }
}

/** The facts of a listing of a Relay connection. */
export interface RelayFacts extends Pick<CursorFacts, 'request'> {
  /** The path of the connection in the body: `data.orders`. Select `pageInfo { hasNextPage endCursor }`. */
  readonly connection: string
}

/** Pages of a GraphQL connection: `orders(first: 100, after: $after) { nodes { … } pageInfo { … } }`. */
export const relayPages = ({ request, connection }: RelayFacts): Pager => {
  const readConnection = valueReader<Json>(connection)
  const partsOf = (response: AppResponse) => {
    const { nodes, edges, pageInfo } = Object(readConnection(response))
    const records = Array.isArray(edges) ? edges.map((edge) => Object(edge).node) : nodes
    if (!Array.isArray(records) || !isObject(pageInfo))
      throw new Error(`The response has no nodes and pageInfo at ${connection}.`)
    return { records, pageInfo }
  }
  return cursorPages({
    request,
    records: (response) => ({ records: partsOf(response).records }),
    next: (response) => {
      const { hasNextPage, endCursor } = partsOf(response).pageInfo
      // Safe: a member of a parsed JSON body.
      return hasNextPage === true ? (endCursor as Json) : undefined
    },
  })
}
