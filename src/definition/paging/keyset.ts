/**
 * Pages by key: each page has the records after the last one of the previous page. The key identifies a record:
 * its id, inside the window of time that `since` starts, or its time and id. A time alone does not: a page full of
 * records with the same time would be returned again and again.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Pager } from '../connector.ts'
import type { Json } from '../json.ts'
import type { AppRequest, AppResponse } from '../steps.ts'
import {
  type FromRecord,
  type ListStart,
  memberOf,
  type PageReader,
  pageReader,
  recordReader,
} from './pager.ts'

/** The facts of a listing by key. */
export interface KeysetFacts<Key extends Json> {
  /**
   * The request for the records with a key greater than `after`, sorted by the key; undefined: from the first.
   * `since` applies to every page: it must not move while the listing runs.
   */
  request(at: ListStart & { readonly after: Key | undefined }): AppRequest
  readonly records: PageReader
  /** The key of a record, unique in the listing: a path, or a function: `({ updated, id }) => [updated, id]`. */
  readonly key: FromRecord
  /** Whether the page is the last. Default: the listing ends with an empty page. */
  isLast?(response: AppResponse, page: { readonly count: number }): boolean
}

/** Pages by key: `WHERE id > 'last' ORDER BY id`, `?starting_after=last`. */
export const keysetPages = <Key extends Json = string>(facts: KeysetFacts<Key>): Pager => {
  const read = pageReader(facts.records)
  const keyOf = recordReader(facts.key)
  // Safe: only this pager creates cursors with this member.
  const afterOf = (cursor: Json | undefined) => memberOf(cursor, 'key') as Key | undefined
  return {
    listRequest: ({ cursor, ...start }) => facts.request({ ...start, after: afterOf(cursor) }),
    readList: (response, position) => {
      const page = read(response, position)
      const count = page.records.length
      if (count === 0 || facts.isLast?.(response, { count })) return { ...page, next: undefined }
      // Safe: a value of a parsed JSON body, or what the connector makes of it.
      const key = keyOf(page.records.at(-1)) as Json | undefined
      if (key === undefined || key === null) throw new Error('The last record has no key.')
      if (isDeepStrictEqual(key, afterOf(position.cursor)))
        throw new Error('The page ends with the key after which it should start.')
      return { ...page, next: { key } }
    },
  }
}
