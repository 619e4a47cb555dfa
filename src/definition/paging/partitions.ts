/**
 * Listings that are divided into partitions, e.g. by location or by time of creation. Each partition is listed by a
 * pager of its own, several at the same time, so each record must be in one partition, and stay there: a record that
 * moves while the listing runs may be missed. The partition is part of the cursor.
 */
import type { ListPage, ListPosition, Pager } from '../connector.ts'
import type { Json } from '../json.ts'
import type { AppResponse } from '../steps.ts'
import {
  around,
  type FromResponse,
  inner,
  type ListStart,
  mapCursors,
  memberOf,
  totalReader,
} from './pager.ts'

/** The facts of a listing in partitions. */
export interface PartitionFacts<Partition extends Json> {
  /** The partitions at the start of the listing: at least one. */
  first(start: ListStart): readonly Partition[]
  pagerOf(partition: Partition): Pager
  /**
   * The partitions to list in place of this one, by the response for its first page; undefined: it is listed. A
   * partition may be a question, such as `null` for "which locations are there?", whose response divides it.
   */
  divide?(partition: Partition, response: AppResponse): readonly Partition[] | undefined
}

const cursorFor = (partition: Json): Json => ({ partition })

/** Pages of partitions that are listed at the same time. */
export const partitionedPages = <Partition extends Json>({
  first,
  pagerOf,
  divide,
}: PartitionFacts<Partition>): Pager => {
  /** The partition at a position, the position in it, and the other partitions of the start. */
  const find = (position: ListPosition) => {
    const { cursor, ...start } = position
    // Safe: only this pager creates cursors with this member.
    const known = memberOf(cursor, 'partition') as Partition | undefined
    if (known !== undefined) return { partition: known, at: inner(position), others: [] }
    const [partition, ...others] = first(start)
    if (partition === undefined) throw new TypeError('A listing needs at least one partition.')
    return { partition, at: { ...start, cursor: undefined }, others }
  }
  return {
    listRequest: (position) => {
      const { partition, at } = find(position)
      return pagerOf(partition).listRequest(at)
    },
    readList: (response, position) => {
      const { partition, at, others } = find(position)
      const parts = at.cursor === undefined ? divide?.(partition, response) : undefined
      const page: ListPage = parts
        ? { records: [], next: undefined, partitions: parts.map(cursorFor) }
        : mapCursors(pagerOf(partition).readList(response, at), (cursor) =>
            around({ partition }, cursor),
          )
      if (others.length === 0) return page
      return { ...page, partitions: [...(page.partitions ?? []), ...others.map(cursorFor)] }
    },
  }
}

/** A period of time, from its start to its end (exclusive). Times are ISO 8601. */
export type TimeWindow = {
  readonly from: string
  /** Null: the window has no end. */
  readonly to: string | null
  /** Whether the window cannot be divided although it has more records than the maximum: list it by id. */
  readonly isInstant?: true
}

/** The facts of a listing in windows of time. */
export interface WindowFacts {
  /** No record is older. */
  readonly beginning: string
  /**
   * The most records of one window: fewer than the app's maximum for one query, because the last window grows while
   * it is listed.
   */
  readonly max: number
  /** How many records the app reports for a window: a path of the body, or a function. */
  readonly total: FromResponse<number>
  /** The resolution of the app's times. Default: 1 ms. */
  readonly resolutionMs?: number
  /**
   * The pager of the records in a window. For an instant, it must not be limited by the app's maximum: page by id
   * (`keysetPages`), in each window or only there.
   */
  pagerOf(window: TimeWindow): Pager
}

/**
 * Pages of windows of time, e.g. for an app that returns at most 10,000 records for one query. A window with more is
 * divided in half until it has the length of one timestamp. Use a time that never changes, such as that of creation.
 */
export const windowPages = ({
  beginning,
  max,
  total,
  resolutionMs = 1,
  pagerOf,
}: WindowFacts): Pager => {
  const countOf = totalReader(total)
  /** The end of a window; of the last one, the time of the response by the app's clock. */
  const endOf = ({ to }: TimeWindow, { headers }: AppResponse): number => {
    const endMs = Date.parse(to ?? headers.date ?? '')
    if (Number.isNaN(endMs)) throw new Error('The response has no date.')
    return endMs
  }
  return partitionedPages<TimeWindow>({
    first: () => [{ from: beginning, to: null }],
    pagerOf,
    divide: (window, response) => {
      if (window.isInstant || countOf(response) <= max) return
      const { from, to } = window
      const units = Math.ceil((endOf(window, response) - Date.parse(from)) / resolutionMs)
      if (units <= 1) return [{ from, to, isInstant: true }]
      const middleMs = Date.parse(from) + Math.floor(units / 2) * resolutionMs
      const middle = new Date(middleMs).toISOString()
      return [
        { from, to: middle },
        { from: middle, to },
      ]
    },
  })
}
