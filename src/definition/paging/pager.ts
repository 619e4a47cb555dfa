/**
 * The parts that all pagers share. A pager is a value: the request for each page, and the reader of its response.
 * Its cursor is plain JSON that survives a restart and a new version of the code: a cursor that the pager does not
 * know starts the listing again.
 */
import type { ListPage, ListPosition, Pager } from '../connector.ts'
import type { Json } from '../json.ts'
import { readPath } from '../mapping/read.ts'
import type { AppRequest, AppResponse } from '../steps.ts'
import { isObject } from '../value.ts'

/** What every request of a listing knows: the position without the cursor. */
export type ListStart = Omit<ListPosition, 'cursor'>

/** One page without its cursor. */
export type PageContent = Omit<ListPage, 'next'>

/** A value of a response: at a path of the body, such as `meta.next`, or by a function. */
export type FromResponse<Value> = string | ((response: AppResponse) => Value)

/** Reads a page: the path of the list in the body, empty for the body itself, or a function. */
export type PageReader = string | ((response: AppResponse, position: ListPosition) => PageContent)

/** Compiles a reader of values. */
export const valueReader = <Value>(
  from: FromResponse<Value>,
): ((response: AppResponse) => unknown) => {
  if (typeof from === 'function') return from
  const read = readPath(from)
  return ({ body }) => read(body)
}

/** Compiles a reader of the number of records. @throws Error from the returned function if the response has none */
export const totalReader = (from: FromResponse<number>): ((response: AppResponse) => number) => {
  const read = valueReader(from)
  return (response) => {
    const total = read(response)
    if (typeof total === 'number') return total
    throw new Error('The response has no total.')
  }
}

/**
 * Compiles a reader of a list at a path of the body, empty for the body itself.
 * @throws Error from the returned function if the body has no list there
 */
export const listReader = (path: string): ((response: AppResponse) => readonly unknown[]) => {
  const read = readPath(path)
  return ({ body }) => {
    const records = read(body)
    if (Array.isArray(records)) return records
    throw new Error(`The response has no list${path === '' ? '' : ` at ${path}`}.`)
  }
}

/** Compiles a page reader. @throws Error from the returned function if the body has no list at the path */
export const pageReader = (
  from: PageReader,
): ((response: AppResponse, position: ListPosition) => PageContent) => {
  if (typeof from === 'function') return from
  const read = listReader(from)
  return (response) => ({ records: read(response) })
}

/** A value of a record: at a path, or by a function. */
export type FromRecord = string | ((record: unknown) => unknown)

/** Compiles a reader of a record's value. */
export const recordReader = (from: FromRecord): ((record: unknown) => unknown) =>
  typeof from === 'function' ? from : readPath(from)

/** The member of a cursor; undefined if the cursor is not an object with such a member. */
export const memberOf = (cursor: Json | undefined, name: string): Json | undefined =>
  // Safe: the members of a JSON object are JSON.
  isObject(cursor) ? (cursor[name] as Json | undefined) : undefined

/** The cursors at which a listing continues after a page. */
export const nextCursorsOf = ({ next, partitions = [] }: ListPage): readonly Json[] =>
  next === undefined ? partitions : [next, ...partitions]

/** The page with other cursors, e.g. those of a pager that contains the one that has read the page. */
export const mapCursors = (page: ListPage, cursorOf: (cursor: Json) => Json): ListPage => ({
  ...page,
  next: page.next === undefined ? undefined : cursorOf(page.next),
  ...(page.partitions && { partitions: page.partitions.map(cursorOf) }),
  ...(page.prefetch && { prefetch: page.prefetch.map(cursorOf) }),
})

/** The position of an inner pager, whose cursor is the member `at`. */
export const inner = (position: ListPosition): ListPosition => ({
  ...position,
  cursor: memberOf(position.cursor, 'at'),
})

/** A cursor with that of an inner pager; without a member `at` on the inner pager's first page. */
export const around = (
  facts: { readonly [name: string]: Json },
  at: Json | undefined,
): { readonly [name: string]: Json } => (at === undefined ? facts : { ...facts, at })

/** The path with a query string. Parameters without a value are left out. */
export const withQuery = (
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | null | undefined>>,
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

/** The single page of an app that lists everything in one response. */
export const singlePage = (facts: {
  request(at: ListStart): AppRequest
  readonly records: PageReader
}): Pager => {
  const read = pageReader(facts.records)
  return {
    listRequest: ({ cursor: _, ...start }) => facts.request(start),
    readList: (response, position) => ({ ...read(response, position), next: undefined }),
  }
}
