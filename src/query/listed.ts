/** Pages of lists as GraphQL returns them: each entry has a cursor. */
import { ApiError } from '../errors.ts'

/** The requested page of a list: the first entries after a cursor. */
export interface ForwardPage {
  readonly size: number
  /** Undefined: from the start of the list. */
  readonly after: string | undefined
}

/** A page of a list. */
export interface Listed<Node> {
  readonly nodes: readonly Node[]
  /** The cursor of the entry with this index on the page. */
  cursorAt(index: number): string
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** Where the next page starts; absent: after the last entry of this page. */
  readonly end?: string
  /** The number of entries on all pages. Called only if it is selected. */
  count(): Promise<number>
}

/** The cursors of a page: those of the rows of its entries. */
export const cursorsOf =
  <Row>(rows: readonly Row[], encode: (row: Row) => string): Listed<unknown>['cursorAt'] =>
  (index) => {
    const row = rows[index]
    if (row === undefined) throw new RangeError(`The page has no entry ${index}.`)
    return encode(row)
  }

/** The cursor of the next page, as REST returns it; null on the last page. */
export const nextCursorOf = ({ nodes, cursorAt, hasNext }: Listed<unknown>): string | null =>
  hasNext ? cursorAt(nodes.length - 1) : null

/** Calls a function at most once. */
export const once = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}

/** The number of entries of an owner's list. */
interface OwnerCount {
  readonly owner: string
  readonly count: number
}

/** Creates the function that counts the list of an owner. The first call counts the lists of all owners. */
export const createCounts = (load: () => Promise<readonly OwnerCount[]>) => {
  const counts = once(async () => new Map((await load()).map(({ owner, count }) => [owner, count])))
  return async (owner: string): Promise<number> => (await counts()).get(owner) ?? 0
}

/** INVALID_CURSOR for a parameter. `expected`: such as `a cursor that a list of runs returned`. */
export const invalidCursor = (parameter: string, expected: string): ApiError =>
  new ApiError('INVALID_CURSOR', `${parameter}: expected ${expected}.`, [
    { field: parameter, expected },
  ])

const POSITION = /^p([1-9]\d{0,8})$/

const encode = (position: number): string => Buffer.from(`p${position}`).toString('base64url')

/** @throws INVALID_CURSOR */
const decode = (text: string): number => {
  const position = POSITION.exec(Buffer.from(text.slice(0, 20), 'base64url').toString())?.[1]
  if (position !== undefined && encode(Number(position)) === text) return Number(position)
  throw invalidCursor('after', 'a cursor that this list returned')
}

/**
 * A page of a short list that was read whole; without a size, all entries. Its cursors are positions in the list.
 * @throws INVALID_CURSOR
 */
export const pageOf = <Node>(
  all: readonly Node[],
  { size, after }: { readonly size: number | undefined; readonly after: string | undefined },
): Listed<Node> => {
  const start = after === undefined ? 0 : decode(after)
  const end = size === undefined ? all.length : start + size
  return {
    nodes: all.slice(start, end),
    cursorAt: (index) => encode(start + index + 1),
    hasNext: end < all.length,
    hasPrevious: start > 0,
    count: async () => all.length,
  }
}
