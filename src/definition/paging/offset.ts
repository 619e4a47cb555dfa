/**
 * Pages by offset or page number. Records that disappear while the listing runs shift the following ones to
 * positions that were already read. So each page starts with the last record of the previous one. If that record
 * is not there, the pager goes back until it finds a record that it knows.
 */
import type { ListPosition, Pager } from '../connector.ts'
import type { AppRequest, AppResponse } from '../steps.ts'
import { isObject } from '../value.ts'
import {
  type FromRecord,
  type FromResponse,
  type ListStart,
  type PageContent,
  type PageReader,
  pageReader,
  recordReader,
  totalReader,
} from './pager.ts'

/** The rows to request. */
export interface RowRange {
  /** The index of the first row, from 0. */
  readonly start: number
  /** The number of rows. */
  readonly max: number
}

/** The facts of a listing by offset. */
export interface OffsetFacts {
  /** The rows of one page: at least 2, at most the app's maximum. */
  readonly size: number
  /** The request for these rows. The app must sort them by a key that never changes, such as the id. */
  request(at: ListStart & RowRange): AppRequest
  readonly records: PageReader
  /** What identifies a record. */
  readonly id: FromRecord
  /**
   * How many rows the listing has, if the app reports it: a path of the body, or a function. The last page is then
   * known, and pages are requested ahead.
   */
  readonly total?: FromResponse<number>
  /**
   * Whether the page is the last, without a total: `count < 100` for an app that never sends fewer. Default: the
   * listing ends with a page that has no new record.
   */
  isLast?(response: AppResponse, page: { readonly start: number; readonly count: number }): boolean
}

type OffsetCursor = {
  readonly offset: number
  /** Ids of the last records of recent pages: every record before them was listed. */
  readonly known: readonly string[]
  /** How far the pager goes back next; absent unless it is going back. */
  readonly back?: number
}

// The last records of a page may all be deleted, so remember those of several pages.
const IDS_PER_PAGE = 4
const MAX_KNOWN = 24

// At least as many as the engine requests at the same time.
const MAX_PREFETCH = 16

const FIRST: OffsetCursor = { offset: 0, known: [] }

// Only this pager creates cursors with these members.
const isOffsetCursor = (cursor: ListPosition['cursor']): cursor is OffsetCursor =>
  isObject(cursor) && Number.isInteger(cursor.offset) && Array.isArray(cursor.known)

const cursorOf = ({ cursor }: ListPosition): OffsetCursor =>
  isOffsetCursor(cursor) ? cursor : FIRST

/** Pages by ranges of rows. `rangeAt` chooses the range that contains the row `start`. */
const rangePages = (
  { size, request, isLast, ...facts }: OffsetFacts,
  rangeAt: (start: number) => RowRange,
): Pager => {
  if (size < 2) throw new RangeError('A page needs at least 2 rows: one repeats the previous page.')
  const read = pageReader(facts.records)
  const idOf = recordReader(facts.id)

  const totalOf = facts.total === undefined ? undefined : totalReader(facts.total)

  const nextOf = (
    page: OffsetCursor,
    ids: readonly string[],
    isEnd: boolean,
  ): OffsetCursor | undefined => {
    const { start } = rangeAt(page.offset)
    const isContinuous = start === 0 || ids.some((id) => page.known.includes(id))
    if (!isContinuous) {
      // Double the distance: after a large deletion, few pages are read twice.
      const { back = size } = page
      return { offset: Math.max(0, start - back), known: page.known, back: back * 2 }
    }
    const end = start + ids.length
    // The page reaches no further than the previous one.
    if (end <= page.offset + 1 || isEnd) return undefined
    const last = ids.filter((id) => id !== '').slice(-IDS_PER_PAGE)
    const known = [...new Set([...page.known, ...last])].slice(-MAX_KNOWN)
    return { offset: end - 1, known }
  }

  /** The pages after the next one, if they are full and no record appears or disappears. */
  const pagesAfter = (next: OffsetCursor, total: number): readonly OffsetCursor[] => {
    const pages: OffsetCursor[] = []
    for (let { offset } = next; pages.length < MAX_PREFETCH; ) {
      const { start, max } = rangeAt(offset)
      if (start + max >= total) break
      offset = start + max - 1
      pages.push({ offset, known: [] })
    }
    return pages
  }

  return {
    listRequest: ({ cursor, ...start }) =>
      request({ ...start, ...rangeAt(cursorOf({ ...start, cursor }).offset) }),
    readList: (response, position) => {
      const page = cursorOf(position)
      const content: PageContent = read(response, position)
      const ids = content.records.map((record) => String(idOf(record) ?? ''))
      const { start, max } = rangeAt(page.offset)
      const count = ids.length
      const total = totalOf?.(response)
      const isEnd =
        total === undefined ? isLast?.(response, { start, count }) : start + count >= total
      const next = nextOf(page, ids, isEnd === true)
      return {
        ...content,
        // The records that repeat the previous page.
        records: content.records.filter((_, index) => !page.known.includes(ids[index] ?? '')),
        next,
        // An app that sends fewer rows than requested continues elsewhere.
        ...(next && total !== undefined && count === max && { prefetch: pagesAfter(next, total) }),
      }
    },
  }
}

/** Pages by offset: `?offset=200&limit=100`, or a statement with `STARTPOSITION 201 MAXRESULTS 100`. */
export const offsetPages = (facts: OffsetFacts): Pager =>
  rangePages(facts, (start) => ({ start, max: facts.size }))

// Pages of all sizes from 11 to 20 end at the same row only once in 232,792,560 rows, their least common multiple.
// Before that, one of them contains both a given row and the next one.
const MIN_NUMBERED_SIZE = 20

/** The facts of a listing by page number, for an app that accepts any page size up to a maximum. */
export interface NumberedFacts extends Omit<OffsetFacts, 'request' | 'size'> {
  /** The most rows of one page: at least 20. */
  readonly size: number
  /** The request for a page; numbers start with 1, and the size differs from page to page. */
  request(at: ListStart & { readonly number: number; readonly size: number }): AppRequest
}

/** The range of one numbered page that has the most rows from `start` on. */
const pageAround = (start: number, maxSize: number): RowRange => {
  let best = { start: 0, max: maxSize, fresh: 0 }
  for (let max = maxSize; max > maxSize / 2; max -= 1) {
    const before = start % max
    if (max - before > best.fresh) best = { start: start - before, max, fresh: max - before }
  }
  return { start: best.start, max: best.max }
}

/**
 * Pages by number: `?page=3&per_page=100`. The size of each page is chosen so that it starts with records of the
 * previous page. For an app with a fixed page size, use `cursorPages` with the number as the cursor: then a record
 * that a deletion shifts is missed until the next listing.
 */
export const numberedPages = ({ request, ...facts }: NumberedFacts): Pager => {
  if (facts.size < MIN_NUMBERED_SIZE)
    throw new RangeError(`Numbered pages need at least ${MIN_NUMBERED_SIZE} rows.`)
  return rangePages(
    {
      ...facts,
      request: ({ start, max, ...position }) =>
        request({ ...position, number: start / max + 1, size: max }),
    },
    (start) => pageAround(start, facts.size),
  )
}
