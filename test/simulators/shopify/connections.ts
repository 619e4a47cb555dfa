/** Relay connections: pages after or before a cursor. */

import type { Context } from './context.ts'
import { badRequest } from './errors.ts'

export interface PageArguments {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
  readonly reverse?: boolean
}

/** The position of a record in a list: the value that the list is sorted by, and the number of its id. */
export type Position = readonly [value: string | number, id: number]

export interface SortedList<Node> {
  /** Ascending. */
  readonly nodes: readonly Node[]
  readonly positionOf: (node: Node) => Position
  /** The list and the order that a cursor is valid for. The filter of the list may change. */
  readonly order: string
}

const MAX_PAGE_SIZE = 250

const comparePositions = ([a, aId]: Position, [b, bId]: Position): number =>
  a < b ? -1 : a > b ? 1 : aId - bId

export const sortBy = <Node>(
  nodes: readonly Node[],
  positionOf: (node: Node) => Position,
): readonly Node[] =>
  nodes
    .map((node) => ({ node, position: positionOf(node) }))
    .sort((a, b) => comparePositions(a.position, b.position))
    .map(({ node }) => node)

/** @throws ApiError unless one of `first` and `last` is between 0 and 250 */
const checkSize = ({ first, last }: PageArguments): void => {
  const isFirst = typeof first === 'number'
  const isLast = typeof last === 'number'
  if (isFirst && isLast) throw badRequest('providing both first and last is not supported')
  if (!isFirst && !isLast) throw badRequest('you must provide one of first or last')
  const size = first ?? last ?? 0
  if (size < 0 || size > MAX_PAGE_SIZE)
    throw badRequest(`${isFirst ? 'first' : 'last'} must be between 0 and ${MAX_PAGE_SIZE}`)
}

/** The number of leading elements that `holds` accepts; it must accept no others. */
const countWhile = <T>(list: readonly T[], holds: (element: T) => boolean): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const element = list[middle]
    if (element !== undefined && holds(element)) low = middle + 1
    else high = middle
  }
  return low
}

/** The type of a connection to this list. @throws ApiError if an argument is not valid */
export const connect = <Node>(
  { nodes: ascending, positionOf, order }: SortedList<Node>,
  args: PageArguments,
  { shop, isBulk }: Context,
): object => {
  const { first, last, after, before, reverse = false } = args
  if (!isBulk) checkSize(args)
  const nodes = reverse ? ascending.toReversed() : ascending
  const readCursor = (cursor: string): Position => {
    const position = shop.cursors.decode(order, cursor)
    if (!Array.isArray(position)) throw badRequest('Invalid cursor for current pagination sort.')
    const [value, id] = position
    return [typeof value === 'string' ? value : Number(value), Number(id)]
  }
  const orderOf = (node: Node, position: Position): number =>
    comparePositions(positionOf(node), position) * (reverse ? -1 : 1)
  const from = typeof after === 'string' ? readCursor(after) : undefined
  const to = typeof before === 'string' ? readCursor(before) : undefined
  const low = from ? countWhile(nodes, (node) => orderOf(node, from) <= 0) : 0
  const high = to ? countWhile(nodes, (node) => orderOf(node, to) < 0) : nodes.length
  const start = typeof last === 'number' ? Math.max(low, high - last) : low
  const end = typeof first === 'number' ? Math.min(high, low + first) : high
  if (!isBulk && start >= shop.settings.maxListed)
    throw badRequest(
      `Only the first ${shop.settings.maxListed} records of a list can be paged through`,
    )
  const edgeOf = (node: Node) => ({
    node,
    // A cursor is signed only if it is selected.
    get cursor() {
      return shop.cursors.encode(order, positionOf(node))
    },
  })
  const edges = nodes.slice(start, end).map(edgeOf)
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: end < nodes.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/** A connection to a list that is part of a record, in its order. */
export const connectPart = <Node>(
  nodes: readonly Node[],
  args: PageArguments,
  context: Context,
  order: string,
): object => {
  const places = new Map(nodes.map((node, index) => [node, index]))
  const positionOf = (node: Node): Position => [places.get(node) ?? 0, 0]
  return connect({ nodes, positionOf, order }, args, context)
}
